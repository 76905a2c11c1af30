"""Grok Build: the updates of a session, or its history, which has no times."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.grok.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers.grok.updates import reading

    return reading()


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Grok Build",
    agent="grok",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("images", "reasoning", "compaction"),
    has_linked_events=True,
    resume_command=resume_with("grok", "--resume"),
    record_type_keys=RecordTypeKeys(types=("type", "method", "params/update/sessionUpdate")),
    programs=("grok",),
)
