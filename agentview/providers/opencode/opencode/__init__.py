"""OpenCode: sessions in the tables of one SQLite database."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.opencode.opencode.database import DATABASE
from agentview.providers.opencode.opencode.hooks import HOOK_REPORTS
from agentview.providers.opencode.shared.discovery import DataFolder

DISCOVERY = DataFolder("opencode", DATABASE, ("opencode", "mimocode"))


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.opencode.shared.decode import LINES, decode
    from agentview.providers.opencode.shared.tools import RESULTS, SPECS, find_tool

    return make_reading(decode, lines=LINES, tools=SPECS, find_tool=find_tool, results=RESULTS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="OpenCode",
    agent="opencode",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost", "images", "reasoning", "subagents", "compaction"),
    resume_command=DISCOVERY.resume_command,
    database=DATABASE,
    has_linked_events=True,
    hook_reports=HOOK_REPORTS,
    habits=DISCOVERY.habits,
    record_type_keys=RecordTypeKeys(types=("table", "type", "data/type")),
    programs=("opencode",),
)
