"""Records of the first versions, which have no `data`: what was said is in the record itself.

Source: logs that others wrote for their readers of this format; no genuine one was read. A line is
`{session_id, type, prompt, timestamp}`; the oldest sessions are one document each, whose list
`history` has `{role, content, time}`. Times are milliseconds.
"""

import re
from collections.abc import Sequence

from agentview.normalize.json_document import split_document
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    said_in,
    text_of,
    time_of,
)
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import members_of

_WORDS = ("prompt", "content", "text", "message", "output", "result", "response")
_TIMES = ("timestamp", "time")
_LETTERS = re.compile("[^a-z]+")
_HISTORY = b'"history"'
_FOLDER = b'"workspacePath"'
_SPEAKERS = {
    "user": "user",
    "human": "user",
    "usermessage": "user",
    "userpromptsubmitted": "user",
    "assistant": "assistant",
    "assistantmessage": "assistant",
    "assistantresponse": "assistant",
}
"""Who speaks, by the letters of a type or of a role."""


def said_by(record: Fields) -> str | None:
    """Who speaks in a record, `user` or `assistant`; None for a record of any other form."""
    named = text_of(record.get("type")) or text_of(record.get("role")) or ""
    flat = not isinstance(record.get("data"), dict) and words_of(record) is not None
    return _SPEAKERS.get(_LETTERS.sub("", named.lower())) if flat else None


def is_line(record: Fields) -> bool:
    """Return True if a record is a line of such a log, which names its session and has a time."""
    # With a role it is of another client, in the record or in a message within it.
    spoken_in = (record, fields_of(record.get("message")))
    named = isinstance(record.get("session_id"), str) and not any(
        "role" in each for each in spoken_in
    )
    return named and moment_of(record) is not None and said_by(record) is not None


def begins_document(head: bytes) -> bool:
    """Return True if a file that begins with `head` is one of the oldest sessions."""
    if _HISTORY not in head or _FOLDER not in head:
        return False
    members = members_of(head)
    items = [fields_of(each) for each in items_of(members.get("history"))]
    spoken_first = bool(items) and "role" in items[0] and said_by(items[0]) is not None
    return spoken_first and isinstance(members.get("workspacePath"), str)


def split(data: bytes) -> Sequence[Span]:
    """Start and end of each message and of what is around them. Raises ValueError."""
    return split_document(data, ("history",))


def words_of(fields: Fields) -> str | None:
    """Text of a record."""
    found = next((fields[key] for key in _WORDS if fields.get(key) is not None), None)
    return said_in(found) or text({"": found}, "")


def moment_of(fields: Fields) -> float | None:
    """The time of a record, in milliseconds or as text."""
    return time_of(next((fields[key] for key in _TIMES if key in fields), None))
