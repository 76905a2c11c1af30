"""ATIF: trajectories of any agent in the exchange format of Harbor, each one JSON document."""

from agentview.providers.atif.discovery import DISCOVERY
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys


def _reading() -> Reading:
    from agentview.providers._kit.named_agent import attach_result
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.atif.decode import FORM

    return make_reading(FORM.events, lines=FORM, tools={}, attach_result=attach_result)


PROVIDER = Provider(
    name="atif",
    label="ATIF",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost", "images", "reasoning", "subagents"),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=("source",)),
)
