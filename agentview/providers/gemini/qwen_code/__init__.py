"""Qwen Code: its sessions and what it prints; it grew out of Gemini CLI."""

from collections.abc import Mapping, Sequence

from agentview.domain.session import SessionRef
from agentview.normalize.json_document import split_document
from agentview.providers._kit.late_session_id import named_late
from agentview.providers._kit.resume_command import resuming
from agentview.providers.base import Documents, Provider, RecordTypeKeys
from agentview.providers.gemini.qwen_code import discovery, records, tools
from agentview.providers.gemini.qwen_code.decode import decode
from agentview.providers.gemini.qwen_code.discovery import begins_list
from agentview.providers.gemini.qwen_code.stream import is_printed
from agentview.providers.gemini.qwen_code.system import record_keys
from agentview.providers.gemini.shared.tools import attach_result


def context_window(model: str) -> int | None:
    """None: the window depends on the service that gives the model, which the log does not name."""
    _ = model
    return None


def resume_command(ref: SessionRef) -> Sequence[str] | None:
    """The command line that resumes a session; none for the log of an agent."""
    return resuming(ref, "qwen", "--resume")


def protocol(record: Mapping[str, object]) -> str:
    """Printed lines name their session in another way."""
    return "stream" if is_printed(record) else "log"


PROVIDER = Provider(
    name=discovery.NAME,
    label="Qwen Code",
    agent="qwen",
    discovery=discovery,
    decode=decode,
    attach_result=attach_result,
    tool_kinds={name: spec.kind for name, spec in tools.SPECS.items()},
    kind_of=tools.kind_of,
    unused_keys=lambda record, _source, _session: records.unused_keys(record),
    context_window=context_window,
    resume_command=resume_command,
    merge_call=tools.merge_call,
    documents=Documents(begin=begins_list, split=split_document),
    has_linked_events=True,
    record_keys=record_keys,
    record_type_keys=RecordTypeKeys(
        types=("type", "subtype", "systemPayload/type", "event/type"), protocol=protocol
    ),
    refresh_ref=named_late(discovery.ref),
)
