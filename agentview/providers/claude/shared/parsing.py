"""Reads the bytes of one line: usually one JSON object, sometimes damaged, glued or both."""

import json
import re
from typing import cast

import orjson

from agentview.providers._kit.json_recovery import Piece, clean, damaged, whole

_BOM = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder(strict=False)
_RECORD_START = re.compile(
    r'\{"(?:type|parentUuid|sessionId|session_id|uuid|timestamp|isSidechain)"\s*:'
)
_MAX_STARTS = 16
"""How many places of a damaged line are tried as the start of a whole record."""


def read_pieces(record: bytes) -> list[Piece]:
    """The JSON values of a line that is not plainly one, in order, with what lies between them.

    Accepts a byte order mark, NUL bytes around a value, lone surrogates and invalid UTF-8 (both
    become U+FFFD), NaN, and several values on one line. Never raises and never gives nothing.
    """
    body = record.strip(b"\x00 \t\r\n")
    body = body.removeprefix(_BOM).strip(b"\x00 \t\r\n")
    if not body:
        return [Piece(0, record, None, "NUL bytes" if b"\x00" in record else "an empty line")]
    start = record.find(body)
    value, error = _load(body)
    if error is None:
        return [Piece(start, body, value)]
    pieces = _split(body, start)
    return pieces or [Piece(0, record, None, error)]


def _load(body: bytes) -> tuple[object, str | None]:
    try:
        return cast("object", orjson.loads(body)), None
    except ValueError as strict_error:
        error = str(strict_error)
    try:
        # Bytes that are not UTF-8 become lone surrogates here, so that one cleaning does for both.
        loose: object = _DECODER.decode(body.decode("utf-8", "surrogateescape"))
        return clean(loose), None
    except RecursionError:
        return None, "nested too deeply"
    except ValueError:
        return None, error


def _split(body: bytes, start: int) -> list[Piece]:
    """The whole records of a line with anything else between them; empty when it has none."""
    text = body.decode("utf-8", "surrogateescape")
    pieces: list[Piece] = []
    position = 0
    found = False
    while position < len(text):
        first = _next_record(text, position)
        if first is None:
            break
        begin, end, value = first
        if text[position:begin].strip():
            pieces.append(damaged(text, position, begin, start))
        pieces.append(whole(text, begin, end, start, value))
        found = True
        position = end
    if not found:
        return []
    if text[position:].strip():
        pieces.append(damaged(text, position, len(text), start))
    return pieces


def _next_record(text: str, position: int) -> tuple[int, int, object] | None:
    """Start, end and value of the first whole record at or after `position`."""
    for number, match in enumerate(_RECORD_START.finditer(text, position)):
        if number >= _MAX_STARTS:
            return None
        try:
            value, end = _DECODER.raw_decode(text, match.start())
            value = clean(value)
        except (ValueError, RecursionError):
            continue
        at_start = not text[position : match.start()].strip()
        if at_start or (_is_whole(value) and not text[end:].strip()):
            return match.start(), end, value
    return None


def _is_whole(value: object) -> bool:
    """Whether a value inside a damaged line is a record and not a part of one."""
    named = ("uuid", "sessionId", "session_id")
    return isinstance(value, dict) and "type" in value and any(key in value for key in named)
