"""Antigravity: transcripts of its command line and its editor, one step a line."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.antigravity.decode import LINES, decode
from agentview.providers.antigravity.discovery import DISCOVERY
from agentview.providers.antigravity.tools import SPECS, find_tool
from agentview.providers.base import RecordTypeKeys

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Antigravity",
    agent="antigravity",
    discovery=DISCOVERY,
    decode=decode,
    lines=LINES,
    tools=SPECS,
    find_tool=find_tool,
    record_type_keys=RecordTypeKeys(types=("type",)),
)
