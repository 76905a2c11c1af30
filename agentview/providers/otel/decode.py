"""Events of the spans and log records of one line."""

import re
from collections.abc import Sequence

from msgspec import UNSET

from agentview.domain.events import Facts, Level, Notification, TokenUsage, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import number, real, text
from agentview.normalize.json_values import call_id_of, text_of
from agentview.providers._kit.chat_messages import chat_call, chat_result, part_events
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import LightEvent, TypedLines, hidden
from agentview.providers.otel.clients import client_events
from agentview.providers.otel.messages import parts_of
from agentview.providers.otel.openinference import MODEL, operation
from agentview.providers.otel.schema import CONVERSATION, Line
from agentview.providers.otel.telemetry import Export, Signal, signals

_AGENTS = ("gen_ai.agent.name", "gen_ai.agent.id", "agent_name")
_MODELS = ("gen_ai.response.model", "gen_ai.request.model", "model_name", MODEL)
_INPUT = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens",
          "llm.token_count.prompt")  # fmt: skip
_OUTPUT = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
           "llm.usage.completion_tokens", "llm.token_count.completion")  # fmt: skip
_CACHED = ("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
           "gen_ai.usage.cache_read_tokens", "gen_ai.usage.details.cache_read_tokens",
           "gen_ai.usage.input_tokens.cached",
           "llm.token_count.prompt_details.cache_read")  # fmt: skip
_WRITTEN = ("gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens",
            "gen_ai.usage.cache_creation_input_tokens", "gen_ai.usage.cache_write_tokens",
            "gen_ai.usage.details.cache_write_tokens",
            "llm.token_count.prompt_details.cache_write")  # fmt: skip
_UNFINISHED = "agentview.facts.usage.unfinished"
_REASONING = ("gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens",
              "gen_ai.usage.details.reasoning_tokens",
              "gen_ai.usage.output_tokens.reasoning",
              "llm.token_count.completion_details.reasoning")  # fmt: skip
_COST = ("gen_ai.usage.cost", "gen_ai.usage.total_cost", "operation.cost", "llm.cost.total")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments", "gen_ai.tool.arguments",
              "traceloop.entity.input", "input.value")  # fmt: skip
_CALL_IDS = ("gen_ai.tool.call.id", "tool_call.id", "tool.id")
_RESULT = ("gen_ai.tool.call.result", "tool_response", "gen_ai.tool.result", "gen_ai.tool.message",
           "traceloop.entity.output", "output.value")  # fmt: skip
_SEVERAL = ("invoke_agent", "create_agent", "invoke_workflow", "plan")
"""Operations that include others, whose tokens they count again."""


def _line(line: Line, raw: bytes, source: SourceRef, session: SessionRef) -> Export:
    return Export.of(line, raw, source, session)


def _record_events(record: Export) -> Sequence[LightEvent]:
    line = record.record
    events: list[LightEvent] = []
    for at, signal in enumerate(signals(line, record.value_of, lambda: record.fields)):
        made = record.copy()
        made.time = signal.ended or signal.started
        made.suffix_end = f"/{at}"
        events += _signal_events(made, signal)
    if events:
        return events
    if bytes(line.metrics):
        return [hidden(record, "measurements", "resourceMetrics")]
    if line.spans is not UNSET or line.logs is not UNSET:
        return [hidden(record, "an export without spans", "resourceSpans")]
    return [record.unknown("(none)")]


def operation_of(signal: Signal) -> str | None:
    """The operation of a span of the conventions; None for a span of anything else."""
    named = text_of(signal.attributes.get("gen_ai.operation.name"))
    if named is not None:
        return named
    keys = signal.attributes
    if (known := operation(keys)) is not None:
        return known
    if "gen_ai.tool.name" in keys or "gen_ai.tool.call.id" in keys:
        return "execute_tool"
    if keys.get("traceloop.span.kind") in ("tool", "agent", "workflow"):
        return {"tool": "execute_tool", "agent": "invoke_agent"}.get(
            str(keys["traceloop.span.kind"]), "invoke_workflow"
        )
    if signal.name.endswith(" run") and "all_messages_events" in keys:
        return "invoke_agent"
    if signal.name.startswith("gen_ai."):
        return "event"
    system = any(key in keys for key in ("gen_ai.system", "gen_ai.provider.name", *_MODELS[:2]))
    return "chat" if system else None


def _signal_events(record: Export, signal: Signal) -> Sequence[LightEvent]:
    record.facts = _facts(signal)
    own = client_events(record, signal, _scope(signal))
    if own:
        return own
    operation = operation_of(signal)
    if operation is None:
        return [hidden(record, "a span of another kind", "span")]
    scope = _scope(signal)
    if operation == "execute_tool":
        return _tool(record, signal, scope)
    # Requests that a response failed on have their own spans.
    if operation not in _SEVERAL and signal.id is not None:
        record.response_id = text(signal.attributes, "gen_ai.response.id") or signal.id
    elif operation == "event":
        record.response_id = signal.parent
    events = part_events(record, parts_of(signal), scope, signal.started)
    if operation not in _SEVERAL:
        events += _usage(record, signal)
    if signal.failed and (operation not in _SEVERAL or signal.parent is None):
        words, kind = _error(signal)
        body = Notification(error_topic(words, kind), words or kind or signal.name, Level.ERROR)
        events.append(record.event("failed", body))
    return events or [hidden(record, "what is around others", f"span/{operation}")]


def _scope(signal: Signal) -> str:
    """Return the scope of messages: the same words in another conversation are others."""
    conversation = text(signal.attributes, *CONVERSATION) or signal.trace or ""
    return f"otel:{conversation}/{text(signal.attributes, *_AGENTS) or ''}"


def _facts(signal: Signal) -> Facts | None:
    attributes, resource = signal.attributes, signal.resource
    model = text(attributes, *_MODELS)
    name = signal.scope.name or text_of(resource.get("service.name"))
    version = signal.scope.version or text_of(resource.get("service.version"))
    cwd = text_of(attributes.get("process.working_directory"))
    facts = Facts(cwd=cwd, model=model, client_version=version, agent=name)
    return facts if facts != Facts() else None


def _tool(record: Export, signal: Signal, scope: str) -> Sequence[LightEvent]:
    """A call that was made, and its outcome: the span is written when it has ended."""
    attributes = signal.attributes
    name = text(attributes, "gen_ai.tool.name", "traceloop.entity.name", "tool.name")
    own = signal.id or f"{record.name}{record.suffix_end}"
    call_id = call_id_of(text(attributes, *_CALL_IDS), own)
    name = name or signal.name.removeprefix("execute_tool ").removeprefix("running tool: ")
    given = next((attributes[key] for key in _ARGUMENTS if key in attributes), None)
    call = chat_call(call_id, name, given)
    events = [record.event("call", call, time=signal.started, path="span")]
    value = next((attributes[key] for key in _RESULT if key in attributes), None)
    words, kind = _error(signal)
    if value is None and not signal.failed:
        # The next request may have it; without its content a result takes no other's place.
        result = ToolResult(call_id, True)
        return [*events, record.event("result", result)]
    result = chat_result(call_id, value, failed=signal.failed, error=words or kind)
    return [*events, record.event("result", result, dedupe_key=f"{scope}:result:{call_id}")]


def _error(signal: Signal) -> tuple[str | None, str | None]:
    """Return the error, and its type."""
    kind = text(signal.attributes, "error.type")
    for event in signal.events:
        if event.name == "exception":
            words = text(event.attributes, "exception.message")
            return words, text(event.attributes, "exception.type") or kind
    return signal.status, kind


def _usage(record: Export, signal: Signal) -> Sequence[LightEvent]:
    """Tokens of one request; those that a cache gave or took are part of its input."""
    attributes = signal.attributes
    given, output = number(attributes, *_INPUT), number(attributes, *_OUTPUT)
    if given is None and output is None:
        return []
    cached, written = number(attributes, *_CACHED), number(attributes, *_WRITTEN)
    uncached = None if given is None else max(0, given - (cached or 0) - (written or 0))
    reasoning, unfinished = number(attributes, *_REASONING), number(attributes, _UNFINISHED)
    usage = Usage(uncached, cached, written, output, reasoning, unfinished=unfinished)
    name = record.response_id or f"{record.name}{record.suffix_end}"
    body = TokenUsage(name, usage, text(attributes, *_MODELS), cost=real(attributes, *_COST))
    return [record.usage_part(body)]


LINES = TypedLines(
    Line,
    _line,
    _record_events,
    re.compile(r'\{\s*"(?:resource(?:Spans|Logs|Metrics)|name|context)"\s*:'),
)
