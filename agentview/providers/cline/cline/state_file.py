"""Reads the file next to the messages of a session: the client's process, and its turn."""

import orjson

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import fields_of, text_of, time_of, whole_of
from agentview.providers.base import ListedClient, LiveRegistry

# Measured on 3.0.65 in its terminal interface: the file is rewritten at each change of the status
# and stays at exit. A session whose process was killed keeps its status until another process of
# the client finds it.

_MESSAGES = ".messages.json"
_SAID = {
    "idle": Activity.IDLE,
    "pending": Activity.APPROVAL,
    "running": Activity.IN_TURN,
}
"""Values of `status` of a session that is not over; an open question leaves `running`."""


def _file(log: str) -> str | None:
    return f"{log.removesuffix(_MESSAGES)}.json" if log.endswith(_MESSAGES) else None


def _entry(data: bytes, name: str) -> ListedClient | None:
    try:
        said = fields_of(orjson.loads(data))
    except ValueError:
        return None
    session_id, pid = text_of(said.get("session_id")), whole_of(said.get("pid"))
    if session_id is None or pid is None or pid < 1 or name != f"{session_id}.json":
        return None
    ended = time_of(said.get("ended_at"))
    return ListedClient(
        session_id,
        pid,
        activity=_SAID.get(text_of(said.get("status")) or ""),
        since=ended,
        cwd=text_of(said.get("cwd")),
        over=ended is not None,
    )


STATE_FILE = LiveRegistry(
    directory=_file,
    is_entry=lambda name: name.endswith(".json"),
    entry=_entry,
    lists=lambda _: False,
    is_file=True,
)
