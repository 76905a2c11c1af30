"""From the bytes of a line to events, whatever the line holds; records are left to the provider."""

import re
from collections.abc import Callable, Collection
from typing import Generic, TypeVar, cast

import orjson

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.normalize.json_values import Fields
from agentview.providers._kit.event_builder import EventBuilder

UNREADABLE = (
    ValueError, TypeError, KeyError, AttributeError, IndexError, ArithmeticError, RecursionError,
)  # fmt: skip
"""What decoding a record of another form than the known ones may raise."""

_Builder = TypeVar("_Builder", bound=EventBuilder)


_BEGIN = re.compile(r'\{\s*"')


class RecordDecoder(Value, Generic[_Builder], gc=True):
    """How the lines of a provider are read."""

    builder: type[_Builder]
    """What makes the events of a record."""
    decode_record: Callable[[_Builder], list[Event]]
    """Events of a record, at least one. It may raise what is `UNREADABLE`."""
    begin: re.Pattern[str] = _BEGIN
    """How a record begins, to find the records of a line that is not plainly one."""
    is_record: Callable[[object], bool] | None = None
    """True if a value is a record and not a part of one that begins in the same way."""
    discovery_keys: Collection[str] = ()
    """Keys of records that are read to find sessions, and not to decode."""


def line_events(
    line: bytes, source: SourceRef, session: SessionRef, form: RecordDecoder[_Builder]
) -> list[Event]:
    """Events of one line: never raises, never gives an empty list.

    Several records on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    try:
        value: object = orjson.loads(line)
    except ValueError:
        return damaged_events(line, source, session, form)
    return value_events(value, line, source, session, form)


def value_events(
    value: object, raw: bytes, source: SourceRef, session: SessionRef, form: RecordDecoder[_Builder]
) -> list[Event]:
    """Events of a JSON value whose text is `raw`."""
    if not isinstance(value, dict):
        return [_unparsed(f"a JSON {json_kind(value)}, not an object", raw, source, session, form)]
    try:
        return form.decode_record(form.builder(cast("Fields", value), raw, source, session))
    except UNREADABLE as error:
        return [_unparsed(f"a form that could not be read: {error}", raw, source, session, form)]


def damaged_events(
    line: bytes, source: SourceRef, session: SessionRef, form: RecordDecoder[_Builder]
) -> list[Event]:
    """Events of a line that is not plainly one JSON value."""
    # Nearly all lines are.
    from agentview.providers._kit.json_recovery import placed, read_pieces

    events: list[Event] = []
    for piece, place in placed(read_pieces(line, form.begin, form.is_record), source):
        if piece.error is not None:
            reason = f"not a whole JSON value: {piece.error}"
            events.append(_unparsed(reason, piece.raw, place, session, form))
        else:
            events.extend(value_events(piece.value, piece.raw, place, session, form))
    return events


def _unparsed(
    reason: str, raw: bytes, source: SourceRef, session: SessionRef, form: RecordDecoder[_Builder]
) -> Event:
    return form.builder({}, raw, source, session).unreadable(reason)


def escaped(key: str) -> str:
    """A key as a part of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


def json_kind(value: object) -> str:
    """Kind of a JSON value, in a word or two."""
    if value is None:
        return "null"
    if isinstance(value, list | dict):
        return "list" if isinstance(value, list) else "object"
    if isinstance(value, bool):
        return "truth value"
    return "text" if isinstance(value, str) else "number"
