"""OpenClaw's printed runs: what `openclaw agent --json` says of a run when it has ended."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import Documents, RecordTypeKeys
from agentview.providers.pi.openclaw_output.decode import FORM, decode
from agentview.providers.pi.openclaw_output.discovery import DISCOVERY
from agentview.providers.pi.shared.tools import OPENCLAW_SPECS, find_openclaw_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="OpenClaw output",
    agent="openclaw",
    discovery=DISCOVERY,
    decode=decode,
    lines=FORM,
    tools=OPENCLAW_SPECS,
    find_tool=find_openclaw_tool,
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    habits=DISCOVERY.habits,
    record_type_keys=RecordTypeKeys(types=(), keys=("payloads",), protocol=lambda _: "stream"),
)
