"""Cursor's chats: what its command line keeps of a conversation, in a database for each."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.cursor.cursor_chats.database import DATABASE
from agentview.providers.cursor.cursor_chats.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.cursor.cursor_chats.decode import LINES, decode
    from agentview.providers.cursor.shared import results, tools

    return make_reading(
        decode, lines=LINES, tools=tools.SPECS, find_tool=tools.find_tool, results=results.BY_KIND
    )


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Cursor CLI",
    agent="cursor",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("reasoning", "compaction"),
    resume_command=resume_with("cursor-agent", "--resume"),
    database=DATABASE,
    record_type_keys=RecordTypeKeys(types=("table", "message/role")),
    programs=("cursor-agent",),
)
