"""Auggie, the command line of Augment: sessions, a JSON document each."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.auggie.discovery import DISCOVERY
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.auggie.decode import FORM
    from agentview.providers.auggie.tools import SPECS, find_tool

    return make_reading(FORM.events, lines=FORM, tools=SPECS, find_tool=find_tool)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Auggie",
    agent="auggie",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning"),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    resume_command=resume_with("auggie", "session", "resume"),
    record_type_keys=RecordTypeKeys(types=(), keys=("exchange", "sessionId")),
    programs=("auggie",),
)
