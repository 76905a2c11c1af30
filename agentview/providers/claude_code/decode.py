"""What happened: the events of one line of a session log."""

from dataclasses import replace
from typing import cast

import orjson

from agentview.dialects.claude.assistant import assistant_events
from agentview.dialects.claude.frame import Frame, excerpt, text_of
from agentview.dialects.claude.parsing import Fields, Piece, read_pieces
from agentview.dialects.claude.person import user_events
from agentview.domain.events import Event, Unparsed
from agentview.domain.session import SessionRef
from agentview.domain.source import SourceRef
from agentview.providers.claude_code.attachments import attachment_events
from agentview.providers.claude_code.progress import progress_events
from agentview.providers.claude_code.state import state_events
from agentview.providers.claude_code.system import system_events


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list.

    Two records on one line are both decoded; what cannot be read becomes `Unparsed`.
    """
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return _decode_damaged(record, source, session)
    return decode_parsed(value, record, source, session)


def _decode_damaged(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    pieces = read_pieces(record)
    events: list[Event] = []
    for piece in pieces:
        place = source
        if len(pieces) > 1:
            place = replace(source, offset=source.offset + piece.start, length=len(piece.raw))
        if piece.error is not None:
            events.append(_unreadable(piece, place, session))
        else:
            events.extend(decode_parsed(piece.value, piece.raw, place, session))
    return events


def _unreadable(piece: Piece, source: SourceRef, session: SessionRef) -> Event:
    body = Unparsed(f"not a whole JSON value: {piece.error}", excerpt(piece.raw))
    return _outside(body, source, session)


def _outside(body: Unparsed, source: SourceRef, session: SessionRef) -> Event:
    """An event of something that has no envelope."""
    return Event("unparsed", session.session_id, source, body, session.stream)


def decode_parsed(value: object, raw: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of a JSON value whose text is `raw`."""
    if not isinstance(value, dict):
        body = Unparsed(f"a JSON {_kind(value)}, not an object", excerpt(raw))
        return [_outside(body, source, session)]
    try:
        return _decode_record(cast("Fields", value), raw, source, session)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, ArithmeticError) as error:
        body = Unparsed(f"a form that could not be read: {error}", excerpt(raw))
        return [_outside(body, source, session)]


def _decode_record(
    fields: Fields, raw: bytes, source: SourceRef, session: SessionRef
) -> list[Event]:
    frame = Frame(fields, raw, source, session)
    record_type = fields.get("type")
    if record_type == "assistant":
        return assistant_events(frame)
    if record_type == "user":
        return user_events(frame)
    if record_type == "progress":
        return progress_events(frame, session)
    if record_type == "system":
        return system_events(frame)
    if record_type == "attachment":
        return attachment_events(frame)
    name = text_of(record_type)
    if name is None:
        return [frame.unknown("(none)")]
    found = state_events(frame, name)
    return found if found is not None else [frame.unknown(name)]


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return "list"
    if isinstance(value, bool):
        return "truth value"
    return "text" if isinstance(value, str) else "number"
