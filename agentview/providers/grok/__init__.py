"""Grok Build: the history of a session, as lines without times."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.grok.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.grok.decode import LINES, decode
    from agentview.providers.grok.tools import SPECS

    return make_reading(decode, lines=LINES, tools=SPECS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Grok Build",
    agent="grok",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("images", "reasoning", "compaction"),
    resume_command=resume_with("grok", "--resume"),
    record_type_keys=RecordTypeKeys(types=("type",)),
    programs=("grok",),
)
