"""Claude's printed stream: what its command line and its SDK print as JSON while they work."""

from collections.abc import Mapping

from agentview.normalize.json_document import split_document
from agentview.providers._kit.discovery import named_late
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.claude.claude_stream.discovery import DISCOVERY, begins_list


def protocol(record: Mapping[str, object]) -> str:
    """All of it is printed."""
    _ = record
    return "stream"


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.claude.claude_stream.decode import LINES, decode
    from agentview.providers.claude.shared.tools import SPECS

    return make_reading(decode, lines=LINES, tools=SPECS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Claude stream",
    agent="claude",
    protocol="claude",
    discovery=DISCOVERY,
    load_reading=_reading,
    has_vendor_response_ids=True,
    records=("usage", "cost", "limits", "reasoning", "subagents", "compaction"),
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
