"""What OpenCode and Kilo print: a run as lines of JSON, and a session that is exported."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import Documents, RecordTypeKeys
from agentview.providers.opencode.opencode_output.decode import LINES, decode
from agentview.providers.opencode.opencode_output.discovery import DISCOVERY
from agentview.providers.opencode.shared.tools import RESULTS, SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="OpenCode output",
    agent="opencode",
    discovery=DISCOVERY,
    decode=decode,
    tools=SPECS,
    find_tool=find_tool,
    results=RESULTS,
    lines=LINES,
    resume_command=DISCOVERY.resume_command,
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("type", "part/type", "info/role")),
    programs=("opencode",),
)
