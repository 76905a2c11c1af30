"""Kiro CLI: the sessions of version 2, a file of lines with a description next to it."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.kiro.kiro.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.kiro.kiro.decode import LINES
    from agentview.providers.kiro.shared.tools import SPECS, find_tool

    return make_reading(LINES.events, lines=LINES, tools=SPECS, find_tool=find_tool)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Kiro CLI",
    agent="kiro",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("images", "reasoning"),
    resume_command=resume_with("kiro-cli", "chat", "--resume-id"),
    record_type_keys=RecordTypeKeys(types=("kind", "data/content/kind")),
    programs=("kiro-cli",),
)
