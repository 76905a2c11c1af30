"""ACP: traffic of the Agent Client Protocol, of any client with any agent."""

from collections.abc import Mapping

from agentview.providers._kit.discovery import named_late
from agentview.providers.acp import discovery
from agentview.providers.base import Provider, Reading, RecordTypeKeys


def protocol(record: Mapping[str, object]) -> str:
    """The traffic of the protocol."""
    _ = record
    return "acp"


def _reading() -> Reading:
    from agentview.providers.acp import tools
    from agentview.providers.acp.decode import LINES, decode, unused_keys

    return Reading(
        decode=decode,
        attach_result=tools.attach_result,
        tool_kinds=tools.TOOL_KINDS,
        kind_of=tools.kind_of,
        unused_keys=unused_keys,
        merge_call=tools.merge_call,
        light=LINES.light,
    )


PROVIDER = Provider(
    name=discovery.NAME,
    label="ACP",
    discovery=discovery,
    load_reading=_reading,
    records=("usage", "cost", "images", "reasoning"),
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(
        types=(
            "method",
            "params/update/sessionUpdate",
            "msg/method",
            "msg/params/update/sessionUpdate",
        ),
        keys=("result", "error", "msg/result", "msg/error"),
        asks=("session/request_permission",),
        protocol=protocol,
    ),
    refresh_ref=named_late(discovery.ref),
)
