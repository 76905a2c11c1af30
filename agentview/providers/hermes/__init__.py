"""Hermes Agent: sessions in the tables of one SQLite database, of older versions in files."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import RecordTypeKeys
from agentview.providers.hermes.archive import ARCHIVE
from agentview.providers.hermes.database import DATABASE
from agentview.providers.hermes.decode import LINES, decode
from agentview.providers.hermes.discovery import DISCOVERY
from agentview.providers.hermes.results import RESULTS
from agentview.providers.hermes.tools import SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Hermes",
    agent="hermes",
    discovery=DISCOVERY,
    decode=decode,
    tools=SPECS,
    find_tool=find_tool,
    results=RESULTS,
    lines=LINES,
    resume_command=lambda ref: (
        None if ref.parent_id is not None else ("hermes", "--resume", ref.session_id)
    ),
    database=DATABASE,
    archive=ARCHIVE,
    record_type_keys=RecordTypeKeys(types=("table", "role")),
    programs=("hermes",),
)
