"""What happened: the events of one line of traffic between a client and an agent."""

import re
from dataclasses import replace
from typing import cast

import orjson

from agentview.domain.events import Event, Level, Notification, Topic, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_fields import Fields, mapping
from agentview.providers._kit.json_line import UNREADABLE, excerpt
from agentview.providers._kit.json_recovery import Piece, placed, read_pieces
from agentview.providers.acp.envelope import RECORD_START, envelope, is_message
from agentview.providers.acp.event_builder import Frame
from agentview.providers.acp.requests import message_events

_PLAIN = re.compile(rb"\s*\[([a-z]{3,12})\]\s+(?!\{)(\S.*)", re.DOTALL)
"""A line of a client's log that is no message."""
_LEVELS = {"error": Level.ERROR, "warning": Level.WARNING, "warn": Level.WARNING}
_PREFIX = re.compile(rb"[^{}\"]{1,120}?(?=\{)")


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list.

    Several messages on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    found = _PREFIX.match(record)
    prefix = found[0] if found is not None else b""
    try:
        value: object = orjson.loads(record[len(prefix) :])
    except ValueError:
        return _decode_damaged(record, source, session)
    before = prefix.decode("utf-8", "replace")
    return _decode_value(value, record[len(prefix) :], before, source, session)


def _decode_damaged(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    plain = _PLAIN.match(record)
    if plain is not None:
        words = plain[2].decode("utf-8", "replace").strip()
        level = _LEVELS.get(plain[1].decode(), Level.INFO)
        return [_outside(Notification(Topic.SYSTEM, words, level), "note", source, session)]
    events: list[Event] = []
    prefix = ""
    for piece, place in placed(read_pieces(record, RECORD_START), source):
        if piece.error is not None:
            events.append(_unreadable(piece, place, session))
            prefix = piece.raw.decode("utf-8", "replace")
        else:
            events.extend(_decode_value(piece.value, piece.raw, prefix, place, session))
    return events


def _unreadable(piece: Piece, source: SourceRef, session: SessionRef) -> Event:
    body = Unparsed(f"not a whole JSON value: {piece.error}", excerpt(piece.raw))
    return _outside(body, "unparsed", source, session)


def _outside(
    body: Unparsed | Notification, suffix: str, source: SourceRef, session: SessionRef
) -> Event:
    """An event of something that is no message."""
    return Event(suffix, session.session_id, source, body, session.stream)


def _decode_value(
    value: object, raw: bytes, prefix: str, source: SourceRef, session: SessionRef
) -> list[Event]:
    if isinstance(value, list):
        return _batch(cast("list[object]", value), raw, prefix, source, session)
    if not isinstance(value, dict):
        body = Unparsed(f"a JSON {type(value).__name__}, not an object", excerpt(raw))
        return [_outside(body, "unparsed", source, session)]
    try:
        found = envelope(cast("Fields", value), prefix)
        if found is None:
            body = Unparsed("no message of the protocol", excerpt(raw), malformed=False)
            return [_outside(body, "unknown", source, session)]
        return message_events(Frame(found, raw, source, session))
    except UNREADABLE as error:
        body = Unparsed(f"a form that could not be read: {error}", excerpt(raw))
        return [_outside(body, "unparsed", source, session)]


def _batch(
    values: list[object], raw: bytes, prefix: str, source: SourceRef, session: SessionRef
) -> list[Event]:
    """Events of several messages sent as one list."""
    events: list[Event] = []
    for number, value in enumerate(values):
        fields = mapping(value)
        if not is_message(fields):
            body = Unparsed("a list that holds no messages", excerpt(raw))
            return [_outside(body, "unparsed", source, session)]
        found = _decode_value(dict(fields), orjson.dumps(value), prefix, source, session)
        events += (replace(event, suffix=f"{number}:{event.suffix}") for event in found)
    return events or [_outside(Unparsed("an empty list", "[]"), "unparsed", source, session)]
