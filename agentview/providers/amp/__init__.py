"""Amp: threads, each one JSON document."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.amp.discovery import DISCOVERY
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.amp.decode import FORM
    from agentview.providers.amp.tools import SPECS

    return make_reading(FORM.events, lines=FORM, tools=SPECS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Amp",
    agent="amp",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning"),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    resume_command=resume_with("amp", "threads", "continue"),
    record_type_keys=RecordTypeKeys(types=("role",)),
)
