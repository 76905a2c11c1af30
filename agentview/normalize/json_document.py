"""Divides a log that is one JSON document into records, each a piece of its bytes.

A document `{"id": 1, "messages": [A, B], "end": 2}` gives the records `{"id": 1, "messages": [`,
`A`, `B` and `], "end": 2}`, so that each lies somewhere in the file and can be read again there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from json import JSONDecoder
from typing import cast

import msgspec
import orjson

from agentview.normalize.json_values import AROUND_RECORD, Fields, fields_of, text_of
from agentview.normalize.partial_json import begun, load, readable
from agentview.normalize.raw_span import Span, element_spans, elements, value_span, value_start

_BOM = b"\xef\xbb\xbf"
_FRAMING = _BOM + b" \t\r\n[]{},"
_BLANKS = _BOM + b"\x00 \t\r\n"
_BETWEEN = re.compile(rb"[ \t\r\n,]*")
_DECODER = JSONDecoder(strict=False)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
"""Both check the whole text, and make nothing of what is in it."""
_LOOKED_AT = 200
"""Places that are looked at in the end of a document."""


def split_document(data: bytes, keys: Sequence[str] = ()) -> list[Span]:
    """Start and end of each record of a document: what is around the list of items, and the items.

    `keys` names members of the outer object that may hold that list, the first that does counts;
    an outer list needs none. Brackets, blanks and a byte order mark alone are no record. A document
    without such a list is one record. Raises ValueError when `data` is not JSON.
    """
    try:
        found = _items(data, keys)
    except ValueError:
        whole = readable(data)
        if whole == data:
            raise
        data, found = whole, _items(whole, keys)
    if found is None:
        return [(0, len(data))]
    start, items = found
    inner: list[Span] = []
    end = start + 1
    for length in items:
        # Nothing but blanks and commas is between two of them, so that lengths say where they are.
        begin = _BETWEEN.match(data, end).end()  # type: ignore[union-attr]
        end = begin + length
        inner.append((begin, end))
    close = data.index(b"]", end)
    outer = ((0, start + 1), (close, len(data)))
    head, tail = ([span] if data[slice(*span)].strip(_FRAMING) else [] for span in outer)
    return [*head, *inner, *tail]


def listed_at(data: bytes, key: str) -> list[Span]:
    """Start and end of each item of the list that is a member of the outer object; else none."""
    start = value_start(data, key)
    listed = start is not None and data[start : start + 1] == b"["
    return element_spans(data, start) if start is not None and listed else []


def objects_at(data: bytes, spans: Sequence[Span]) -> list[Fields]:
    """The object at each place; an empty one for any other value, and for what cannot be read."""
    return [fields_of(_value(data[start:end])) for start, end in spans]


def _items(data: bytes, keys: Sequence[str]) -> tuple[int, list[int]] | None:
    """Offset of a document's list and lengths of its items. Raises ValueError for invalid JSON."""
    try:
        return _decoded_items(data, keys)
    except RecursionError:
        return _scanned_items(data, keys)


def _decoded_items(data: bytes, keys: Sequence[str]) -> tuple[int, list[int]] | None:
    text = memoryview(data)[len(_BOM) if data.startswith(_BOM) else 0 :]
    if _first(data) == b"[":
        return data.index(b"["), _lengths(_LIST.decode(text))
    members = _OBJECT.decode(text) if _first(data) == b"{" else {}
    if not members:
        orjson.loads(text)
    for key in keys:
        value = members.get(key)
        start = value_start(data, key) if value is not None else None
        if value is not None and start is not None and data[start : start + 1] == b"[":
            return start, _lengths(_LIST.decode(value))
    return None


def _lengths(items: Sequence[msgspec.Raw]) -> list[int]:
    return [len(memoryview(item)) for item in items]


def _scanned_items(data: bytes, keys: Sequence[str]) -> tuple[int, list[int]] | None:
    """The same by the brackets alone, of a document that is nested too deeply for a decoder."""
    whole = value_span(data, ())
    if whole is None or data[whole[1] :].strip(_BLANKS):
        raise ValueError("truncated, or more than one value")
    starts = [whole[0]] if _first(data) == b"[" else [value_start(data, key) for key in keys]
    lists = (start for start in starts if start is not None and data[start : start + 1] == b"[")
    start = next(lists, None)
    if start is None:
        return None
    return start, [end - begin for begin, end in element_spans(data, start)]


def _first(data: bytes) -> bytes:
    return data[:64].lstrip(_BLANKS)[:1] or data.lstrip(_BLANKS)[:1]


def outer_members(record: bytes) -> Mapping[str, object] | None:
    """Members of the outer object that a record around the list holds; None for any other record.

    The list itself is among those of the record before it, and empty.
    """
    text = record.decode("utf-8", "replace").strip()
    if text.startswith("{") and text.endswith("["):
        return begun(text)
    if not text.startswith("]"):
        return None
    inner = "{" + text[1:].lstrip().removeprefix(",")
    if inner.endswith("["):
        # It stands between two lists.
        return begun(inner)
    try:
        members = load(inner)
    except ValueError:
        return None
    return cast("dict[str, object]", members) if isinstance(members, dict) else None


def is_list(head: bytes) -> bool:
    return head.lstrip(_BLANKS).startswith(b"[")


def records_in(block: bytes) -> Iterator[Fields]:
    """The whole objects of a block of lines, or of the beginning of a list; the rest is left."""
    body = block.lstrip(_BLANKS)
    if body.startswith(b"["):
        yield from _listed(body)
        return
    for line in body.split(b"\n"):
        try:
            value: object = orjson.loads(line.strip(AROUND_RECORD))
        except ValueError:
            continue
        if isinstance(value, dict):
            yield cast("Fields", value)


def _listed(body: bytes) -> Iterator[Fields]:
    for start, end in elements(body, 0):
        value = _value(body[start:end])
        if value is None:
            continue
        if not isinstance(value, dict):
            return
        yield cast("Fields", value)


def _value(text: bytes) -> object:
    """The value of a text; None where it cannot be read."""
    try:
        return load(text)
    except ValueError:
        pass
    try:
        return cast("object", _DECODER.decode(text.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None


def items_in(tail: bytes, begins: re.Pattern[str], types: frozenset[str]) -> Iterator[Fields]:
    """The objects of these types that stand whole in the end of a document, which is cut anywhere.

    `begins` finds where one may begin; of one that is another type the inner ones are looked at.
    """
    text = tail.decode("utf-8", "replace")
    position = 0
    for _ in range(_LOOKED_AT):
        match = begins.search(text, position)
        if match is None:
            return
        position = match.end()
        try:
            value, end = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        item = fields_of(cast("object", value))
        if text_of(item.get("type")) in types:
            position = end
            yield item
