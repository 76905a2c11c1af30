"""DeepSeek Harness: its sessions, a file of events for each."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.deepseek_harness.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.deepseek_harness.decode import LINES
    from agentview.providers.deepseek_harness.tools import SPECS

    return make_reading(LINES.events, lines=LINES, tools=SPECS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="DeepSeek Harness",
    agent="dsh",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "reasoning", "subagents", "compaction"),
    record_type_keys=RecordTypeKeys(types=("type",)),
)
