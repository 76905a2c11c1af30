"""Whether a file is a trajectory, and what divides it."""

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from agentview.normalize.json_document import is_list, records_in, split_document
from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments, members_of

_SURE = 0.95
_LISTS = ("trajectory", "history")
_SOURCES = frozenset({"agent", "user", "environment"})
_LOOKED_AT = 4
_BLANKS = b"\xef\xbb\xbf \t\r\n"


def _is_event(record: Fields) -> bool:
    """Whether it has the members of an action or of an observation."""
    if not isinstance(record.get("timestamp"), str) or record.get("source") not in _SOURCES:
        return False
    acts = isinstance(record.get("action"), str) and isinstance(record.get("args"), Mapping)
    saw = isinstance(record.get("observation"), str) and isinstance(record.get("extras"), Mapping)
    return acts or saw


class Trajectories(JsonDocuments):
    """Documents with a list of events; they lie where somebody put them."""

    def probe(self, head: bytes, path: Path) -> float:
        """By the forms of the first events."""
        _ = path
        if head.lstrip(_BLANKS).startswith(b"["):
            first: Sequence[Fields] = [*islice(records_in(head), _LOOKED_AT)]
        else:
            members = members_of(head)
            listed = next((key for key in _LISTS if key in members), "")
            first = [*map(fields_of, items_of(members.get(listed))[:_LOOKED_AT])]
        # The last one may be cut.
        return _SURE if first and all(map(_is_event, first[: len(first) - 1] or first)) else 0.0

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each event, and of what is around them.

        Raises ValueError when it is not a document.
        """
        return split_document(data, () if is_list(data) else _LISTS)


DISCOVERY = Trajectories("openhands_events")
