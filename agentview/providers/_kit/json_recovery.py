"""Reads the bytes of one line of any log: usually one JSON value, sometimes damaged or several."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import cast

import orjson
from msgspec.structs import replace

from agentview.domain.record_ref import SourceRef
from agentview.domain.value import Value

_BOM = b"\xef\xbb\xbf"
_BLANKS = "\x00 \t\r\n"
_BLANK = _BLANKS.encode()
_BETWEEN = _BLANK + b",\x1e"
"""Bytes between values: a comma of a list, the mark of a JSON sequence."""
_DECODER = json.JSONDecoder(strict=False)
_MAX_STARTS = 16
"""How many places of a damaged line are tried as the start of a whole record."""
_PART = "a part of a record"


class JsonFragment(Value):
    """A part of a line: `raw` begins `start` bytes into it; `value` only where it could be read."""

    start: int
    raw: bytes
    value: object = None
    error: str | None = None
    lead: int = 0
    """Bytes before it that are its own: a byte order mark, and blanks around that."""


def read_pieces(
    record: bytes, begin: re.Pattern[str], is_record: Callable[[object], bool] | None = None
) -> list[JsonFragment]:
    """The JSON values of a line in order, with what lies between them; `begin` starts a record.

    Accepts a byte order mark, NUL bytes around a value, lone surrogates and invalid UTF-8 (both
    become U+FFFD), NaN, and several values on one line, with commas or without. Never raises and
    never gives nothing.

    Parts of a record may begin as records do: `is_record` distinguishes them, so that the whole
    record after a torn one is found too.
    """
    body = record.strip(_BLANK).removeprefix(_BOM).strip(_BETWEEN)
    if not body:
        return [
            JsonFragment(0, record, None, "NUL bytes" if b"\x00" in record else "an empty line")
        ]
    start = record.find(body)
    try:
        return [JsonFragment(start, body, cast("object", orjson.loads(body)))]
    except ValueError as strict:
        error = str(strict)
    # Bytes that are not UTF-8 become lone surrogates here, so that one cleaning does for both.
    text = body.decode("utf-8", "surrogateescape")
    try:
        return [JsonFragment(start, body, clean(_DECODER.decode(text)))]
    except RecursionError:
        error = "nested too deeply"
    except ValueError:
        pass
    pieces = _values(text, start, begin, is_record)
    if pieces and _BOM in record[:start]:
        pieces[0] = replace(pieces[0], lead=start)
    return pieces or [JsonFragment(0, record, None, error)]


def _values(
    text: str, start: int, begin: re.Pattern[str], is_record: Callable[[object], bool] | None
) -> list[JsonFragment]:
    """The whole records in a text, with anything else between them; empty when it has none."""
    pieces: list[JsonFragment] = []
    position = 0
    while (found := _next_value(text, position, begin, is_record)) is not None:
        first, end, value = found
        before, raw = _encoded(text[position:first]), _encoded(text[first:end])
        if before.strip(_BETWEEN):
            pieces.append(JsonFragment(start, before, None, _PART))
        pieces.append(JsonFragment(start + len(before), raw, value))
        start += len(before) + len(raw)
        position = end
    rest = _encoded(text[position:])
    if pieces and rest.strip(_BETWEEN):
        pieces.append(JsonFragment(start, rest, None, _PART))
    return pieces


def _next_value(
    text: str, position: int, begin: re.Pattern[str], is_record: Callable[[object], bool] | None
) -> tuple[int, int, object] | None:
    """Start, end and value of the first whole record at or after `position`."""
    for match in islice(begin.finditer(text, position), _MAX_STARTS):
        first = match.start()
        try:
            value, end = _DECODER.raw_decode(text, first)
            value = clean(value)
        except (ValueError, RecursionError):
            if is_record is None:
                return None
            continue
        if (
            is_record is None
            or not text[position:first].strip(_BETWEEN.decode())
            or (is_record(value) and not text[end:].strip(_BETWEEN.decode()))
        ):
            return first, end, value
    return None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def placed(
    pieces: list[JsonFragment], source: SourceRef
) -> Iterator[tuple[JsonFragment, SourceRef]]:
    """Each piece of the record at `source` with its own place; a single one has the record's."""
    for piece in pieces:
        if len(pieces) == 1:
            yield piece, source
        else:
            offset, length = piece.start - piece.lead, piece.lead + len(piece.raw)
            yield piece, replace(source, offset=source.offset + offset, length=length)


def clean(value: object) -> object:
    """The value with every lone surrogate replaced, so that it can be encoded."""
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        fields = cast("Mapping[str, object]", value)
        return {cast("str", clean(key)): clean(item) for key, item in fields.items()}
    if isinstance(value, list):
        return [clean(item) for item in cast("list[object]", value)]
    return value
