"""OpenAI Agents SDK: sessions in SQLite, exported traces, and streams of the Responses API."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import RecordTypeKeys
from agentview.providers.openai_agents.database import DATABASE
from agentview.providers.openai_agents.decode import LINES, decode
from agentview.providers.openai_agents.discovery import DISCOVERY
from agentview.providers.openai_agents.tools import SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="OpenAI Agents SDK",
    discovery=DISCOVERY,
    decode=decode,
    tools=SPECS,
    find_tool=find_tool,
    lines=LINES,
    database=DATABASE,
    record_type_keys=RecordTypeKeys(types=("table", "object", "type", "item/type")),
)
