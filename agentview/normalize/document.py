"""Divides a log that is one JSON document into records, each a piece of its bytes.

A document `{"id": 1, "messages": [A, B], "end": 2}` gives the records `{"id": 1, "messages": [`,
`A`, `B` and `], "end": 2}`, so that each lies somewhere in the file and can be read again there.
"""

from collections.abc import Mapping, Sequence
from typing import cast

import orjson

from agentview.normalize.partial import begun
from agentview.normalize.spans import Span, element_spans, value_span

_FRAMING = b" \t\r\n[]{},"


def split_document(data: bytes, keys: Sequence[str] = ()) -> list[Span]:
    """Start and end of each record of a document: what is around the list of items, and the items.

    `keys` names members of the outer object that may hold that list, the first that does counts;
    an outer list needs none. Brackets and blanks alone are no record. A document without such a
    list is one record. Raises ValueError when `data` is not JSON.
    """
    orjson.loads(data)
    paths = [(), *((key,) for key in keys)]
    spans = (value_span(data, path) for path in paths)
    items = next((span for span in spans if span and data[span[0] : span[0] + 1] == b"["), None)
    if items is None:
        return [(0, len(data))]
    inner = element_spans(data, items[0])
    outer = ((0, items[0] + 1), (items[1] - 1, len(data)))
    head, tail = ([span] if data[slice(*span)].strip(_FRAMING) else [] for span in outer)
    return [*head, *inner, *tail]


def outer_members(record: bytes) -> Mapping[str, object] | None:
    """Members of the outer object that a record around the list holds; None for any other record.

    The list itself is among those of the record before it, and empty.
    """
    text = record.decode("utf-8", "replace").strip()
    if text.startswith("{") and text.endswith("["):
        return begun(text)
    if not text.startswith("]"):
        return None
    try:
        members: object = orjson.loads("{" + text[1:].lstrip().removeprefix(","))
    except ValueError:
        return None
    return cast("dict[str, object]", members) if isinstance(members, dict) else None
