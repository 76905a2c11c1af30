"""ATIF: trajectories of any agent in the exchange format of Harbor, each one JSON document."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.atif.decode import FORM, decode
from agentview.providers.atif.discovery import DISCOVERY
from agentview.providers.atif.tools import attach_result
from agentview.providers.base import Documents, RecordTypeKeys

PROVIDER = make_provider(
    name="atif",
    label="ATIF",
    discovery=DISCOVERY,
    decode=decode,
    attach_result=attach_result,
    lines=FORM,
    tools={},
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=("source",)),
)
