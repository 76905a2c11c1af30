"""Hermes Agent: sessions in the tables of one SQLite database, of older versions in files."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.hermes.archive import ARCHIVE
from agentview.providers.hermes.database import DATABASE
from agentview.providers.hermes.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.hermes.decode import LINES, decode
    from agentview.providers.hermes.results import RESULTS
    from agentview.providers.hermes.tools import SPECS, find_tool

    return make_reading(decode, lines=LINES, tools=SPECS, find_tool=find_tool, results=RESULTS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Hermes",
    agent="hermes",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "reasoning", "compaction"),
    resume_command=lambda ref: (
        None if ref.parent_id is not None else ("hermes", "--resume", ref.session_id)
    ),
    database=DATABASE,
    archive=ARCHIVE,
    record_type_keys=RecordTypeKeys(types=("table", "role")),
    programs=("hermes",),
)
