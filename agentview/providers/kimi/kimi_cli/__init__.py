"""Kimi CLI: the messages of its wire, one JSON object a line. Kimi Code is its successor."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.kimi.kimi_cli.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.kimi.kimi_cli.decode import LINES
    from agentview.providers.kimi.shared.results import RESULTS
    from agentview.providers.kimi.shared.tools import SPECS, find_tool

    return make_reading(
        LINES.events, lines=LINES, tools=SPECS, find_tool=find_tool, results=RESULTS
    )


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Kimi CLI",
    agent="kimi-cli",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning", "subagents", "compaction"),
    resume_command=resume_with("kimi", "--session"),
    programs=("kimi",),
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("type", "message/type"), asks=("ApprovalRequest",)),
)
