"""Forge: its conversations, each one row of a SQLite database."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.forge.database import DATABASE
from agentview.providers.forge.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.forge.decode import LINES
    from agentview.providers.forge.tools import SPECS

    return make_reading(LINES.events, lines=LINES, tools=SPECS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Forge",
    agent="forge",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost", "images", "reasoning", "subagents"),
    database=DATABASE,
    has_linked_events=True,
    resume_command=resume_with("forge", "--conversation-id"),
    record_type_keys=RecordTypeKeys(types=("table",)),
)
