"""OpenHands before its SDK (V0): trajectories as JSON documents, or in lines of evaluations."""

from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.openhands.openhands_events.archive import ARCHIVE
from agentview.providers.openhands.openhands_events.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.openhands.openhands_events.decode import FORM
    from agentview.providers.openhands.openhands_events.tools import SPECS, find_tool

    return make_reading(FORM.events, lines=FORM, tools=SPECS, find_tool=find_tool)


PROVIDER = Provider(
    name="openhands_events",
    label="OpenHands 0",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost"),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    archive=ARCHIVE,
    record_type_keys=RecordTypeKeys(types=("action", "observation")),
)
