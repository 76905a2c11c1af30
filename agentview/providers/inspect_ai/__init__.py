"""Inspect AI: evaluation logs, each sample of which is a session."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import RecordTypeKeys
from agentview.providers.inspect_ai.archive import ARCHIVE
from agentview.providers.inspect_ai.decode import LINES, decode
from agentview.providers.inspect_ai.discovery import DISCOVERY
from agentview.providers.inspect_ai.tools import SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Inspect AI",
    discovery=DISCOVERY,
    decode=decode,
    tools=SPECS,
    find_tool=find_tool,
    lines=LINES,
    archive=ARCHIVE,
    record_type_keys=RecordTypeKeys(types=("event/event",), keys=("eval", "message", "end")),
)
