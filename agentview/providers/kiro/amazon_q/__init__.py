"""Amazon Q CLI, and version 1 of Kiro CLI: conversations in the rows of a SQLite database."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.kiro.amazon_q.database import DATABASE
from agentview.providers.kiro.amazon_q.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.kiro.amazon_q.decode import LINES
    from agentview.providers.kiro.shared.tools import SPECS, find_tool

    return make_reading(LINES.events, lines=LINES, tools=SPECS, find_tool=find_tool)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Amazon Q CLI",
    agent="amazon_q",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("images", "reasoning", "compaction"),
    database=DATABASE,
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("table",)),
    programs=("qchat",),
)
