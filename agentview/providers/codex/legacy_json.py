"""Sessions of the first client, in TypeScript (April to June 2025): one JSON document, rewritten.

`{"session": {"timestamp", "id", "instructions"}, "items": [...]}` with items as in later logs, none
of which has a time.
"""

import re
from collections.abc import Iterator, Sequence

from agentview.normalize.json_document import items_in, outer_members, split_document
from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.normalize.partial_json import begun
from agentview.normalize.raw_span import Span

_LISTS = ("items",)
_BLANK = b"\xef\xbb\xbf \t\r\n"
_BEGIN_BYTES = 65_536
_SESSION = frozenset({"timestamp", "instructions"})
_ITEM = re.compile(r'\{\s*"(?:id|type|role|call_id)"\s*:')
_ITEM_TYPES = frozenset({"message", "reasoning", "function_call", "function_call_output"})


def is_document(head: bytes) -> bool:
    """Return True if a file that begins with `head` is such a document."""
    if head.lstrip(_BLANK)[:1] != b"{" or b'"session"' not in head or b'"items"' not in head:
        return False
    session = fields_of(members_in(head[:_BEGIN_BYTES]).get("session"))
    return "id" in session and not _SESSION.isdisjoint(session)


def members_in(head: bytes) -> Fields:
    """Members of a document as far as `head` has them; the last item may be cut."""
    return dict(begun(head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")) or {})


def header_in(record: bytes) -> Fields | None:
    """The session, where a record stands around the items, or what else does; None for any other.

    Nothing is in it where the record has no part of the session.
    """
    text = record.strip(_BLANK)
    if not (text.startswith(b"]") or text.endswith(b"[")):
        return None
    members = outer_members(text) or {}
    # A torn line may end like the beginning of a document.
    if not members or (text.endswith(b"[") and members.get(_LISTS[0]) != []):
        return None
    return fields_of(members.get("session"))


def split(data: bytes) -> Sequence[Span]:
    """Start and end of each record. Raises ValueError when it is not a document."""
    return split_document(data, _LISTS)


def items_at_ends(head: bytes, tail: bytes) -> Iterator[Fields]:
    """Items that stand whole in the beginning of a document, and in its end."""
    listed = [fields_of(item) for item in items_of(members_in(head).get("items"))]
    yield from (item for item in listed if str(item.get("type")) in _ITEM_TYPES or "role" in item)
    yield from items_in(tail, _ITEM, _ITEM_TYPES)
