"""Antigravity: transcripts of its command line and its editor, one step a line."""

from agentview.providers.antigravity.discovery import DISCOVERY
from agentview.providers.base import Provider, Reading, RecordTypeKeys


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.antigravity.decode import LINES, decode
    from agentview.providers.antigravity.tools import BY_KIND, SPECS, find_tool

    return make_reading(decode, lines=LINES, tools=SPECS, find_tool=find_tool, results=BY_KIND)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Antigravity",
    agent="antigravity",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("reasoning", "compaction"),
    record_type_keys=RecordTypeKeys(types=("type",)),
)
