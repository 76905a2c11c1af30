"""LLM, the command line tool: its conversations in one SQLite database."""

from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.llm_logs.database import DATABASE
from agentview.providers.llm_logs.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.llm_logs.decode import LINES
    from agentview.providers.llm_logs.tools import SPECS

    return make_reading(LINES.events, lines=LINES, tools=SPECS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="LLM",
    agent="llm",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning"),
    database=DATABASE,
    resume_command=lambda ref: ("llm", "chat", "--cid", ref.session_id),
    record_type_keys=RecordTypeKeys(types=("table",)),
)
