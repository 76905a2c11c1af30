"""GitHub Copilot CLI: its session events, one JSON object a line."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.copilot.discovery import DISCOVERY
from agentview.providers.copilot.flat_records import begins_document
from agentview.providers.copilot.hooks import HOOK_REPORTS


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.copilot.decode import LINES, decode
    from agentview.providers.copilot.results import BY_KIND
    from agentview.providers.copilot.tools import SPECS, find_tool

    return make_reading(decode, lines=LINES, tools=SPECS, find_tool=find_tool, results=BY_KIND)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Copilot CLI",
    agent="copilot",
    discovery=DISCOVERY,
    load_reading=_reading,
    documents=Documents(begin=begins_document, split=DISCOVERY.split),
    records=("usage", "images", "reasoning", "subagents", "compaction"),
    resume_command=resume_with("copilot", "--resume"),
    record_type_keys=RecordTypeKeys(asks=("permission.requested",)),
    has_linked_events=True,
    hook_reports=HOOK_REPORTS,
    programs=("copilot",),
)
