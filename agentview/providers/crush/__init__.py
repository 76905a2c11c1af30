"""Crush: sessions in the tables of a SQLite database in each project."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import RecordTypeKeys
from agentview.providers.crush.database import DATABASE
from agentview.providers.crush.decode import LINES, decode
from agentview.providers.crush.discovery import DISCOVERY
from agentview.providers.crush.results import BY_KIND
from agentview.providers.crush.tools import SPECS

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Crush",
    agent="crush",
    discovery=DISCOVERY,
    decode=decode,
    tools=SPECS,
    results=BY_KIND,
    lines=LINES,
    resume_command=lambda ref: (
        None if ref.parent_id is not None else ("crush", "--session", ref.session_id)
    ),
    database=DATABASE,
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("table", "role")),
    programs=("crush",),
)
