"""Amp: threads, each one JSON document."""

from agentview.providers._kit.provider import make_provider
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.amp.decode import FORM, decode
from agentview.providers.amp.discovery import DISCOVERY
from agentview.providers.amp.tools import SPECS
from agentview.providers.base import Documents, RecordTypeKeys

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Amp",
    agent="amp",
    discovery=DISCOVERY,
    decode=decode,
    lines=FORM,
    tools=SPECS,
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    resume_command=resume_with("amp", "threads", "continue"),
    record_type_keys=RecordTypeKeys(types=("role",)),
)
