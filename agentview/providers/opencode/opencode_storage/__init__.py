"""OpenCode before 1.2: a file for each session, each message and each part."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import RecordTypeKeys
from agentview.providers.opencode.opencode_storage.archive import ARCHIVE
from agentview.providers.opencode.opencode_storage.discovery import DISCOVERY
from agentview.providers.opencode.shared.decode import LINES, decode
from agentview.providers.opencode.shared.tools import RESULTS, SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="OpenCode files",
    agent="opencode",
    discovery=DISCOVERY,
    decode=decode,
    tools=SPECS,
    find_tool=find_tool,
    results=RESULTS,
    lines=LINES,
    resume_command=DISCOVERY.resume_command,
    archive=ARCHIVE,
    has_linked_events=True,
    habits=DISCOVERY.habits,
    record_type_keys=RecordTypeKeys(types=("table", "data/type")),
    programs=("opencode",),
)
