"""Traces: the spans of a run, each exported when it has ended, and the trace around them."""

from collections.abc import Sequence

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Event,
    Level,
    Notification,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import as_text, text
from agentview.normalize.json_values import fields_of, text_of, time_of, whole_of
from agentview.providers._kit.chat_messages import chat_call, part_events
from agentview.providers._kit.chat_parts import listed_parts
from agentview.providers._kit.event_builder import model_facts
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.openai_agents.items import result_of
from agentview.providers.openai_agents.record import AgentsRecord
from agentview.providers.openai_agents.schema import Counts, Details, SpanData, SpanError

_UNNAMED = "Agent workflow"
"""The SDK's name of a run without a name."""
_MODEL_SPANS = frozenset({"response", "generation"})


def trace_events(record: AgentsRecord) -> Sequence[LightEvent]:
    """Events of a trace, which is written at its beginning and mostly again at its end."""
    name = record.exported.workflow_name or None
    events: list[LightEvent] = [hidden(record, "the trace around the spans", "trace")]
    if name is not None and name != _UNNAMED:
        events.append(record.event("title", Title(name, TitleSource.SUMMARY)))
    return events


def span_events(record: AgentsRecord) -> Sequence[LightEvent]:
    """Events of a span."""
    span = record.exported
    record.record_id = text_of(span.id)
    record.time = time_of(span.ended_at)
    data, error = span.span_data or SpanData(), span.error
    kind = data.type or "(none)"
    if kind == "function":
        return _function(record, data, error)
    events: list[LightEvent]
    if kind in _MODEL_SPANS:
        events = _model(record, data)
    elif kind == "handoff":
        events = [_handoff(record, data)]
    elif kind == "guardrail" and data.triggered is True:
        body = Notification(
            Topic.HOOK, f"{data.name or 'A guardrail'} was triggered", Level.WARNING
        )
        events = [record.event("notice", body)]
    else:
        events = [hidden(record, "what is around other spans", f"span/{kind}")]
    if error is not None:
        events.append(_failed(record, kind, error))
    elif span.parent_id is None and kind in ("agent", "custom", "task"):
        note = Notification(Topic.TURN_END, "The run has ended")
        events.append(record.event("end", note))
    return events


def _function(
    record: AgentsRecord, data: SpanData, error: SpanError | None
) -> Sequence[LightEvent]:
    """A call with its outcome: it is known by its span alone."""
    name = record.name
    began = time_of(record.exported.started_at)
    call = chat_call(name, data.name or "(none)", record.value_of(data.input))
    failed = "failed" if error is not None else None
    result = result_of(name, record.value_of(data.output), failed)
    if error is not None:
        own = text_of(fields_of(record.value_of(error.data)).get("error"))
        said = own or error.message or None
        blocks = result.output or ((TextBlock(said),) if said else ())
        result = ToolResult(name, False, blocks, result.structured, error=said or result.error)
    return [record.event("call", call, time=began), record.event("result", result)]


def _model(record: AgentsRecord, data: SpanData) -> list[LightEvent]:
    """A request: its tokens, and what was said where the span has it."""
    span, model = record.exported, data.model or None
    record.facts = model_facts(model) if model is not None else None
    name = data.response_id or record.name
    record.response_id = name
    parts = [
        *listed_parts(record.value_of(data.input), None, output=False),
        *listed_parts(record.value_of(data.output), "assistant", output=True),
    ]
    scope = f"trace:{span.trace_id or ''}"
    events = part_events(record, parts, scope, time_of(span.started_at))
    usage = usage_of(data.usage)
    if usage is not None:
        events.append(record.usage_part(TokenUsage(name, usage, model)))
    return events or [hidden(record, "a request", f"span/{data.type}")]


def usage_of(counts: Counts | None) -> Usage | None:
    """Tokens of a request; those that a cache gave or took are part of its input."""
    if counts is None:
        return None
    given = _first(counts.input_tokens, counts.prompt_tokens)
    output = _first(counts.output_tokens, counts.completion_tokens)
    if given is None and output is None:
        return None
    details = counts.input_tokens_details or counts.prompt_tokens_details or Details()
    more = counts.output_tokens_details or counts.completion_tokens_details or Details()
    cached, written = whole_of(details.cached_tokens), whole_of(details.cache_write_tokens)
    uncached = None if given is None else max(0, given - (cached or 0) - (written or 0))
    return Usage(uncached, cached, written or None, output, whole_of(more.reasoning_tokens))


def _first(*counts: object) -> int | None:
    return next((count for count in map(whole_of, counts) if count is not None), None)


def _handoff(record: AgentsRecord, data: SpanData) -> Event:
    """One agent handed over to another: the call for it has no span of its own."""
    to, by = data.to_agent or "(none)", data.from_agent
    said = f"{by} handed over to {to}" if by else f"Handed over to {to}"
    return record.event("handoff", Notification(Topic.SYSTEM, said))


def _failed(record: AgentsRecord, kind: str, error: SpanError) -> Event:
    words = error.message or "The span failed"
    data = fields_of(record.value_of(error.data))
    detail = text(data, "error", "message") or (as_text(dict(data)) if data else None)
    if kind in _MODEL_SPANS:
        return record.event(
            "failed", Notification(error_topic(words, detail), words, Level.ERROR, detail)
        )
    return record.event("failed", Notification(Topic.SYSTEM, words, Level.WARNING, detail))
