"""OpenAI Agents SDK: sessions in SQLite, exported traces, and streams of the Responses API."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.openai_agents.database import DATABASE
from agentview.providers.openai_agents.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.openai_agents.decode import LINES
    from agentview.providers.openai_agents.tools import SPECS, find_tool

    return make_reading(LINES.events, lines=LINES, tools=SPECS, find_tool=find_tool)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="OpenAI Agents SDK",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning", "compaction"),
    database=DATABASE,
    record_type_keys=RecordTypeKeys(types=("table", "object", "type", "item/type")),
)
