"""Inspect AI: evaluation logs, each sample of which is a session."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.inspect_ai.archive import ARCHIVE
from agentview.providers.inspect_ai.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.inspect_ai.decode import LINES
    from agentview.providers.inspect_ai.tools import SPECS, find_tool

    return make_reading(LINES.events, lines=LINES, tools=SPECS, find_tool=find_tool)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Inspect AI",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage",),
    archive=ARCHIVE,
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("event/event",), keys=("eval", "message", "end")),
)
