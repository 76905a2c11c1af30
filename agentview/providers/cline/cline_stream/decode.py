"""Events of one line `{ts, type, event{type, ...}}`.

Source: recordings of 3.0.65. The lines of an agent are among those of the run that started it, and
nothing in them says whose they are.
"""

import re
from collections.abc import Sequence

from msgspec import field

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
from agentview.domain.index_entry import EventLinks, Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping, text
from agentview.normalize.json_values import (
    fields_of,
    real_of,
    seconds_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import (
    MESSAGE,
    REASONING,
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
    in_run,
)
from agentview.providers.cline.cline_stream.schema import EVENTS, Happened, Line
from agentview.providers.cline.shared.messages import result_event
from agentview.providers.cline.shared.tools import find_tool, known

_THOUGHT = EventLinks("thought")
"""The run of its pieces, which come before the words of the same response; its end does not."""
_HIDDEN = {
    "iteration_start": "a step begins or ends",
    "iteration_end": "a step begins or ends",
    "done": "a step begins or ends",
}


class ClineLine(TypedBuilder[Line], gc=False):
    """A line with its time, and what an agent does."""

    done: Happened = field(default_factory=Happened)

    @property
    def sort(self) -> str:
        return f"{self.done.type}/{self.done.content_type or '(none)'}"


def _line(record: Line, raw: bytes, source: SourceRef, session: SessionRef) -> ClineLine:
    return ClineLine.of(
        record, raw, source, session, time=time_of(record.ts), done=record.event or Happened()
    )


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return LINES.events(record, source, session)


def _line_events(line: ClineLine) -> Sequence[LightEvent]:
    kind = line.record.type or "(none)"
    if kind == "hook_event":
        name = as_text(line.record.hook_event_name) or kind
        return [hidden(line, "a hook of the client", name)]
    if kind != "agent_event":
        return _run(line, kind)
    sort = line.done.type or "(none)"
    return _agent(line, sort) if sort in EVENTS else [line.unknown(f"agent_event/{sort}")]


LINES = TypedLines(Line, _line, _line_events, re.compile(r'\{\s*"(?:ts|type)"\s*:'))

_run = Records[ClineLine](hidden={})
"""Decoders of a line that is not of an agent."""
_agent = Records[ClineLine](hidden=_HIDDEN)
"""Decoders of an agent's steps."""


@_agent.on("content_start")
def _begun(line: ClineLine) -> Sequence[LightEvent]:
    """A piece of words or of a thought, or a call.

    Pieces of words of several agents are mixed, so that only the whole words are shown.
    """
    done = line.done
    if done.content_type == "text":
        return [hidden(line, "a piece of words that follow as a whole", line.sort)]
    if done.content_type == "reasoning":
        said = as_text(done.reasoning) or ""
        made = (said, done.redacted is True and not said)
        light = line.part("thought", REASONING, 0, Reasoning, made, signal=Signal.AGENT)
        return [in_run(light, _THOUGHT)]
    if done.content_type == "tool":
        return [_call(line)]
    return [line.unknown(f"content_start/{done.content_type or '(none)'}")]


def _call(line: ClineLine) -> LightEvent:
    own, name = line.done.tool_call_id, as_text(line.done.tool_name) or "(none)"
    call_id = line.name if own is None else own
    made = (line, call_id, name)
    return line.call_event("call", call_id, known(name), _whole_call, made)


def _whole_call(line: ClineLine, call_id: str, name: str) -> ToolCall:
    given = line.value_of(line.done.input)
    exact = line.exact(line.done.input, "event", "input")
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=given if isinstance(given, str) else fields_of(given),
        raw=None if isinstance(given, str) else exact or None,
        spec=find_tool(name, fields_of(given)),
    )


@_agent.on("content_update")
def _more(line: ClineLine) -> Sequence[LightEvent]:
    return [hidden(line, "a piece of output, which the result has too", line.sort)]


@_agent.on("content_end")
def _ended(line: ClineLine) -> Sequence[LightEvent]:
    """The whole words, or what came of a call."""
    done = line.done
    if done.content_type == "text":
        said = (as_text(done.text) or "",)
        return [line.part("text", MESSAGE, 0, Message, said, signal=Signal.PERSON)]
    if done.content_type == "reasoning":
        return [hidden(line, "a thought, which came in pieces", line.sort)]
    if done.content_type != "tool":
        return [line.unknown(f"content_end/{done.content_type or '(none)'}")]
    error = as_text(line.value_of(done.error))
    content = line.value_of(done.output) if bytes(done.output) else error
    return [result_event(line, 0, done.tool_call_id, content, failed=bool(error))]


@_agent.on("usage")
def _usage(line: ClineLine) -> Sequence[LightEvent]:
    """Tokens of a request; those of the prompt are recorded with what the cache gave."""
    done = line.done
    given, output = whole_of(done.input_tokens), whole_of(done.output_tokens)
    if given is None and output is None:
        return [hidden(line, "tokens of a request", "usage")]
    read, written = whole_of(done.cache_read_tokens), whole_of(done.cache_write_tokens)
    fresh = None if given is None else max(0, given - (read or 0) - (written or 0))
    return [line.usage_part(TokenUsage(line.name, Usage(fresh, read, written, output)))]


@_agent.on("error")
def _error(line: ClineLine) -> Sequence[LightEvent]:
    """A request that failed; of calls that failed their results say it."""
    event = line.values_at("event")
    said = text(fields_of(event.get("error")), "message") or as_text(event.get("error"))
    if event.get("recoverable") is True:
        return [hidden(line, "calls that failed, as their results say", "error")]
    return [_failure(line, said or "a request failed")]


@_agent.on("notice")
def _notice(line: ClineLine) -> Sequence[LightEvent]:
    event = line.values_at("event")
    said = text(event, "message") or text(event, "notice") or "a note of the client"
    return [line.event("notice", Notification(Topic.SYSTEM, said))]


def _failure(line: ClineLine, said: str) -> Event:
    return line.event("error", Notification(error_topic(said), said, Level.ERROR))


@_run.on("run_result")
def _over(line: ClineLine) -> Sequence[LightEvent]:
    """The end of the run, with the model and what all of it cost."""
    fields = line.fields
    # A cost of 0 is one that the client does not know.
    cost = real_of(mapping(fields.get("aggregateUsage")).get("totalCost")) or None
    facts = Facts(model=text_of(mapping(fields.get("model")).get("id")), cost=cost)
    reason = text(fields, "finishReason") or "unknown"
    said = "Run complete" if reason == "completed" else f"Run ended: {reason}"
    body = Notification(Topic.TURN_END, said, duration=seconds_of(fields.get("durationMs")))
    return [line.event("end", body, facts=facts)]


@_run.on("run_aborted")
def _aborted(line: ClineLine) -> Sequence[LightEvent]:
    said = text(line.fields, "message") or text(line.fields, "reason") or "stopped"
    return [line.event("stop", Notification(Topic.INTERRUPT, said, Level.WARNING))]


@_run.on("error")
def _failed(line: ClineLine) -> Sequence[LightEvent]:
    said = text(line.fields, "message") or text(line.fields, "error") or "the run failed"
    return [_failure(line, said)]
