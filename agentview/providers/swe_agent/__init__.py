"""SWE-agent and mini-swe-agent: trajectories, each one JSON document."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import Documents, RecordTypeKeys
from agentview.providers.swe_agent.decode import FORM, decode
from agentview.providers.swe_agent.discovery import DISCOVERY
from agentview.providers.swe_agent.tools import SPECS, find_tool

PROVIDER = make_provider(
    name="swe_agent",
    label="SWE-agent",
    discovery=DISCOVERY,
    decode=decode,
    lines=FORM,
    tools=SPECS,
    find_tool=find_tool,
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=("role", "message_type", "extra/interrupt_type")),
    programs=("sweagent", "mini"),
)
