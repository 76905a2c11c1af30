"""Zed: the threads of its own agent, each one row of a SQLite database."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.zed_threads.database import DATABASE
from agentview.providers.zed_threads.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.zed_threads.decode import LINES
    from agentview.providers.zed_threads.tools import SPECS

    return make_reading(LINES.events, lines=LINES, tools=SPECS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Zed",
    agent="zed",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning"),
    database=DATABASE,
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("table",)),
    programs=("zed", "zed-editor"),
)
