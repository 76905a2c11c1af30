"""Claude's printed stream: what its command line and its SDK print as JSON while they work."""

from collections.abc import Mapping

from agentview.normalize.json_document import split_document
from agentview.providers._kit.late_session_id import named_late
from agentview.providers._kit.provider import make_provider
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Documents, RecordTypeKeys
from agentview.providers.claude.claude_stream.decode import LINES, decode
from agentview.providers.claude.claude_stream.discovery import DISCOVERY, begins_list
from agentview.providers.claude.shared.context_windows import context_window
from agentview.providers.claude.shared.tools import SPECS


def protocol(record: Mapping[str, object]) -> str:
    """All of it is printed."""
    _ = record
    return "stream"


PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Claude stream",
    agent="claude",
    protocol="claude",
    discovery=DISCOVERY,
    decode=decode,
    lines=LINES,
    tools=SPECS,
    context_window=context_window,
    resume_command=resume_with("claude", "--resume"),
    documents=Documents(begin=begins_list, split=split_document),
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(
        types=("type", "subtype", "event/type", "request/subtype"),
        asks=("control_request/can_use_tool",),
        protocol=protocol,
    ),
    refresh_ref=named_late(DISCOVERY.ref),
    programs=("claude",),
)
