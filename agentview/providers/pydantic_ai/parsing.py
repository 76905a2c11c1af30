"""Reads the bytes of one line: usually one JSON object, sometimes damaged, glued or both."""

import json
import re
from collections.abc import Mapping
from typing import cast

import orjson

from agentview.domain.value import Value

_BOM = b"\xef\xbb\xbf"
_BLANK = b"\x00 \t\r\n"
_DECODER = json.JSONDecoder(strict=False)
_START = re.compile(
    r'\{\s*"(?:kind|parts|part|index|event_kind|seq|agent|type|worker|tool_name)"\s*:'
)
_MAX_STARTS = 16
"""How many places of a damaged line are tried as the start of a whole record."""


class Piece(Value):
    """A part of a line: `raw` begins `start` bytes into it; `value` only where it could be read."""

    start: int
    raw: bytes
    value: object = None
    error: str | None = None


def read_pieces(record: bytes) -> list[Piece]:
    """The JSON values of a line that is not plainly one, in order, with what lies between them.

    Accepts a byte order mark, NUL bytes around a value, lone surrogates and invalid UTF-8 (both
    become U+FFFD), NaN, and several values on one line. Never raises and never gives nothing.
    """
    body = record.strip(_BLANK).removeprefix(_BOM).strip(_BLANK)
    if not body:
        return [Piece(0, record, None, "NUL bytes" if b"\x00" in record else "an empty line")]
    start = record.find(body)
    try:
        return [Piece(start, body, cast("object", orjson.loads(body)))]
    except ValueError as strict:
        error = str(strict)
    pieces = _values(body.decode("utf-8", "surrogateescape"), start)
    return pieces or [Piece(0, record, None, error)]


def _values(text: str, start: int) -> list[Piece]:
    """The whole records in a text, with anything else between them; empty when it has none."""
    pieces: list[Piece] = []
    position = 0
    found = False
    for _ in range(_MAX_STARTS):
        match = _START.search(text, position)
        if match is None:
            break
        try:
            found_value, end = _DECODER.raw_decode(text, match.start())
            value = clean(found_value)
        except (ValueError, RecursionError):
            break
        pieces += _between(text, position, match.start(), start)
        raw = text[match.start() : end].encode("utf-8", "surrogateescape")
        pieces.append(Piece(start + _width(text[: match.start()]), raw, value))
        position, found = end, True
    pieces += _between(text, position, len(text), start)
    return pieces if found else []


def _between(text: str, begin: int, end: int, start: int) -> list[Piece]:
    """What lies between two records, unless it is blank."""
    if not text[begin:end].strip("\x00 \t\r\n"):
        return []
    raw = text[begin:end].encode("utf-8", "surrogateescape")
    return [Piece(start + _width(text[:begin]), raw, None, "a part of a record")]


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


def _width(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
