"""What happened: the events of a row of a session, of an exported span, or of a streamed event."""

import re

from agentview.domain.events import Event, Facts, Level, Notification, TokenUsage
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, time_of
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers.openai_agents.discovery import STREAMED
from agentview.providers.openai_agents.items import item_events
from agentview.providers.openai_agents.traces import span_events, trace_events, usage_of

_ENDS = ("response.completed", "response.incomplete", "response.failed")


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: EventBuilder) -> list[Event]:
    fields = record.fields
    table = text_of(fields.get("table"))
    if table is not None:
        record.time = time_of(fields.get("created_at"))
        return _row(record, table)
    exported = items_of(fields.get("data"))
    if exported:
        return [event for at, item in enumerate(exported) for event in _inner(record, at, item)]
    return _exported(record, fields)


def _inner(record: EventBuilder, at: int, item: object) -> list[Event]:
    """Events of one of several that were sent together."""
    made = record.copy()
    made.suffix_end = f"/{at}"
    made.path = ("data", at)
    return _exported(made, fields_of(item))


def _exported(record: EventBuilder, fields: Fields) -> list[Event]:
    kind = text_of(fields.get("object"))
    if kind == "trace":
        return trace_events(record, fields)
    if kind == "trace.span":
        return span_events(record, fields)
    streamed = text_of(fields.get("type")) or "(none)"
    if STREAMED.fullmatch(streamed) is None:
        return [record.unknown(kind or streamed)]
    return _streamed(record, streamed, fields)


def _row(record: EventBuilder, table: str) -> list[Event]:
    fields = record.fields
    if table == "agent_sessions":
        return [record.hidden("the session itself", table)]
    if table == "turn_usage":
        usage = usage_of(fields)
        if usage is None:
            return [record.hidden("a turn without counts", table)]
        name = f"turn:{fields.get('branch_id')}:{fields.get('turn')}"
        return [record.event("usage", TokenUsage(name, usage))]
    item = fields.get("item")
    if table != "agent_messages" or not isinstance(item, dict):
        return [record.unknown(table)]
    record.path = ("item",)
    return item_events(record, fields_of(fields.get("item")))


def _streamed(record: EventBuilder, kind: str, fields: Fields) -> list[Event]:
    """An event of a stream; an item counts when it is done, tokens when the response is."""
    if kind == "response.output_item.done":
        return item_events(record, fields_of(fields.get("item")))
    response = fields_of(fields.get("response"))
    model = text_of(response.get("model"))
    record.facts = Facts(model=model) if model is not None else None
    error = fields_of(response.get("error")) or (fields if kind == "error" else {})
    events: list[Event] = []
    if kind in _ENDS:
        usage = usage_of(fields_of(response.get("usage")))
        name = text_of(response.get("id")) or record.name
        if usage is not None:
            events.append(record.event("usage", TokenUsage(name, usage, model)))
    words = text_of(error.get("message")) or text_of(error.get("code"))
    if words is not None or kind in ("error", "response.failed"):
        words = words or "The response failed"
        body = Notification(error_topic(words, text_of(error.get("code"))), words, Level.ERROR)
        events.append(record.event("failed", body))
    return events or [record.hidden("a piece of what a later event has whole", kind)]


LINES = RecordDecoder(
    EventBuilder, _record_events, re.compile(r'\{\s*"(?:table|event|object|type|data)"\s*:')
)
