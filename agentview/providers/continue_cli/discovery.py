"""Where sessions are, whether a file is one, and what divides it."""

from collections.abc import Sequence

from agentview.normalize.json_document import listed_at, split_document
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments, members_of

_SURE, _LIKELY = 0.97, 0.8
_ITEM = frozenset({"message", "contextItems"})


class Sessions(JsonDocuments):
    """One document for each session, next to a list of them."""

    other_files = frozenset({"sessions.json"})

    def probe_record(self, record: Fields) -> float:
        """By the members of a session, and the form of the first item of its history."""
        if "history" not in record:
            return 0.0
        items = items_of(record["history"])
        first = set(fields_of(items[0])) if items else None
        if text_of(record.get("sessionId")) is None or "workspaceDirectory" not in record:
            # They may stand behind a history that is longer than what was read.
            return _LIKELY if first is not None and first >= _ITEM else 0.0
        return _SURE if first is None or first & _ITEM else 0.0

    def session_id(self, head: bytes) -> str | None:
        return text_of(members_of(head).get("sessionId"))

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each item of the history, and of what is around it.

        Raises ValueError when it is not a document.
        """
        return split_document(data, ("history",) if listed_at(data, "history") else ())


DISCOVERY = Sessions("continue_cli")
