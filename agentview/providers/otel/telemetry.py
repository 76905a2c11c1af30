"""Spans and log records of a line, in one form for all the ways in which they are exported."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from msgspec import UNSET, Raw

from agentview.domain.value import Value
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    real_of,
    text_of,
    time_of,
)
from agentview.providers._kit.typed_records import TypedBuilder
from agentview.providers.otel.openinference import flat
from agentview.providers.otel.schema import (
    Context,
    Happened,
    Line,
    LogRecord,
    Number,
    Observed,
    Resource,
    Scope,
    Scoped,
    Span,
    Status,
)

Export = TypedBuilder[Line]
"""A line with what its events have in common."""

Read = Callable[[Raw | bytes], Any]
"""Gives the value of a body."""

_COLUMN = "attributes."
_LARGEST_DEPTH = 24
_SCALARS = ("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue")
_NOTHING: Fields = {}
_NO_SCOPE, _NO_RESOURCE, _NO_STATUS = Scope(), Resource(), Status()


class Signal(Value):
    """A span, an event of a span, or a log record."""

    name: str
    attributes: Fields
    resource: Fields
    scope: Scope
    """Name and version of the library that made it."""
    trace: str | None = None
    id: str | None = None
    parent: str | None = None
    """Id of the span that it is a part of."""
    started: float | None = None
    """Epoch seconds."""
    ended: float | None = None
    failed: bool = False
    status: str | None = None
    """Message in the status of a failed span."""
    events: tuple["Signal", ...] = ()
    body: object = None
    """Of a log record."""


def plain(value: object, depth: int = 0) -> object:
    """Plain form of a value of OTLP: `{"stringValue": "x"}` is `"x"`; any other value as it is."""
    fields = fields_of(value)
    if not fields or depth > _LARGEST_DEPTH:
        return value
    for key in _SCALARS:
        if key in fields:
            return _scalar(key, fields[key])
    if "arrayValue" in fields:
        listed = items_of(fields_of(fields["arrayValue"]).get("values"))
        return [plain(item, depth + 1) for item in listed]
    if "kvlistValue" in fields:
        return _keyed(fields_of(fields["kvlistValue"]).get("values"), depth + 1)
    return fields


def _scalar(key: str, value: object) -> object:
    # JSON of protobuf writes 64-bit numbers as text.
    if key == "intValue" and isinstance(value, str) and re.fullmatch(r"-?\d{1,18}", value):
        return int(value)
    return value


def _keyed(pairs: object, depth: int = 0) -> Fields:
    """Attributes: a list of keys with values, or already an object."""
    if isinstance(pairs, dict):
        return fields_of(cast("object", pairs))
    found: dict[str, object] = {}
    for pair in map(fields_of, items_of(pairs)):
        key = text_of(pair.get("key"))
        if key is not None:
            found[key] = plain(pair.get("value"), depth + 1)
    return found


def signals(line: Line, read: Read, whole: Callable[[], Fields]) -> Iterator[Signal]:
    """The spans and log records of a line; none for a line that has neither.

    `whole` gives the values of the line, for a row of a table, whose columns have any names.
    """
    for each in line.spans or ():
        seen = each or Observed()
        for scoped in seen.scope_spans or seen.instrumentation_library_spans or ():
            found = scoped or Scoped()
            for span in found.spans or ():
                yield _span(span or Span(), *_observed(seen, found, read), read)
    for each in line.logs or ():
        seen = each or Observed()
        for scoped in seen.scope_logs or seen.instrumentation_library_logs or ():
            found = scoped or Scoped()
            for record in found.log_records or ():
                yield _log(record or LogRecord(), *_observed(seen, found, read), read)
    if line.context is not UNSET and line.start_time is not UNSET:
        attributes = _keyed(read(line.attributes))
        yield _printed(line, line.context or Context(), line.start_time, attributes, read)
    elif line.row_span is not None and line.start_time is not UNSET:
        context = Context(line.row_trace, line.row_span)
        yield _printed(line, context, line.start_time, _columns(whole()), read)


def _columns(row: Fields) -> Fields:
    """The attributes of a row of a table; those that it does not have are null."""
    # The copy keeps the other columns from counting as read.
    keys = [key for key, value in dict(row).items() if value is not None]
    return {key[len(_COLUMN) :]: row[key] for key in keys if key.startswith(_COLUMN)}


def _observed(seen: Observed, scoped: Scoped, read: Read) -> tuple[Fields, Scope]:
    """The resource and the scope of what a library saw."""
    scope = scoped.scope or scoped.instrumentation_library or _NO_SCOPE
    return _keyed(read((seen.resource or _NO_RESOURCE).attributes)), scope


def _span(span: Span, resource: Fields, scope: Scope, read: Read) -> Signal:
    status = span.status or _NO_STATUS
    return Signal(
        span.name or "(none)",
        flat(_keyed(read(span.attributes))),
        resource,
        scope,
        trace=span.trace_id or None,
        id=span.span_id or None,
        parent=span.parent_span_id or None,
        started=_time(span.start_time_unix_nano),
        ended=_time(span.end_time_unix_nano),
        failed=status.code in (2, "STATUS_CODE_ERROR"),
        status=status.message or None,
        events=_events(span.events, read),
    )


def _log(record: LogRecord, resource: Fields, scope: Scope, read: Read) -> Signal:
    attributes = _keyed(read(record.attributes))
    # Some exporters put a place in the code where the name belongs, and the name in an attribute.
    name = text_of(attributes.get("event.name")) or record.event_name
    time = _time(record.time_unix_nano) or _time(record.observed_time_unix_nano)
    return Signal(
        name or "(none)",
        attributes,
        resource,
        scope,
        trace=record.trace_id or None,
        parent=record.span_id or None,
        started=time,
        ended=time,
        body=plain(read(record.body)),
    )


def _printed(
    line: Line, context: Context, started: Number, attributes: Fields, read: Read
) -> Signal:
    """A span as the SDK for Python prints it (`ReadableSpan.to_json`)."""
    status = line.status or _NO_STATUS
    return Signal(
        line.name or "(none)",
        flat(attributes),
        _keyed(read((line.resource or _NO_RESOURCE).attributes)),
        _NO_SCOPE,
        trace=context.trace_id or None,
        id=context.span_id or None,
        parent=line.parent_id or None,
        started=time_of(started),
        ended=time_of(line.end_time),
        failed="ERROR" in (status.status_code, line.status_code),
        status=status.description or line.status_message or None,
        events=_events(line.events, read),
    )


def _events(listed: Sequence[Happened | None] | None, read: Read) -> tuple[Signal, ...]:
    return tuple(
        Signal(
            event.name or "(none)",
            _keyed(read(event.attributes)),
            _NOTHING,
            _NO_SCOPE,
            started=_time(event.nanoseconds) or time_of(event.timestamp),
        )
        for event in (each or Happened() for each in listed or ())
    )


def _time(value: Number) -> float | None:
    """Epoch seconds of nanoseconds, which may be a text."""
    if isinstance(value, str):
        return int(value) / 1e9 if re.fullmatch(r"\d{1,20}", value) and value != "0" else None
    number = real_of(value)
    return number / 1e9 if number else None
