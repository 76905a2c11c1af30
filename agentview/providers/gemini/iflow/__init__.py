"""iFlow: its sessions; a fork of Gemini CLI that writes them in the envelope of Claude Code."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.gemini.iflow.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.gemini.iflow.decode import LINES, decode
    from agentview.providers.gemini.iflow.tools import SPECS
    from agentview.providers.gemini.shared.tools import BY_KIND

    return make_reading(decode, lines=LINES, tools=SPECS, results=BY_KIND)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="iFlow",
    agent="iflow",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "reasoning"),
    resume_command=resume_with("iflow", "--resume"),
    record_type_keys=RecordTypeKeys(types=("type",)),
    has_linked_events=True,
    programs=("iflow",),
)
