"""Mistral Vibe 3: a directory for each session, with a snapshot and a journal."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.vibe.vibe.discovery import DISCOVERY
from agentview.providers.vibe.vibe.folder import FOLDER


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.vibe.shared.tools import SPECS, find_tool
    from agentview.providers.vibe.vibe.decode import LINES, decode
    from agentview.providers.vibe.vibe.results import BY_KIND

    return make_reading(decode, lines=LINES, tools=SPECS, find_tool=find_tool, results=BY_KIND)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Mistral Vibe",
    agent="vibe",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "reasoning", "compaction"),
    resume_command=resume_with("vibe", "--resume"),
    folder=FOLDER,
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("type", "detail/kind", "detail/toolName")),
    programs=("vibe",),
)
