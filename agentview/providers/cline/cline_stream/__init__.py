"""Cline: what `cline --json` prints, one JSON object a line."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.cline.cline_stream.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.cline.cline_stream.decode import LINES, decode
    from agentview.providers.cline.shared.results import RESULTS
    from agentview.providers.cline.shared.tools import SPECS, find_tool

    return make_reading(decode, lines=LINES, tools=SPECS, find_tool=find_tool, results=RESULTS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Cline stream",
    agent="cline",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning"),
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("type", "event/type", "event/contentType")),
)
