"""From the bytes of a line to events, whatever the line holds; records are left to the provider."""

from collections.abc import Callable
from typing import cast

import orjson

from agentview.domain.events import Event, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.normalize.json_values import Fields
from agentview.providers._kit.json_recovery import Piece, placed

UNREADABLE = (
    ValueError, TypeError, KeyError, AttributeError, IndexError, ArithmeticError, RecursionError,
)  # fmt: skip
"""What decoding a record of another form than the known ones may raise."""

_EXCERPT_CHARS = 200

DecodeRecord = Callable[[Fields, bytes, SourceRef, SessionRef], list[Event]]
"""Events of an object with its text; at least one. It may raise what is `UNREADABLE`."""


def _nameless(_source: SourceRef, _session: SessionRef) -> None:
    return None


class LineForm(Value):
    """How a provider's lines are read: their pieces, and the records that are in them.

    `record_id` names what is no record by its place; None leaves it to the offset.
    """

    pieces: Callable[[bytes], list[Piece]]
    decode_record: DecodeRecord
    record_id: Callable[[SourceRef, SessionRef], str | None] = _nameless


def line_events(line: bytes, source: SourceRef, session: SessionRef, form: LineForm) -> list[Event]:
    """Events of one line: never raises, never gives an empty list.

    Several records on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    try:
        value: object = orjson.loads(line)
    except ValueError:
        return damaged_events(line, source, session, form)
    return value_events(value, line, source, session, form)


def value_events(
    value: object, raw: bytes, source: SourceRef, session: SessionRef, form: LineForm
) -> list[Event]:
    """Events of a JSON value whose text is `raw`."""
    if not isinstance(value, dict):
        return [_unparsed(f"a JSON {_kind(value)}, not an object", raw, source, session, form)]
    try:
        return form.decode_record(cast("Fields", value), raw, source, session)
    except UNREADABLE as error:
        return [_unparsed(f"a form that could not be read: {error}", raw, source, session, form)]


def damaged_events(
    line: bytes, source: SourceRef, session: SessionRef, form: LineForm
) -> list[Event]:
    """Events of a line that is not plainly one JSON value."""
    events: list[Event] = []
    for piece, place in placed(form.pieces(line), source):
        if piece.error is not None:
            reason = f"not a whole JSON value: {piece.error}"
            events.append(_unparsed(reason, piece.raw, place, session, form))
        else:
            events.extend(value_events(piece.value, piece.raw, place, session, form))
    return events


def excerpt(raw: bytes) -> str:
    """The beginning of a record as text."""
    return raw[: _EXCERPT_CHARS * 4].decode("utf-8", "replace")[:_EXCERPT_CHARS]


def _unparsed(
    reason: str, raw: bytes, source: SourceRef, session: SessionRef, form: LineForm
) -> Event:
    return Event(
        "unparsed",
        session.session_id,
        source,
        Unparsed(reason, excerpt(raw)),
        session.stream,
        record_id=form.record_id(source, session),
    )


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return "list"
    if isinstance(value, bool):
        return "truth value"
    return "text" if isinstance(value, str) else "number"
