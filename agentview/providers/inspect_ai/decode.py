"""What happened: the events of one line of a sample."""

import re

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    OPEN,
    Attachment,
    Body,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.chat_parts import Part, message_parts
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers.inspect_ai.tools import find_tool

_SILENT = frozenset(
    {"sample_init", "sandbox", "state", "store", "span_begin", "span_end", "step", "score",
     "subtask", "logger", "approval", "input", "score_edit", "branch", "checkpoint", "anchor"}
)  # fmt: skip
"""Events that are not shown: their effect is in messages, or they are of the evaluation."""


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: EventBuilder) -> list[Event]:
    fields = record.fields
    if "message" in fields:
        record.time = time_of(fields.get("at"))
        record.path = ("message",)
        return _message(record, fields_of(fields.get("message")))
    if "event" in fields:
        event = fields_of(fields.get("event"))
        done = time_of(event.get("completed"))
        record.time = done or time_of(event.get("timestamp"))
        return _event(record, event)
    if "end" in fields:
        return _end(record, fields_of(fields.get("end")), text_of(fields.get("status")))
    if "eval" in fields:
        return _around(record, fields_of(fields.get("eval")), fields_of(fields.get("sample")))
    return [record.unknown("(none)")]


def _around(record: EventBuilder, evaluation: Fields, sample: Fields) -> list[Event]:
    version = text_of(fields_of(evaluation.get("packages")).get("inspect_ai"))
    record.time = time_of(sample.get("started_at")) or time_of(evaluation.get("created"))
    facts = Facts(model=text_of(evaluation.get("model")), client_version=version, agent="inspect")
    events = [record.hidden("what is around the sample", "sample", facts=facts)]
    task = text_of(evaluation.get("task"))
    if task is not None:
        epoch = whole_of(sample.get("epoch"))
        more = f", epoch {epoch}" if epoch is not None and epoch > 1 else ""
        title = f"{task}: {as_text(sample.get('id'))}{more}"
        events.append(record.event("title", Title(title, TitleSource.AI)))
    return events


def _message(record: EventBuilder, message: Fields) -> list[Event]:
    role = text_of(message.get("role"))
    record.record_id = text_of(message.get("id"))
    if role == "tool":
        return [record.event("result", _result(record, message))]
    if role not in ("system", "user", "assistant"):
        return [record.unknown(f"message/{role}")]
    words: list[str] = []
    others: list[Block] = []
    events: list[Event] = []
    content = message.get("content")
    for at, part in enumerate(items_of(content)):
        fields = fields_of(part)
        if fields.get("type") == "reasoning":
            hidden = fields.get("redacted") is True
            thought = text(fields, "summary") if hidden else text(fields, "reasoning")
            body = Reasoning(thought or "", withheld=thought is None)
            events.append(record.event(f"thought/{at}", body))
    for part in message_parts({"content": content}, role, output=False):
        if part.kind == "text":
            words.append(part.text)
        elif part.block is not None and part.kind == "block":
            others.append(part.block)
    if role == "assistant":
        record.response_id = record.record_id
    said = "\n".join(words)
    if said or others:
        events.append(record.event("said", _said(role, said, tuple(others))))
    events += _calls(record, items_of(message.get("tool_calls")))
    return events or [record.hidden("a message without words", f"message/{role}")]


def _said(role: str, words: str, blocks: tuple[Block, ...]) -> Body:
    if role == "system":
        return Attachment("system message", "instructions", words)
    return User(words, blocks) if role == "user" else Message(words, blocks)


def _calls(record: EventBuilder, listed: list[object]) -> list[Event]:
    events: list[Event] = []
    for at, item in enumerate(map(fields_of, listed)):
        name = text_of(item.get("function")) or "(none)"
        given = item.get("arguments")
        args = fields_of(given)
        call = tool_call(
            call_id=call_id_of(item.get("id"), f"{record.name}/{at}"),
            name=name,
            arguments=given if isinstance(given, str) else args,
            raw=record.text_at("tool_calls", at, "arguments") if args else None,
            spec=find_tool(name, args),
        )
        events.append(record.event(f"call/{at}", call))
    return events


def _result(record: EventBuilder, fields: Fields) -> ToolResult:
    """The outcome of a call, in a message or in an event of a tool."""
    own = call_id_of(fields.get("id"), record.name)
    call_id = call_id_of(fields.get("tool_call_id"), own)
    content = fields.get("content", fields.get("result"))
    parts: list[Part] = list(message_parts({"content": content}, "user", output=False))
    blocks = tuple(part.block or TextBlock(part.text) for part in parts)
    error = fields_of(fields.get("error"))
    words, kind = text_of(error.get("message")), text_of(error.get("type"))
    denied = kind == "approval"
    failed = bool(error) or fields.get("failed") is True
    return ToolResult(
        call_id,
        not failed,
        blocks,
        error=(words or kind) if failed and not denied else None,
        denial=Denial(DeniedBy.UNKNOWN, words) if denied else None,
        interrupted=kind == "cancelled",
    )


def _event(record: EventBuilder, event: Fields) -> list[Event]:
    kind = text_of(event.get("event")) or "(none)"
    if kind == "model":
        return _request(record, event)
    if kind == "tool":
        if "arguments" not in event:
            return [record.hidden("a tool ran, as the message with its result says", "tool")]
        call = tool_call(
            call_id=call_id_of(event.get("id"), record.name),
            name=text_of(event.get("function")) or "(none)",
            arguments=fields_of(event.get("arguments")),
            spec=find_tool(text_of(event.get("function")) or "", fields_of(event.get("arguments"))),
        )
        events = [record.event("call", call, path=f"{OPEN}:event")]
        if event.get("completed") is not None or event.get("error") is not None:
            events.append(record.event("result", _result(record, event)))
        return events
    if kind in ("sample_limit", "interrupt"):
        topic = Topic.INTERRUPT if kind == "interrupt" else Topic.LIMIT
        words = text_of(event.get("message")) or f"A limit of the sample: {event.get('type')}"
        return [record.event("notice", Notification(topic, words, Level.WARNING))]
    if kind == "error":
        return [record.event("notice", _failed(fields_of(event.get("error")), Level.WARNING))]
    if kind == "info":
        said = as_text(event.get("data")) or "A note of the evaluation"
        head, _, rest = said.partition("\n")
        return [record.event("notice", Notification(Topic.SYSTEM, head, detail=rest or None))]
    if kind in _SILENT:
        return [record.hidden("an event whose effect is in the messages", f"event/{kind}")]
    return [record.unknown(f"event/{kind}")]


def _request(record: EventBuilder, event: Fields) -> list[Event]:
    output = fields_of(event.get("output"))
    model = text_of(output.get("model")) or text_of(event.get("model"))
    usage = _usage(fields_of(output.get("usage")))
    events: list[Event] = []
    if usage is not None:
        name = text_of(event.get("uuid")) or record.name
        events.append(record.event("usage", TokenUsage(name, usage, model)))
    error = text_of(event.get("error")) or text_of(output.get("error"))
    if error is not None:
        head, _, rest = error.partition("\n")
        body = Notification(error_topic(error), head, Level.WARNING, rest or None)
        events.append(record.event("error", body))
    return events or [record.hidden("a request", "event/model")]


def _usage(counts: Fields) -> Usage | None:
    """Tokens of a request; the total says whether the input includes what a cache gave."""
    given, output = whole_of(counts.get("input_tokens")), whole_of(counts.get("output_tokens"))
    if given is None and output is None:
        return None
    cached = whole_of(counts.get("input_tokens_cache_read"))
    written = whole_of(counts.get("input_tokens_cache_write"))
    total = whole_of(counts.get("total_tokens"))
    if total is not None and given is not None and total == given + (output or 0):
        given = max(0, given - (cached or 0) - (written or 0))
    return Usage(given, cached, written, output, whole_of(counts.get("reasoning_tokens")))


def _end(record: EventBuilder, end: Fields, status: str | None) -> list[Event]:
    """How a sample ended: with scores, at a limit, or with an error."""
    record.time = time_of(end.get("completed_at"))
    events: list[Event] = []
    for name, score in fields_of(end.get("scores")).items():
        fields = fields_of(score)
        words = f"{name}: {as_text(fields.get('value'))}"
        body = Notification(Topic.SYSTEM, words, detail=text_of(fields.get("explanation")))
        events.append(record.event(f"score/{name}", body))
    limit = fields_of(end.get("limit"))
    if limit:
        words = f"{as_text(limit.get('type'))} limit of {as_text(limit.get('limit'))}"
        events.append(record.event("limit", Notification(Topic.LIMIT, words, Level.WARNING)))
    error = fields_of(end.get("error"))
    if error:
        return [*events, record.event("failed", _failed(error, Level.ERROR))]
    if record.time is None and status == "started":
        return events or [record.hidden("the sample is at work", "end")]
    return [*events, record.hidden("the sample has ended", "end", facts=Facts(ended=True))]


def _failed(error: Fields, level: Level) -> Notification:
    words = text_of(error.get("message")) or "The sample failed"
    return Notification(Topic.API_ERROR, words, level, text_of(error.get("traceback")))


LINES = RecordDecoder(
    EventBuilder, _record_events, re.compile(r'\{\s*"(?:eval|message|event|end)"\s*:')
)
