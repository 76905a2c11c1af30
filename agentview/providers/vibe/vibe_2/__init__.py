"""Mistral Vibe 2: a folder for each session, with its messages and what is counted of them."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.vibe.vibe_2.discovery import DISCOVERY
from agentview.providers.vibe.vibe_2.folder import FOLDER


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.vibe.shared.tools import SPECS, find_tool
    from agentview.providers.vibe.vibe_2.decode import LINES, decode
    from agentview.providers.vibe.vibe_2.results import BY_KIND

    return make_reading(decode, lines=LINES, tools=SPECS, find_tool=find_tool, results=BY_KIND)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Mistral Vibe 2",
    agent="vibe",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost", "compaction"),
    resume_command=resume_with("vibe", "--resume"),
    folder=FOLDER,
    habits=DISCOVERY.habits,
    record_type_keys=RecordTypeKeys(types=("role",)),
)
