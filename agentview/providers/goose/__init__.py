"""Goose: sessions in the tables of one SQLite database; older ones are files of lines."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.goose.database import DATABASE
from agentview.providers.goose.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.goose.decode import LINES, decode
    from agentview.providers.goose.tools import SPECS, find_tool

    return make_reading(decode, lines=LINES, tools=SPECS, find_tool=find_tool)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Goose",
    agent="goose",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost", "images", "reasoning", "compaction"),
    resume_command=lambda ref: (
        None
        if ref.parent_id is not None
        else ("goose", "session", "--resume", "--session-id", ref.session_id)
    ),
    database=DATABASE,
    record_type_keys=RecordTypeKeys(types=("table", "role")),
    programs=("goose",),
)
