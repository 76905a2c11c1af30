"""What happened: the events of one line `{ts, type, event{type, ...}}`.

Source: recordings of 3.0.65. The lines of an agent are among those of the run that started it, and
nothing in them says whose they are.
"""

import re
from collections.abc import Callable, Mapping

from agentview.domain.events import (
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    real_of,
    seconds_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers.cline.shared.messages import result_event
from agentview.providers.cline.shared.tools import find_tool

_THOUGHT = "thought"
"""The run of its pieces, which come before the words of the same response; its end does not."""


class _Line(EventBuilder):
    """A line with its time."""

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.time = time_of(fields.get("ts"))


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _line_events(line: _Line) -> list[Event]:
    fields = line.fields
    kind = text_of(fields.get("type")) or "(none)"
    if kind == "hook_event":
        name = text_of(fields.get("hookEventName")) or kind
        return [line.hidden("a hook of the client", name)]
    if kind == "agent_event":
        event = fields_of(fields.get("event"))
        sort = text_of(event.get("type")) or "(none)"
        make = EVENTS.get(sort)
        return [line.unknown(f"agent_event/{sort}")] if make is None else make(line, event)
    make = _RUN.get(kind)
    return [line.unknown(kind)] if make is None else make(line, fields)


def _begun(line: _Line, event: Fields) -> list[Event]:
    """A piece of words or of a thought, or a call.

    Pieces of words of several agents are mixed, so that only the whole words are shown.
    """
    kind = text_of(event.get("contentType")) or "(none)"
    if kind == "text":
        return [line.hidden("a piece of words that follow as a whole", _sort(event))]
    if kind == "reasoning":
        said = text_of(event.get("reasoning")) or ""
        body = Reasoning(said, withheld=event.get("redacted") is True and not said)
        return [line.event("thought", body, run=_THOUGHT)]
    if kind == "tool":
        return [line.event("call", _call(line, event))]
    return [line.unknown(f"content_start/{kind}")]


def _call(line: _Line, event: Fields) -> ToolCall:
    given = event.get("input")
    args = fields_of(given)
    name = text_of(event.get("toolName")) or "(none)"
    return tool_call(
        call_id=call_id_of(event.get("toolCallId"), line.name),
        name=name,
        arguments=given if isinstance(given, str) else args,
        raw=None if isinstance(given, str) else line.text_at("event", "input"),
        spec=find_tool(name, args),
    )


def _more(line: _Line, event: Fields) -> list[Event]:
    return [line.hidden("a piece of output, which the result has too", _sort(event))]


def _sort(event: Fields) -> str:
    return f"{text_of(event.get('type'))}/{text_of(event.get('contentType')) or '(none)'}"


def _ended(line: _Line, event: Fields) -> list[Event]:
    """The whole words, or what came of a call."""
    kind = text_of(event.get("contentType")) or "(none)"
    if kind == "text":
        said = text_of(event.get("text")) or ""
        return [line.event("text", Message(said))]
    if kind == "reasoning":
        return [line.hidden("a thought, which came in pieces", _sort(event))]
    if kind != "tool":
        return [line.unknown(f"content_end/{kind}")]
    failed = text_of(event.get("error")) is not None
    part = {
        "tool_use_id": event.get("toolCallId"),
        "content": event.get("output", event.get("error")),
        "is_error": failed,
    }
    return [result_event(line, 0, part)]


def _usage(line: _Line, event: Fields) -> list[Event]:
    """Tokens of a request; those of the prompt are recorded with what the cache gave."""
    keys = ("input", "output", "cacheRead", "cacheWrite")
    given, output, read, written = (whole_of(event.get(f"{key}Tokens")) for key in keys)
    if given is None and output is None:
        return [line.hidden("tokens of a request", "usage")]
    fresh = None if given is None else max(0, given - (read or 0) - (written or 0))
    return [line.event("usage", TokenUsage(line.name, Usage(fresh, read, written, output)))]


def _error(line: _Line, event: Fields) -> list[Event]:
    """A request that failed; of calls that failed their results say it."""
    error = fields_of(event.get("error"))
    said = text_of(error.get("message")) or as_text(event.get("error")) or "a request failed"
    if event.get("recoverable") is True:
        return [line.hidden("calls that failed, as their results say", "error")]
    return [line.event("error", Notification(error_topic(said), said, Level.ERROR))]


def _notice(line: _Line, event: Fields) -> list[Event]:
    said = text_of(event.get("message")) or as_text(event.get("notice")) or "a note of the client"
    return [line.event("notice", Notification(Topic.SYSTEM, said))]


def _over(line: _Line, fields: Fields) -> list[Event]:
    """The end of the run, with the model and what all of it cost."""
    cost = real_of(fields_of(fields.get("aggregateUsage")).get("totalCost"))
    model = text_of(fields_of(fields.get("model")).get("id"))
    # A cost of 0 is one that the client does not know.
    facts = Facts(model=model, cost=cost or None)
    reason = text_of(fields.get("finishReason")) or "unknown"
    text = "Run complete" if reason == "completed" else f"Run ended: {reason}"
    body = Notification(Topic.TURN_END, text, duration=seconds_of(fields.get("durationMs")))
    return [line.event("end", body, facts=facts)]


def _aborted(line: _Line, fields: Fields) -> list[Event]:
    said = text_of(fields.get("message")) or text_of(fields.get("reason")) or "stopped"
    return [line.event("stop", Notification(Topic.INTERRUPT, said, Level.WARNING))]


def _failed(line: _Line, fields: Fields) -> list[Event]:
    said = text_of(fields.get("message")) or as_text(fields.get("error")) or "the run failed"
    return [line.event("error", Notification(error_topic(said), said, Level.ERROR))]


def _step(line: _Line, event: Fields) -> list[Event]:
    return [line.hidden("a step begins or ends", text_of(event.get("type")) or "step")]


EVENTS: Mapping[str, Callable[[_Line, Fields], list[Event]]] = {
    "iteration_start": _step,
    "iteration_end": _step,
    "content_start": _begun,
    "content_update": _more,
    "content_end": _ended,
    "usage": _usage,
    "error": _error,
    "notice": _notice,
    "done": _step,
}
"""Makers of events by the types of what an agent does."""
_RUN: Mapping[str, Callable[[_Line, Fields], list[Event]]] = {
    "run_result": _over,
    "run_aborted": _aborted,
    "error": _failed,
}

LINES = RecordDecoder(_Line, _line_events, re.compile(r'\{\s*"(?:ts|type)"\s*:'))
