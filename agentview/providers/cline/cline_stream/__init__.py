"""Cline: what `cline --json` prints, one JSON object a line."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import RecordTypeKeys
from agentview.providers.cline.cline_stream.decode import LINES, decode
from agentview.providers.cline.cline_stream.discovery import DISCOVERY
from agentview.providers.cline.shared.results import RESULTS
from agentview.providers.cline.shared.tools import SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Cline stream",
    agent="cline",
    discovery=DISCOVERY,
    decode=decode,
    lines=LINES,
    tools=SPECS,
    find_tool=find_tool,
    results=RESULTS,
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("type", "event/type", "event/contentType")),
)
