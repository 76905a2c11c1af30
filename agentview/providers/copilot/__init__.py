"""GitHub Copilot CLI: its session events, one JSON object a line."""

from agentview.providers._kit.provider import make_provider
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Documents, RecordTypeKeys
from agentview.providers.copilot.decode import LINES, decode
from agentview.providers.copilot.discovery import DISCOVERY
from agentview.providers.copilot.flat_records import begins_document
from agentview.providers.copilot.results import BY_KIND
from agentview.providers.copilot.tools import SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Copilot CLI",
    agent="copilot",
    discovery=DISCOVERY,
    decode=decode,
    lines=LINES,
    tools=SPECS,
    find_tool=find_tool,
    results=BY_KIND,
    documents=Documents(begin=begins_document, split=DISCOVERY.split),
    resume_command=resume_with("copilot", "--resume"),
    record_type_keys=RecordTypeKeys(asks=("permission.requested",)),
    programs=("copilot",),
)
