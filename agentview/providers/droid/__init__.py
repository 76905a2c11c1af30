"""Factory Droid: its session files, and the JSON that `droid exec` prints."""

from agentview.providers._kit.provider import make_provider
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.droid.decode import LINES, decode
from agentview.providers.droid.discovery import DISCOVERY
from agentview.providers.droid.tools import SPECS

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Droid",
    agent="droid",
    discovery=DISCOVERY,
    decode=decode,
    lines=LINES,
    tools=SPECS,
    has_linked_events=True,
    resume_command=resume_with("droid", "--resume"),
)
