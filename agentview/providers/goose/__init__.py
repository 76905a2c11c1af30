"""Goose: sessions in the tables of one SQLite database; older ones are files of lines."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import RecordTypeKeys
from agentview.providers.goose.database import DATABASE
from agentview.providers.goose.decode import LINES, decode
from agentview.providers.goose.discovery import DISCOVERY
from agentview.providers.goose.tools import SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Goose",
    agent="goose",
    discovery=DISCOVERY,
    decode=decode,
    tools=SPECS,
    find_tool=find_tool,
    lines=LINES,
    resume_command=lambda ref: (
        None
        if ref.parent_id is not None
        else ("goose", "session", "--resume", "--session-id", ref.session_id)
    ),
    database=DATABASE,
    record_type_keys=RecordTypeKeys(types=("table", "role")),
    programs=("goose",),
)
