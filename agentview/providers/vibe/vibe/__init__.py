"""Mistral Vibe 3: a directory for each session, with a snapshot and a journal."""

from agentview.providers._kit.provider import make_provider
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import RecordTypeKeys
from agentview.providers.vibe.shared.tools import SPECS, find_tool
from agentview.providers.vibe.vibe.decode import LINES, decode
from agentview.providers.vibe.vibe.discovery import DISCOVERY
from agentview.providers.vibe.vibe.folder import FOLDER
from agentview.providers.vibe.vibe.results import BY_KIND

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Mistral Vibe",
    agent="vibe",
    discovery=DISCOVERY,
    decode=decode,
    lines=LINES,
    tools=SPECS,
    find_tool=find_tool,
    results=BY_KIND,
    resume_command=resume_with("vibe", "--resume"),
    folder=FOLDER,
    has_linked_events=True,
    habits=DISCOVERY.habits,
    record_type_keys=RecordTypeKeys(types=("type", "detail/kind", "detail/toolName")),
    programs=("vibe",),
)
