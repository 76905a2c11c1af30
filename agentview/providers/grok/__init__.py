"""Grok Build: the history of a session, as lines without times."""

from agentview.providers._kit.provider import make_provider
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import RecordTypeKeys
from agentview.providers.grok.decode import LINES, decode
from agentview.providers.grok.discovery import DISCOVERY
from agentview.providers.grok.tools import SPECS

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Grok Build",
    agent="grok",
    discovery=DISCOVERY,
    decode=decode,
    lines=LINES,
    tools=SPECS,
    resume_command=resume_with("grok", "--resume"),
    record_type_keys=RecordTypeKeys(types=("type",)),
    programs=("grok",),
)
