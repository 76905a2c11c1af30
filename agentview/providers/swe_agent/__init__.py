"""SWE-agent and mini-swe-agent: trajectories, each one JSON document."""

from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.swe_agent.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.swe_agent.decode import FORM
    from agentview.providers.swe_agent.tools import SPECS, find_tool

    return make_reading(FORM.events, lines=FORM, tools=SPECS, find_tool=find_tool)


PROVIDER = Provider(
    name="swe_agent",
    label="SWE-agent",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost", "images"),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=("role", "message_type", "extra/interrupt_type")),
    programs=("sweagent", "mini"),
)
