"""ACP: traffic of the Agent Client Protocol, of any client with any agent."""

from collections.abc import Mapping, Sequence

from agentview.domain.session import SessionRef
from agentview.providers._kit.late_session_id import named_late
from agentview.providers.acp import discovery, tools
from agentview.providers.acp.decode import decode
from agentview.providers.acp.records import unused_keys
from agentview.providers.base import Provider, RecordTypeKeys


def context_window(model: str) -> int | None:
    """None: an agent says with each count how much its model holds, not by the model's name."""
    _ = model
    return None


def resume_command(ref: SessionRef) -> Sequence[str] | None:
    """None: a session continues in the client that wrote the log, whichever that is."""
    _ = ref
    return None


def protocol(record: Mapping[str, object]) -> str:
    """The traffic of the protocol."""
    _ = record
    return "acp"


PROVIDER = Provider(
    name=discovery.NAME,
    label="ACP",
    discovery=discovery,
    decode=decode,
    attach_result=tools.attach_result,
    tool_kinds=tools.TOOL_KINDS,
    kind_of=tools.kind_of,
    unused_keys=lambda record, _source, _session: unused_keys(record),
    context_window=context_window,
    resume_command=resume_command,
    merge_call=tools.merge_call,
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(
        types=(
            "method",
            "params/update/sessionUpdate",
            "msg/method",
            "msg/params/update/sessionUpdate",
        ),
        keys=("result", "error", "msg/result", "msg/error"),
        asks=(tools.PERMISSION,),
        protocol=protocol,
    ),
    refresh_ref=named_late(discovery.ref),
)
