"""Spans and log records of a line, in one form for all the ways in which they are exported."""

import re
from collections.abc import Callable, Iterator
from typing import cast

from agentview.domain.value import Value
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    real_of,
    text_of,
    time_of,
)

CONVERSATION = ("gen_ai.conversation.id", "gen_ai.thread.id", "session.id", "conversation.id")
"""Attributes that name the conversation, the surest first."""

_LARGEST_DEPTH = 24
_SCALARS = ("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue")
_NOTHING: Fields = {}


class Signal(Value):
    """A span, an event of a span, or a log record."""

    name: str
    attributes: Fields
    resource: Fields
    scope: Fields
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
    """What the status of a failed span says."""
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


def signals(fields: Fields) -> Iterator[Signal]:
    """The spans and log records of a line; none for a line that has neither."""
    for group, scoped, listed, make in (
        ("resourceSpans", "scopeSpans", "spans", _span),
        ("resourceLogs", "scopeLogs", "logRecords", _log),
    ):
        for holder in map(fields_of, items_of(fields.get(group))):
            resource = _keyed(fields_of(holder.get("resource")).get("attributes"))
            # Up to OTLP 0.15 a scope was an instrumentation library.
            older = scoped.replace("scope", "instrumentationLibrary")
            for inner in map(fields_of, items_of(holder.get(scoped) or holder.get(older))):
                scope = fields_of(inner.get("scope") or inner.get("instrumentationLibrary"))
                for each in map(fields_of, items_of(inner.get(listed))):
                    yield make(each, resource, scope)
    if "context" in fields and "start_time" in fields:
        yield _printed(fields)


def _span(fields: Fields, resource: Fields, scope: Fields) -> Signal:
    status = fields_of(fields.get("status"))
    return Signal(
        text_of(fields.get("name")) or "(none)",
        _keyed(fields.get("attributes")),
        resource,
        scope,
        trace=text_of(fields.get("traceId")),
        id=text_of(fields.get("spanId")),
        parent=text_of(fields.get("parentSpanId")),
        started=_time(fields.get("startTimeUnixNano")),
        ended=_time(fields.get("endTimeUnixNano")),
        failed=status.get("code") in (2, "STATUS_CODE_ERROR"),
        status=text_of(status.get("message")),
        events=_events(fields, lambda event: _time(event.get("timeUnixNano"))),
    )


def _log(fields: Fields, resource: Fields, scope: Fields) -> Signal:
    attributes = _keyed(fields.get("attributes"))
    # Some exporters put a place in the code where the name belongs, and the name in an attribute.
    name = text_of(attributes.get("event.name")) or text_of(fields.get("eventName"))
    time = _time(fields.get("timeUnixNano")) or _time(fields.get("observedTimeUnixNano"))
    return Signal(
        name or "(none)",
        attributes,
        resource,
        scope,
        trace=text_of(fields.get("traceId")),
        parent=text_of(fields.get("spanId")),
        started=time,
        ended=time,
        body=plain(fields.get("body")),
    )


def _printed(fields: Fields) -> Signal:
    """A span as the SDK for Python prints it (`ReadableSpan.to_json`)."""
    context, status = fields_of(fields.get("context")), fields_of(fields.get("status"))
    return Signal(
        text_of(fields.get("name")) or "(none)",
        _keyed(fields.get("attributes")),
        _keyed(fields_of(fields.get("resource")).get("attributes")),
        _NOTHING,
        trace=text_of(context.get("trace_id")),
        id=text_of(context.get("span_id")),
        parent=text_of(fields.get("parent_id")),
        started=time_of(fields.get("start_time")),
        ended=time_of(fields.get("end_time")),
        failed=status.get("status_code") == "ERROR",
        status=text_of(status.get("description")),
        events=_events(fields, lambda event: time_of(event.get("timestamp"))),
    )


def _events(span: Fields, time: Callable[[Fields], float | None]) -> tuple[Signal, ...]:
    """The events of a span."""
    return tuple(
        Signal(
            text_of(event.get("name")) or "(none)",
            _keyed(event.get("attributes")),
            _NOTHING,
            _NOTHING,
            started=time(event),
        )
        for event in map(fields_of, items_of(span.get("events")))
    )


def _time(value: object) -> float | None:
    """Epoch seconds of nanoseconds, which may be a text."""
    if isinstance(value, str):
        return int(value) / 1e9 if re.fullmatch(r"\d{1,20}", value) and value != "0" else None
    number = real_of(value)
    return number / 1e9 if number else None
