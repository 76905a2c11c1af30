"""Where sessions are, whether a file is one, and what divides it."""

from collections.abc import Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.normalize.json_document import listed_at, split_document
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments, members_of
from agentview.providers.base import CERTAIN

_HISTORY = "chatHistory"


class Sessions(JsonDocuments):
    """One document for each session; each is rewritten as a whole."""

    def probe_record(self, record: Fields) -> float:
        """By the members around the history, and the form of its first item."""
        if text_of(record.get("sessionId")) is None or _HISTORY not in record:
            return 0.0
        items = items_of(record[_HISTORY])
        return CERTAIN if not items or "exchange" in fields_of(items[0]) else 0.0

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session with the id that the document states."""
        own = text_of(members_of(head).get("sessionId"))
        return SessionRef(self.name, own or path.stem, str(path))

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each exchange, and of what is around them.

        Raises ValueError when it is not a document.
        """
        return split_document(data, (_HISTORY,) if listed_at(data, _HISTORY) else ())


DISCOVERY = Sessions("auggie")
