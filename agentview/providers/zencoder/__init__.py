"""Zencoder: its sessions, a file of lines for each."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.zencoder.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.zencoder.decode import LINES
    from agentview.providers.zencoder.tools import SPECS

    return make_reading(LINES.events, lines=LINES, tools=SPECS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Zencoder",
    agent="zencoder",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("reasoning", "subagents"),
    record_type_keys=RecordTypeKeys(types=("role",)),
)
