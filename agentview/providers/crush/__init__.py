"""Crush: sessions in the tables of a SQLite database in each project."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.crush.database import DATABASE
from agentview.providers.crush.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.crush.decode import LINES, decode
    from agentview.providers.crush.results import BY_KIND
    from agentview.providers.crush.tools import SPECS

    return make_reading(decode, lines=LINES, tools=SPECS, results=BY_KIND)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Crush",
    agent="crush",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("cost", "images", "reasoning"),
    resume_command=lambda ref: (
        None if ref.parent_id is not None else ("crush", "--session", ref.session_id)
    ),
    database=DATABASE,
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("table", "role")),
    programs=("crush",),
)
