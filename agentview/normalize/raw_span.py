"""Finds the exact bytes of one JSON value in a record without parsing the record."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec
from msgspec import Raw

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SPACE = rb"[ \t\r\n]*+"
_SCALAR = rb"(?:" + _STRING + rb'|[^\s",:\[\]{}]++)'

_KEY = re.compile(_SPACE + rb"(" + _STRING + rb")" + _SPACE + rb":" + _SPACE, re.DOTALL)
_SCALAR_END = re.compile(_SCALAR + _SPACE + rb"([,}\]])", re.DOTALL)
_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+([\[\]{}])", re.DOTALL)
"""All up to the next bracket that is not inside a string."""

_END = re.compile(_SPACE + rb"([,}\]])")
_ALONE = re.compile(_SCALAR, re.DOTALL)
_BLANK = re.compile(_SPACE)
_CODED = re.compile(rb"\\u00[2-7]")
"""A plain character written as a code; it has no other second form."""
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_ .:-]*")

_BOM = b"\xef\xbb\xbf"
_OPENING = b"[{"

Span = tuple[int, int]


_members = msgspec.json.Decoder(dict[str, Raw]).decode
_items = msgspec.json.Decoder(list[Raw]).decode


def value_text(record: bytes, path: Sequence[str | int]) -> bytes | None:
    """The exact text of the value at `path`, as `value_span` finds it, and None where it does."""
    found: Raw | None = Raw(record)
    try:
        for step in path:
            if isinstance(step, str):
                found = _members(found).get(step)
            else:
                items = _items(found)
                found = items[step] if 0 <= step < len(items) else None
            if found is None:
                return None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Of a record that is not JSON elsewhere.
        found = None
    if found is not None and path:
        return bytes(found)
    span = value_span(record, path)
    return record[span[0] : span[1]] if span is not None else None


def value_span(record: bytes, path: Sequence[str | int]) -> Span | None:
    """Start and end of the value at `path` (keys and indexes from the root) in `record`.

    Of a key that occurs twice the last counts, as it does for a parser. Linear in the size of the
    record times the length of the path, without recursion. None where the record has no such
    value, or is not JSON as far as it had to be read; a record that is not JSON elsewhere may
    still give a span.
    """
    start: int | None = _blank_end(record, len(_BOM) if record.startswith(_BOM) else 0)
    for step in path:
        if start is None:
            return None
        opening = record[start : start + 1]
        if isinstance(step, str):
            start = _member(record, start, step) if opening == b"{" else None
        else:
            start = _element(record, start, step) if opening == b"[" else None
    if start is None:
        return None
    end = _value_end(record, start)
    if end is None or (path and end == len(record)):
        return None
    return start, end


def value_start(record: bytes, key: str) -> int | None:
    """Start of the value of a key of the outer object, as `value_span` finds it."""
    start = _blank_end(record, len(_BOM) if record.startswith(_BOM) else 0)
    return _member(record, start, key) if record[start : start + 1] == b"{" else None


def element_spans(record: bytes, start: int) -> list[Span]:
    """Start and end of each element of the array at `start` of a record that is JSON."""
    return list(elements(record, start))


def elements(record: bytes, start: int) -> Iterator[Span]:
    """The same one by one, for who needs but the first."""
    position: int | None = start + 1
    while position is not None:
        begin = _blank_end(record, position)
        end = None if record[begin : begin + 1] == b"]" else _value_end(record, begin)
        if end is None:
            break
        yield begin, end
        match = _END.match(record, end)
        position = match.end() if match is not None and match[1] == b"," else None


def value_spans(record: bytes) -> Iterator[Span]:
    """Start and end of each value of a text that has one after another; the last may be cut."""
    position = _blank_end(record, len(_BOM) if record.startswith(_BOM) else 0)
    while position < len(record):
        end = _value_end(record, position) or len(record)
        yield position, end
        position = _blank_end(record, end)
        while record[position : position + 1] in (b",", b"\x1e"):
            position = _blank_end(record, position + 1)


def _blank_end(record: bytes, start: int) -> int:
    match = _BLANK.match(record, start)
    return match.end() if match is not None else start


def _value_end(record: bytes, start: int) -> int | None:
    """Just after the value at `start`."""
    if record[start : start + 1] in (b"{", b"["):
        return _container_end(record, start)
    match = _ALONE.match(record, start)
    return match.end() if match is not None else None


def _container_end(record: bytes, start: int) -> int | None:
    """Just after the bracket that closes the one at `start`."""
    depth = 0
    for match in _BRACKET.finditer(record, start):
        if match[1] in _OPENING:
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return match.end()
    return None


def _next(record: bytes, start: int, closing: bytes) -> int | None:
    """Just after the comma behind the value at `start`; None where the container ends there.

    Raises ValueError when neither a comma nor `closing` follows.
    """
    if record[start : start + 1] in (b"{", b"["):
        end = _container_end(record, start)
        match = _END.match(record, end) if end is not None else None
    else:
        match = _SCALAR_END.match(record, start)
    if match is None or match[1] not in (b",", closing):
        raise ValueError(start)
    return match.end() if match[1] == b"," else None


def _member(record: bytes, start: int, key: str) -> int | None:
    """Start of the last value of `key` in the object at `start`."""
    wanted, again = _key_form(key)
    found: int | None = None
    position: int | None = start + 1
    while position is not None:
        match = _KEY.match(record, position)
        if match is None:
            return None
        raw = match[1]
        if raw == wanted or (b"\\" in raw and _same_key(raw, key)):
            found = match.end()
            # Most records name a key once: then reading on to the end is unnecessary.
            if again is not None:
                if not _occurs(record, found, again):
                    return found
                again = None
        try:
            position = _next(record, match.end(), b"}")
        except ValueError:
            return None
    return found


@lru_cache(maxsize=64)
def _key_form(key: str) -> tuple[bytes, re.Pattern[bytes] | None]:
    """The key as most writers write it, and a pattern to find it by, unless it needs escapes."""
    wanted = json.dumps(key, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if _PLAIN_KEY.fullmatch(key) is None:
        return wanted, None
    return wanted, re.compile(re.escape(wanted) + _SPACE + rb":")


def _occurs(record: bytes, start: int, again: re.Pattern[bytes]) -> bool:
    return again.search(record, start) is not None or _CODED.search(record, start) is not None


def _same_key(raw: bytes, key: str) -> bool:
    try:
        return json.loads(raw) == key
    except ValueError:
        return False


def _element(record: bytes, start: int, index: int) -> int | None:
    """Start of element `index` of the array at `start`."""
    position: int | None = start + 1
    while position is not None and index >= 0:
        begin = _blank_end(record, position)
        if record[begin : begin + 1] == b"]":
            return None
        if index == 0:
            return begin
        try:
            position = _next(record, begin, b"]")
        except ValueError:
            return None
        index -= 1
    return None
