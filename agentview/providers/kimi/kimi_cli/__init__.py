"""Kimi CLI: the messages of its wire, one JSON object a line. Kimi Code is its successor."""

from agentview.providers._kit.provider import make_provider
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import RecordTypeKeys
from agentview.providers.kimi.kimi_cli.decode import LINES, decode
from agentview.providers.kimi.kimi_cli.discovery import DISCOVERY
from agentview.providers.kimi.shared.results import RESULTS
from agentview.providers.kimi.shared.tools import SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Kimi CLI",
    agent="kimi-cli",
    discovery=DISCOVERY,
    decode=decode,
    lines=LINES,
    tools=SPECS,
    find_tool=find_tool,
    results=RESULTS,
    resume_command=resume_with("kimi", "--session"),
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("type", "message/type"), asks=("ApprovalRequest",)),
)
