"""Output of `-o stream-json` and `-o json`."""

from collections.abc import Sequence

from agentview.domain.events import (
    Event,
    Facts,
    Level,
    Message,
    Notification,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.index_entry import EventLinks
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    said_in,
    seconds_of,
    time_of,
    whole_of,
)
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, hidden, in_run, read_as
from agentview.providers.gemini.gemini_cli.event_builder import GeminiRecord
from agentview.providers.gemini.gemini_cli.schema import Counts, Failure, ModelTokens, Totals
from agentview.providers.gemini.gemini_cli.tools import SPECS
from agentview.providers.gemini.shared.tool_outcome import result_of
from agentview.providers.gemini.shared.tools import make_call

_SEVERITIES = {"warning": Level.WARNING, "error": Level.ERROR}
_PIECE, _WHOLE = EventLinks("message"), EventLinks("")
_ANSWER = frozenset({"session_id", "response", "stats", "error", "warnings"})


def is_printed(fields: Fields) -> bool:
    """Return whether an object is a line of `-o stream-json`, by keys that messages lack."""
    kind = fields.get("type")
    if kind == "init":
        return "session_id" in fields
    if kind == "message":
        return "role" in fields and "content" in fields
    if kind in ("tool_use", "tool_result"):
        return "tool_id" in fields
    if kind == "error":
        return "message" in fields and "content" not in fields
    return kind == "result" and "status" in fields


def is_answer(fields: Fields) -> bool:
    """True if an object is what `-o json` prints; it has no figures where it failed at once."""
    if "type" in fields:
        return False
    if "stats" in fields:
        # Other programs write `stats` and `error` too; the figures of this one are by model.
        stats = fields_of(fields["stats"])
        figures = not stats or "models" in stats or "tools" in stats
        return figures and ("response" in fields or "error" in fields)
    failed = {"type", "message"} <= set(fields_of(fields.get("error")))
    return failed and "session_id" in fields and set(fields) <= _ANSWER


def printed_events(record: GeminiRecord) -> Sequence[LightEvent]:
    """Events of one line of `-o stream-json`."""
    own, kind = record.record, record.record.type
    time = time_of(own.timestamp)
    if kind == "message" and own.role is not None and bytes(own.content):
        record.time = time
        return [_message(record)]
    if kind in ("tool_use", "tool_result") and own.tool_id is not None:
        record.time = time
        make = _call if kind == "tool_use" else _result
        return [make(record, own.tool_id)]
    if not is_printed(record.fields):
        return [record.unknown(kind or "(none)")]
    record.time = time
    if kind == "init":
        facts = Facts(model=own.model or None)
        return [hidden(record, "the session itself", "init", facts=facts)]
    if kind == "error":
        level = _SEVERITIES.get(own.severity or "", Level.ERROR)
        text = own.message or "error"
        return [record.event("error", Notification(error_topic(text), text, level))]
    return _ended(record)


def _message(record: GeminiRecord) -> LightEvent:
    own = record.record
    text = said_in(record.value_of(own.content)) or ""
    if own.role == "user":
        return record.event("prompt", spoken(text), run="")
    return in_run(record.text_part("text", text), _PIECE if own.delta else _WHOLE)


def _call(record: GeminiRecord, call_id: str) -> LightEvent:
    name = record.record.tool_name or ""
    return record.call("call", call_id, _known(name), _call_body, (record, name, call_id), _WHOLE)


_known = known_calls(SPECS.get)


def _call_body(record: GeminiRecord, name: str, call_id: str) -> ToolCall:
    given = record.record.parameters
    raw = record.exact(given, "parameters") or None
    return make_call(call_id, name, record.value_of(given), SPECS.get(name), raw=raw)


def _result(record: GeminiRecord, call_id: str) -> LightEvent:
    own = record.record
    ok = False if own.status == "error" else None
    if own.status == "success" and not bytes(own.error):
        ok = True
    return record.result("result", call_id, ok, _result_body, (record, call_id))


def _result_body(record: GeminiRecord, call_id: str) -> ToolResult:
    own = record.record
    output, error = record.value_of(own.output), record.value_of(own.error)
    failure = read_as(error, Failure)
    said = failure.message or output or "error"
    return result_of(
        call_id,
        {"response": {"error": said} if fields_of(error) else {}},
        status=own.status or None,
        display=output,
        error_type=failure.type or None,
    )


def _ended(record: GeminiRecord) -> list[Event]:
    stats, events = record.record.stats or Totals(), _failed(record)
    duration = seconds_of(stats.duration_ms)
    if not events:
        ended = Notification(Topic.TURN_END, "Turn complete", duration=duration)
        events.append(record.event("ended", ended))
    return [*events, *_totals(record, stats)]


def _totals(record: GeminiRecord, stats: Totals) -> list[Event]:
    """Return the usage in all; one model after the other, where it is reported by model."""
    usage = _usage(stats)
    if usage is None:
        return []
    events: list[Event] = []
    models, counted = stats.models or {}, Usage()
    for name, counts in models.items():
        more = _usage(counts or Counts())
        if more is not None:
            counted = counted.plus(more)
            body = TokenUsage(record.name, counted, name, total=True)
            events.append(record.event(f"usage:{name}", body))
    if len(models) != 1 or counted != usage:
        body = TokenUsage(record.name, usage, total=True)
        events.append(record.event("usage", body))
    return events


def _failed(record: GeminiRecord) -> list[Event]:
    error = record.value_of(record.record.error)
    if not fields_of(error) and record.record.status != "error":
        return []
    failure = read_as(error, Failure)
    text, kind = failure.message or "The session ended with an error", failure.type or None
    body = Notification(error_topic(text, kind), text, Level.ERROR, detail=kind)
    return [record.event("failed", body)]


def _usage(counts: Counts) -> Usage | None:
    given, said = whole_of(counts.input_tokens), whole_of(counts.output_tokens)
    if given is None and said is None:
        return None
    cached, uncached = whole_of(counts.cached), whole_of(counts.input)
    if uncached is None and given is not None:
        uncached = given - (cached or 0)
    return Usage(input_uncached=uncached, input_cached=cached, output=said)


def answer_events(record: GeminiRecord) -> list[Event]:
    """Events of the one object that `-o json` prints: the answer, and what it cost."""
    answer, events = record.record, _failed(record)
    if answer.response:
        events.append(record.event("text", Message(answer.response)))
    for index, warning in enumerate(each for each in answer.warnings or () if each is not None):
        body = Notification(Topic.SYSTEM, warning, Level.WARNING)
        events.append(record.event(f"warning{index}", body))
    events.append(record.event("ended", Notification(Topic.TURN_END, "Turn complete")))
    models = answer.stats.models if answer.stats is not None else None
    for name, model in (models or {}).items():
        usage = _model_usage((model or Counts()).tokens or ModelTokens())
        body = TokenUsage(f"{record.name}:{name}", usage, name)
        events.append(record.event(f"usage:{name}", body, facts=Facts(model=name)))
    return events


def _model_usage(tokens: ModelTokens) -> Usage:
    """Usage of one model in the words of the client's own statistics."""
    prompt, cached = whole_of(tokens.prompt), whole_of(tokens.cached)
    said, thoughts = whole_of(tokens.candidates), whole_of(tokens.thoughts)
    return Usage(
        input_uncached=prompt - (cached or 0) if prompt is not None else None,
        input_cached=cached,
        output=said + (thoughts or 0) if said is not None else None,
        reasoning=thoughts,
    )
