"""What happened: the events of a row of a session, of an exported span, or of a streamed event."""

import re
from collections.abc import Sequence

from agentview.domain.events import Level, Notification, TokenUsage
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import time_of
from agentview.providers._kit.event_builder import model_facts
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import LightEvent, TypedLines, hidden
from agentview.providers.openai_agents.discovery import STREAMED
from agentview.providers.openai_agents.items import item_events
from agentview.providers.openai_agents.record import AgentsRecord
from agentview.providers.openai_agents.schema import Counts, Exported, Failure, Item, Line, Response
from agentview.providers.openai_agents.traces import span_events, trace_events, usage_of

_ENDS = ("response.completed", "response.incomplete", "response.failed")


def _line(line: Line, raw: bytes, source: SourceRef, session: SessionRef) -> AgentsRecord:
    return AgentsRecord.of(line, raw, source, session, exported=line)


def _record_events(record: AgentsRecord) -> Sequence[LightEvent]:
    line = record.record
    if line.table:
        record.time = time_of(line.created_at)
        return _row(record, line, line.table)
    if line.data:
        return [event for at, each in enumerate(line.data) for event in _inner(record, at, each)]
    return _exported(record)


def _inner(record: AgentsRecord, at: int, exported: Exported | None) -> Sequence[LightEvent]:
    """Events of one of several that were sent together."""
    made = record.copy()
    made.suffix_end = f"/{at}"
    made.path = ("data", at)
    made.exported = exported or Exported()
    return _exported(made)


def _exported(record: AgentsRecord) -> Sequence[LightEvent]:
    exported = record.exported
    if exported.sort == "trace":
        return trace_events(record)
    if exported.sort == "trace.span":
        return span_events(record)
    streamed = exported.type or "(none)"
    if STREAMED.fullmatch(streamed) is None:
        return [record.unknown(exported.sort or streamed)]
    return _streamed(record, streamed)


def _row(record: AgentsRecord, line: Line, table: str) -> Sequence[LightEvent]:
    if table == "agent_sessions":
        return [hidden(record, "the session itself", table)]
    if table == "turn_usage":
        counts = Counts(
            input_tokens=line.input_tokens,
            output_tokens=line.output_tokens,
            input_tokens_details=line.input_tokens_details,
            output_tokens_details=line.output_tokens_details,
        )
        usage = usage_of(counts)
        if usage is None:
            return [hidden(record, "a turn without counts", table)]
        return [record.usage_part(TokenUsage(f"turn:{line.branch_id}:{line.turn}", usage))]
    if table != "agent_messages" or line.item is None:
        return [record.unknown(table)]
    return item_events(record, line.item)


def _streamed(record: AgentsRecord, kind: str) -> Sequence[LightEvent]:
    """An event of a stream; an item counts when it is done, tokens when the response is."""
    exported = record.exported
    if kind == "response.output_item.done":
        return item_events(record, exported.item or Item())
    response = exported.response or Response()
    model = response.model or None
    record.facts = model_facts(model) if model is not None else None
    error = response.error or (exported if kind == "error" else Failure())
    events: list[LightEvent] = []
    if kind in _ENDS:
        usage = usage_of(response.usage)
        name = response.id or record.name
        if usage is not None:
            events.append(record.usage_part(TokenUsage(name, usage, model)))
    words = error.message or error.code or None
    if words is not None or kind in ("error", "response.failed"):
        words = words or "The response failed"
        body = Notification(error_topic(words, error.code or None), words, Level.ERROR)
        events.append(record.event("failed", body))
    return events or [hidden(record, "a piece of what a later event has whole", kind)]


LINES = TypedLines(
    Line, _line, _record_events, re.compile(r'\{\s*"(?:table|event|object|type|data)"\s*:')
)
