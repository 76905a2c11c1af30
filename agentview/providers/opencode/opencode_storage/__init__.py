"""OpenCode before 1.2: a file for each session, each message and each part."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.opencode.opencode_storage.archive import ARCHIVE
from agentview.providers.opencode.opencode_storage.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.opencode.shared.decode import LINES, decode
    from agentview.providers.opencode.shared.tools import RESULTS, SPECS, find_tool

    return make_reading(decode, lines=LINES, tools=SPECS, find_tool=find_tool, results=RESULTS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="OpenCode files",
    agent="opencode",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning", "subagents", "compaction"),
    resume_command=DISCOVERY.resume_command,
    archive=ARCHIVE,
    has_linked_events=True,
    habits=DISCOVERY.habits,
    record_type_keys=RecordTypeKeys(types=("table", "data/type")),
    programs=("opencode",),
)
