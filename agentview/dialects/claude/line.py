"""From the bytes of a line to events, whatever the line holds; records are left to the provider."""

from collections.abc import Callable
from typing import cast

import orjson

from agentview.dialects.claude.frame import excerpt
from agentview.dialects.claude.parsing import read_pieces
from agentview.domain.events import Event, Unparsed
from agentview.domain.session import SessionRef
from agentview.domain.source import SourceRef
from agentview.normalize.pieces import Piece, placed
from agentview.normalize.values import Fields

DecodeRecord = Callable[[Fields, bytes, SourceRef, SessionRef], list[Event]]
"""Events of an object with its text; at least one. It may raise what a form it cannot read does."""


def line_events(
    line: bytes, source: SourceRef, session: SessionRef, decode_record: DecodeRecord
) -> list[Event]:
    """Events of one line: never raises, never gives an empty list.

    Two records on one line are both decoded; what cannot be read becomes `Unparsed`.
    """
    try:
        value: object = orjson.loads(line)
    except ValueError:
        return _damaged(line, source, session, decode_record)
    return value_events(value, line, source, session, decode_record)


def value_events(
    value: object, raw: bytes, source: SourceRef, session: SessionRef, decode_record: DecodeRecord
) -> list[Event]:
    """Events of a JSON value whose text is `raw`."""
    if not isinstance(value, dict):
        body = Unparsed(f"a JSON {_kind(value)}, not an object", excerpt(raw))
        return [_outside(body, source, session)]
    try:
        return decode_record(cast("Fields", value), raw, source, session)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, ArithmeticError) as error:
        body = Unparsed(f"a form that could not be read: {error}", excerpt(raw))
        return [_outside(body, source, session)]


def _damaged(
    line: bytes, source: SourceRef, session: SessionRef, decode_record: DecodeRecord
) -> list[Event]:
    events: list[Event] = []
    for piece, place in placed(read_pieces(line), source):
        if piece.error is not None:
            events.append(_unreadable(piece, place, session))
        else:
            events.extend(value_events(piece.value, piece.raw, place, session, decode_record))
    return events


def _unreadable(piece: Piece, source: SourceRef, session: SessionRef) -> Event:
    body = Unparsed(f"not a whole JSON value: {piece.error}", excerpt(piece.raw))
    return _outside(body, source, session)


def _outside(body: Unparsed, source: SourceRef, session: SessionRef) -> Event:
    """An event of something that has no envelope."""
    return Event("unparsed", session.session_id, source, body, session.stream)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return "list"
    if isinstance(value, bool):
        return "truth value"
    return "text" if isinstance(value, str) else "number"
