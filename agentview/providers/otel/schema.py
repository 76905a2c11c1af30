"""Lines of telemetry: exports of OTLP as JSON, and spans as the SDK for Python prints them.

The names are those of the formats. A `Raw` is a body: attributes have any keys, as a list of
pairs or as an object.
"""

from msgspec import UNSET, Raw, Struct, UnsetType, field

CONVERSATION = ("gen_ai.conversation.id", "gen_ai.thread.id", "session.id", "conversation.id")
"""Attributes that name the conversation, the surest first."""

Number = int | float | str | None
"""JSON of protobuf writes 64-bit numbers as text."""


class Status(Struct, gc=False):
    """How a span ended; the SDK prints other names."""

    code: Number = None
    message: str | None = None
    status_code: str | None = None
    description: str | None = None


class Happened(Struct, gc=False, rename={"nanoseconds": "timeUnixNano"}):
    """An event of a span; the SDK prints a `timestamp`."""

    name: str | None = None
    nanoseconds: Number = None
    timestamp: Number = None
    attributes: Raw = Raw()


class Span(Struct, gc=False, rename="camel"):
    """A span."""

    name: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    start_time_unix_nano: Number = None
    end_time_unix_nano: Number = None
    attributes: Raw = Raw()
    events: list[Happened | None] | None = None
    status: Status | None = None


class LogRecord(Struct, gc=False, rename="camel"):
    """A log record."""

    event_name: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    time_unix_nano: Number = None
    observed_time_unix_nano: Number = None
    attributes: Raw = Raw()
    body: Raw = Raw()


class Resource(Struct, gc=False):
    """The program that was observed."""

    attributes: Raw = Raw()


class Scope(Struct, gc=False):
    """The library that observed it."""

    name: str | None = None
    version: str | None = None


class Scoped(Struct, gc=False, rename="camel"):
    """The records of one library. Up to OTLP 0.15 a scope was an instrumentation library."""

    scope: Scope | None = None
    instrumentation_library: Scope | None = None
    spans: list[Span | None] | None = None
    log_records: list[LogRecord | None] | None = None


class Observed(Struct, gc=False, rename="camel"):
    """The records of one program."""

    resource: Resource | None = None
    scope_spans: list[Scoped | None] | None = None
    instrumentation_library_spans: list[Scoped | None] | None = None
    scope_logs: list[Scoped | None] | None = None
    instrumentation_library_logs: list[Scoped | None] | None = None


class Context(Struct, gc=False):
    """Where a printed span belongs."""

    trace_id: str | None = None
    span_id: str | None = None


class Line(
    Struct,
    gc=False,
    rename={"spans": "resourceSpans", "logs": "resourceLogs", "metrics": "resourceMetrics"},
):
    """An export, or a printed span."""

    spans: list[Observed | None] | UnsetType | None = UNSET
    logs: list[Observed | None] | UnsetType | None = UNSET
    metrics: Raw = Raw()
    # A printed span.
    name: str | None = None
    context: Context | UnsetType | None = UNSET
    parent_id: str | None = None
    start_time: Number | UnsetType = UNSET
    end_time: Number = None
    attributes: Raw = Raw()
    events: list[Happened | None] | None = None
    status: Status | None = None
    status_code: str | None = None
    """Of a span that Phoenix exports, which has no object for it."""
    status_message: str | None = None
    resource: Resource | None = None
    # A row of a table of spans, in which each attribute is a column.
    row_trace: str | None = field(default=None, name="context.trace_id")
    row_span: str | None = field(default=None, name="context.span_id")
