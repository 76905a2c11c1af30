"""Kilo: sessions in the tables of one SQLite database."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import RecordTypeKeys
from agentview.providers.opencode.kilo.database import DATABASE
from agentview.providers.opencode.shared.decode import LINES, decode
from agentview.providers.opencode.shared.discovery import DataFolder
from agentview.providers.opencode.shared.tools import RESULTS, SPECS, find_tool

DISCOVERY = DataFolder("kilo", DATABASE, ("kilo",))
PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Kilo",
    agent="kilo",
    discovery=DISCOVERY,
    decode=decode,
    tools=SPECS,
    find_tool=find_tool,
    results=RESULTS,
    lines=LINES,
    resume_command=DISCOVERY.resume_command,
    database=DATABASE,
    has_linked_events=True,
    habits=DISCOVERY.habits,
    record_type_keys=RecordTypeKeys(types=("table", "data/type")),
    programs=("kilo",),
)
