"""What happened: the events of one record of a stream, a transcript, or of the SDK's messages."""

import re
from typing import cast

import orjson

from agentview.domain.events import Event, Unparsed
from agentview.domain.session import SessionRef
from agentview.domain.source import SourceRef
from agentview.normalize.pieces import Piece, placed, read_pieces
from agentview.normalize.values import Fields, fields_of, text_of
from agentview.providers.cursor.frame import Frame, excerpt, record_id_of
from agentview.providers.cursor.plain import is_plain, plain_events
from agentview.providers.cursor.stream import stream_events
from agentview.providers.cursor.transcript import transcript_events

_RECORD_START = re.compile(r'\{\s*"(?:type|role|subtype|message|session_id|agent_id|run_id)"\s*:')
_UNREADABLE = (
    ValueError, TypeError, KeyError, AttributeError, IndexError, ArithmeticError, RecursionError,
)  # fmt: skip
"""What a record of another form than the known ones may lead to."""


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list.

    Several records on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    try:
        value: object = orjson.loads(record)
    except ValueError:
        if is_plain(record):
            return plain_events(Frame({}, record, source, session))
        return _decode_damaged(record, source, session)
    return _decode_value(value, record, source, session)


def _decode_damaged(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    events: list[Event] = []
    for piece, place in placed(read_pieces(record, _RECORD_START), source):
        if piece.error is not None:
            events.append(_unreadable(piece, place, session))
        else:
            events.extend(_decode_value(piece.value, piece.raw, place, session))
    return events


def _unreadable(piece: Piece, source: SourceRef, session: SessionRef) -> Event:
    body = Unparsed(f"not a whole JSON value: {piece.error}", excerpt(piece.raw))
    return _outside(body, source, session)


def _outside(body: Unparsed, source: SourceRef, session: SessionRef) -> Event:
    """An event of something that is no record."""
    return Event(
        suffix="unparsed",
        session_id=session.session_id,
        source=source,
        body=body,
        stream=session.stream,
        record_id=record_id_of(source, session),
    )


def _decode_value(value: object, raw: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    if not isinstance(value, dict):
        body = Unparsed(f"a JSON {type(value).__name__}, not an object", excerpt(raw))
        return [_outside(body, source, session)]
    try:
        return _record_events(Frame(cast("Fields", value), raw, source, session))
    except _UNREADABLE as error:
        body = Unparsed(f"a form that could not be read: {error}", excerpt(raw))
        return [_outside(body, source, session)]


def _record_events(frame: Frame) -> list[Event]:
    record_type = text_of(frame.fields.get("type"))
    if record_type is not None:
        return stream_events(frame, record_type)
    if "role" in frame.fields and fields_of(frame.fields.get("message")):
        return transcript_events(frame)
    return [frame.unknown("(none)")]
