"""Where threads are, whether a file is one, and what divides it."""

import re
from collections.abc import Sequence
from pathlib import Path

from agentview.normalize.json_document import split_document
from agentview.normalize.json_values import fields_of, items_of, text_of
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments, members_of

_SURE = 0.97
_LIKELY = 0.85
_ID = re.compile(r"T-[0-9a-f-]{8,40}", re.IGNORECASE)
_MARKS = frozenset({"messageId", "state", "usage"})


class Threads(JsonDocuments):
    """`T-<id>.json`, which the client writes again as a thread continues."""

    least = _LIKELY

    def probe(self, head: bytes, path: Path) -> float:
        """By the form of the id, and by the keys of a message where there is one."""
        _ = path
        if b'"T-' not in head:
            return 0.0
        members = members_of(head)
        if _ID.fullmatch(text_of(members.get("id")) or "") is None:
            return 0.0
        messages = [fields_of(item) for item in items_of(members.get("messages"))]
        if any("content" in each and not _MARKS.isdisjoint(each) for each in messages):
            return _SURE
        return _LIKELY if "created" in members and ("v" in members or messages) else 0.0

    def session_id(self, head: bytes) -> str | None:
        """The id of the thread."""
        return text_of(members_of(head).get("id"))

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each message, and of what is around them. Raises ValueError."""
        return split_document(data, ("messages",))


DISCOVERY = Threads("amp")
