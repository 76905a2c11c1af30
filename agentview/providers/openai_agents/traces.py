"""Traces: the spans of a run, each exported when it has ended, and the trace around them."""

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Event,
    Facts,
    Level,
    Notification,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import as_text, mapping, number, text
from agentview.normalize.json_values import Fields, fields_of, text_of, time_of
from agentview.providers._kit.chat_messages import chat_call, part_events
from agentview.providers._kit.chat_parts import listed_parts
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.limits import error_topic
from agentview.providers.openai_agents.items import result_of

_UNNAMED = "Agent workflow"
"""What the SDK calls a run to which nobody gave a name."""
_MODEL_SPANS = frozenset({"response", "generation"})


def trace_events(record: EventBuilder, fields: Fields) -> list[Event]:
    """Events of a trace, which is written at its beginning and mostly again at its end."""
    name = text_of(fields.get("workflow_name"))
    events = [record.hidden("the trace around the spans", "trace")]
    if name is not None and name != _UNNAMED:
        events.append(record.event("title", Title(name, TitleSource.SUMMARY)))
    return events


def span_events(record: EventBuilder, fields: Fields) -> list[Event]:
    """Events of a span."""
    record.record_id = text_of(fields.get("id"))
    record.time = time_of(fields.get("ended_at"))
    data = fields_of(fields.get("span_data"))
    kind = text_of(data.get("type")) or "(none)"
    error = fields_of(fields.get("error"))
    if kind == "function":
        return _function(record, fields, data, error)
    if kind in _MODEL_SPANS:
        events = _model(record, fields, data)
    elif kind == "handoff":
        events = [_handoff(record, data)]
    elif kind == "guardrail" and data.get("triggered") is True:
        name = text_of(data.get("name")) or "A guardrail"
        body = Notification(Topic.HOOK, f"{name} was triggered", Level.WARNING)
        events = [record.event("notice", body)]
    else:
        events = [record.hidden("what is around other spans", f"span/{kind}")]
    if error:
        events.append(_failed(record, kind, error))
    elif fields.get("parent_id") is None and kind in ("agent", "custom", "task"):
        note = Notification(Topic.TURN_END, "The run has ended")
        events.append(record.event("end", note))
    return events


def _function(record: EventBuilder, fields: Fields, data: Fields, error: Fields) -> list[Event]:
    """A call with its outcome: it is known by its span alone."""
    name = record.name
    began = time_of(fields.get("started_at"))
    call = chat_call(name, text_of(data.get("name")) or "(none)", data.get("input"))
    result = result_of(name, data.get("output"), "failed" if error else None)
    if error:
        own = text_of(fields_of(error.get("data")).get("error"))
        said = own or text_of(error.get("message"))
        blocks = result.output or ((TextBlock(said),) if said else ())
        result = ToolResult(name, False, blocks, result.structured, error=said or result.error)
    return [record.event("call", call, time=began), record.event("result", result)]


def _model(record: EventBuilder, fields: Fields, data: Fields) -> list[Event]:
    """A request: its tokens, and what was said where the span has it."""
    model = text_of(data.get("model"))
    record.facts = Facts(model=model) if model is not None else None
    name = text_of(data.get("response_id")) or record.name
    record.response_id = name
    parts = [
        *listed_parts(data.get("input"), None, output=False),
        *listed_parts(data.get("output"), "assistant", output=True),
    ]
    scope = f"trace:{text_of(fields.get('trace_id')) or ''}"
    events = part_events(record, parts, scope, time_of(fields.get("started_at")))
    usage = usage_of(fields_of(data.get("usage")))
    if usage is not None:
        events.append(record.event("usage", TokenUsage(name, usage, model)))
    return events or [record.hidden("a request", f"span/{data.get('type')}")]


def usage_of(counts: Fields) -> Usage | None:
    """Tokens of a request; those that a cache gave or took are part of its input."""
    given = number(counts, "input_tokens", "prompt_tokens")
    output = number(counts, "output_tokens", "completion_tokens")
    if given is None and output is None:
        return None
    details = mapping(counts.get("input_tokens_details", counts.get("prompt_tokens_details")))
    more = mapping(counts.get("output_tokens_details", counts.get("completion_tokens_details")))
    cached, written = number(details, "cached_tokens"), number(details, "cache_write_tokens")
    uncached = None if given is None else max(0, given - (cached or 0) - (written or 0))
    return Usage(uncached, cached, written or None, output, number(more, "reasoning_tokens"))


def _handoff(record: EventBuilder, data: Fields) -> Event:
    """One agent handed over to another: the call for it has no span of its own."""
    to, by = text(data, "to_agent") or "(none)", text(data, "from_agent")
    said = f"{by} handed over to {to}" if by else f"Handed over to {to}"
    body = Notification(Topic.SYSTEM, said)
    return record.event("handoff", body)


def _failed(record: EventBuilder, kind: str, error: Fields) -> Event:
    words = text_of(error.get("message")) or "The span failed"
    data = fields_of(error.get("data"))
    detail = text(data, "error", "message") or (as_text(dict(data)) if data else None)
    if kind in _MODEL_SPANS:
        return record.event(
            "failed", Notification(error_topic(words, detail), words, Level.ERROR, detail)
        )
    return record.event("failed", Notification(Topic.SYSTEM, words, Level.WARNING, detail))
