"""Reads the bytes of one line of any log: usually one JSON value, sometimes damaged or several."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

import orjson

from agentview.domain.record_ref import SourceRef
from agentview.domain.value import Value

_BOM = b"\xef\xbb\xbf"
_BLANK = b"\x00 \t\r\n"
_DECODER = json.JSONDecoder(strict=False)
_MAX_STARTS = 16
"""How many places of a damaged line are tried as the start of a whole record."""


class Piece(Value):
    """A part of a line: `raw` begins `start` bytes into it; `value` only where it could be read."""

    start: int
    raw: bytes
    value: object = None
    error: str | None = None


def read_pieces(record: bytes, begin: re.Pattern[str]) -> list[Piece]:
    """The JSON values of a line in order, with what lies between them; `begin` starts a record.

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
    text = body.decode("utf-8", "surrogateescape")
    return _values(text, start, begin) or [Piece(0, record, None, error)]


def _values(text: str, start: int, begin: re.Pattern[str]) -> list[Piece]:
    """The whole records in a text, with anything else between them; empty when it has none."""
    pieces: list[Piece] = []
    position = 0
    found = False
    for _ in range(_MAX_STARTS):
        match = begin.search(text, position)
        if match is None:
            break
        try:
            loose, end = _DECODER.raw_decode(text, match.start())
            value = clean(loose)
        except (ValueError, RecursionError):
            break
        if text[position : match.start()].strip("\x00 \t\r\n"):
            pieces.append(damaged(text, position, match.start(), start))
        pieces.append(whole(text, match.start(), end, start, value))
        position, found = end, True
    if text[position:].strip("\x00 \t\r\n"):
        pieces.append(damaged(text, position, len(text), start))
    return pieces if found else []


def placed(pieces: list[Piece], source: SourceRef) -> Iterator[tuple[Piece, SourceRef]]:
    """Each piece of the record at `source` with its own place; a single one has the record's."""
    for piece in pieces:
        if len(pieces) == 1:
            yield piece, source
        else:
            place = replace(source, offset=source.offset + piece.start, length=len(piece.raw))
            yield piece, place


def whole(text: str, begin: int, end: int, start: int, value: object) -> Piece:
    """The part of a text that was read as `value`; the text begins `start` bytes into its line."""
    raw = text[begin:end].encode("utf-8", "surrogateescape")
    return Piece(start + _width(text[:begin]), raw, value)


def damaged(text: str, begin: int, end: int, start: int) -> Piece:
    """The part of a text that could not be read; see `whole`."""
    raw = text[begin:end].encode("utf-8", "surrogateescape")
    return Piece(start + _width(text[:begin]), raw, None, "a part of a record")


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
