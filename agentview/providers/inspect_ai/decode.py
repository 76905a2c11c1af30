"""What happened: the events of one line of a sample."""

import re
from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    OPEN,
    Attachment,
    Facts,
    Level,
    Notification,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, text
from agentview.normalize.json_values import fields_of, items_of, text_of, time_of, whole_of
from agentview.providers._kit.chat_parts import message_parts
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.inspect_ai.schema import (
    Call,
    Counts,
    End,
    Evaluation,
    Failure,
    Happened,
    Line,
    Message,
    Output,
    Packages,
    Sample,
)
from agentview.providers.inspect_ai.tools import find_tool, known

_EFFECT = "an event whose effect is in the messages"
_SILENT = (
    "sample_init", "sandbox", "state", "store", "span_begin", "span_end", "step", "score",
    "subtask", "logger", "approval", "input", "score_edit", "branch", "checkpoint", "anchor",
)  # fmt: skip
"""Events that are not shown: their effect is in messages, or they are of the evaluation."""


class SampleLine(TypedBuilder[Line], gc=False):
    """A line of a sample."""

    @property
    def done(self) -> Happened:
        return self.record.event or Happened()


def _record_events(line: SampleLine) -> Sequence[LightEvent]:
    own = line.record
    if own.message is not UNSET:
        line.time, line.path = time_of(own.at), ("message",)
        return _message(line, own.message or Message())
    if own.event is not UNSET:
        done = line.done
        line.time = time_of(done.completed) or time_of(done.timestamp)
        return _event(line, f"event/{done.event or '(none)'}")
    if own.end is not UNSET:
        return _end(line, own.end or End(), own.status)
    if own.eval is not UNSET:
        return _around(line, own.eval or Evaluation(), own.sample or Sample())
    return [line.unknown("(none)")]


def _around(line: SampleLine, evaluation: Evaluation, sample: Sample) -> Sequence[LightEvent]:
    version = (evaluation.packages or Packages()).inspect_ai or None
    line.time = time_of(sample.started_at) or time_of(evaluation.created)
    facts = Facts(model=evaluation.model or None, client_version=version, agent="inspect")
    events: list[LightEvent] = [hidden(line, "what is around the sample", "sample", facts=facts)]
    if evaluation.task:
        epoch = whole_of(sample.epoch)
        more = f", epoch {epoch}" if epoch is not None and epoch > 1 else ""
        title = f"{evaluation.task}: {as_text(sample.id)}{more}"
        events.append(line.event("title", Title(title, TitleSource.AI)))
    return events


def _message(line: SampleLine, message: Message) -> Sequence[LightEvent]:
    role = message.role or None
    line.record_id = message.id or None
    if role == "tool":
        content = None if message.content is UNSET else line.value_of(message.content)
        call_id = next((e for e in (message.tool_call_id, message.id) if e is not None), line.name)
        error = message.error
        if message.tool_error:
            error = Failure(message.tool_error)
        return [line.event("result", _result(call_id, content, error, failed=error is not None))]
    if role not in ("system", "user", "assistant"):
        return [line.unknown(f"message/{role}")]
    if role == "assistant":
        line.response_id = line.record_id
    content = None if message.content is UNSET else line.value_of(message.content)
    events = [*_thoughts(line, content), *_said(line, role, content)]
    events += [_call(line, at, call or Call()) for at, call in enumerate(message.tool_calls or ())]
    return events or [hidden(line, "a message without words", f"message/{role}")]


def _thoughts(line: SampleLine, content: object) -> Sequence[LightEvent]:
    events: list[LightEvent] = []
    for at, fields in enumerate(map(fields_of, items_of(content))):
        if fields.get("type") == "reasoning":
            redacted = fields.get("redacted") is True
            thought = text(fields, "summary" if redacted else "reasoning")
            withheld = thought is None
            events.append(line.thought_part(f"thought/{at}", thought or "", withheld=withheld))
    return events


def _said(line: SampleLine, role: str, content: object) -> Sequence[LightEvent]:
    words: list[str] = []
    others: list[Block] = []
    for part in message_parts({"content": content}, role, output=False):
        if part.kind == "text":
            words.append(part.text)
        elif part.block is not None and part.kind == "block":
            others.append(part.block)
    said, blocks = "\n".join(words), tuple(others)
    if not said and not blocks:
        return []
    if role == "assistant":
        return [line.text_part("said", said, blocks)]
    system = role == "system"
    body = Attachment("system message", "instructions", said) if system else User(said, blocks)
    return [line.event("said", body)]


def _call(line: SampleLine, at: int, call: Call) -> LightEvent:
    name, call_id = call.function or "(none)", f"{line.name}/{at}" if call.id is None else call.id
    made = (line, at, call, name, call_id)
    return line.call_event(f"call/{at}", call_id, known(name), _whole_call, made)


def _whole_call(line: SampleLine, at: int, call: Call, name: str, call_id: str) -> ToolCall:
    given = line.value_of(call.arguments)
    args = fields_of(given)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=given if isinstance(given, str) else args,
        raw=line.exact(call.arguments, "tool_calls", at, "arguments") if args else None,
        spec=find_tool(name, args),
    )


def _result(
    call_id: str, content: object, error: Failure | str | None, *, failed: bool
) -> ToolResult:
    """The outcome of a call, in a message or in an event of a tool."""
    parts = message_parts({"content": content}, "user", output=False)
    blocks = tuple(part.block or TextBlock(part.text) for part in parts)
    error = error if isinstance(error, Failure) else Failure()
    words, kind = error.message or None, error.type or None
    denied = kind == "approval"
    return ToolResult(
        call_id,
        not failed,
        blocks,
        error=(words or kind) if failed and not denied else None,
        denial=Denial(DeniedBy.UNKNOWN, words) if denied else None,
        interrupted=kind == "cancelled",
    )


_event = Records[SampleLine](hidden={f"event/{kind}": _EFFECT for kind in _SILENT})
"""Decoders of an event, by its kind."""


@_event.on("event/tool")
def _tool(line: SampleLine) -> Sequence[LightEvent]:
    done = line.done
    if done.arguments is UNSET:
        return [hidden(line, "a tool ran, as the message with its result says", "tool")]
    call_id, args = line.name if done.id is None else done.id, line.value_of(done.arguments)
    call = tool_call(
        call_id=call_id,
        name=done.function or "(none)",
        arguments=fields_of(args),
        spec=find_tool(done.function or "", fields_of(args)),
    )
    events: list[LightEvent] = [line.event("call", call, path=f"{OPEN}:event")]
    failed = isinstance(done.error, Failure) or done.failed is True
    if done.completed is not None or done.error is not None:
        result = _result(call_id, line.value_of(done.result), done.error, failed=failed)
        events.append(line.event("result", result))
    return events


@_event.on("event/sample_limit", "event/interrupt")
def _stopped(line: SampleLine) -> Sequence[LightEvent]:
    done = line.done
    topic = Topic.INTERRUPT if done.event == "interrupt" else Topic.LIMIT
    words = text_of(done.message) or f"A limit of the sample: {done.type}"
    return [line.event("notice", Notification(topic, words, Level.WARNING))]


@_event.on("event/error")
def _wrong(line: SampleLine) -> Sequence[LightEvent]:
    error = line.done.error
    error = error if isinstance(error, Failure) else Failure()
    return [line.event("notice", _failed(error, Level.WARNING))]


@_event.on("event/info")
def _noted(line: SampleLine) -> Sequence[LightEvent]:
    said = as_text(line.done.data) or "A note of the evaluation"
    head, _, rest = said.partition("\n")
    return [line.event("notice", Notification(Topic.SYSTEM, head, detail=rest or None))]


@_event.on("event/model")
def _request(line: SampleLine) -> Sequence[LightEvent]:
    done, output = line.done, line.done.output or Output()
    usage = _usage(output.usage or Counts())
    events: list[LightEvent] = []
    if usage is not None:
        model = output.model or done.model or None
        events.append(line.usage_part(TokenUsage(done.uuid or line.name, usage, model)))
    error = text_of(done.error) or output.error or None
    if error is not None:
        head, _, rest = error.partition("\n")
        body = Notification(error_topic(error), head, Level.WARNING, rest or None)
        events.append(line.event("error", body))
    return events or [hidden(line, "a request", "event/model")]


def _usage(counts: Counts) -> Usage | None:
    """Tokens of a request; the total says whether the input includes what a cache gave."""
    given, output = whole_of(counts.input_tokens), whole_of(counts.output_tokens)
    if given is None and output is None:
        return None
    cached = whole_of(counts.input_tokens_cache_read)
    written = whole_of(counts.input_tokens_cache_write)
    total = whole_of(counts.total_tokens)
    if total is not None and given is not None and total == given + (output or 0):
        given = max(0, given - (cached or 0) - (written or 0))
    return Usage(given, cached, written, output, whole_of(counts.reasoning_tokens))


def _end(line: SampleLine, end: End, status: str | None) -> Sequence[LightEvent]:
    """How a sample ended: with scores, at a limit, or with an error."""
    line.time = time_of(end.completed_at)
    events: list[LightEvent] = []
    for name, score in (end.scores or {}).items():
        value, why = (score.value, score.explanation) if score is not None else (None, None)
        body = Notification(Topic.SYSTEM, f"{name}: {as_text(value)}", detail=why or None)
        events.append(line.event(f"score/{name}", body))
    events += _counted(line, end)
    if end.limit is not None:
        words = f"{as_text(end.limit.type)} limit of {as_text(end.limit.limit)}"
        events.append(line.event("limit", Notification(Topic.LIMIT, words, Level.WARNING)))
    if end.error is not None:
        return [*events, line.event("failed", _failed(end.error, Level.ERROR))]
    if line.time is None and status == "started":
        return events or [hidden(line, "the sample is at work", "end")]
    return [*events, hidden(line, "the sample has ended", "end", facts=Facts(ended=True))]


def _counted(line: SampleLine, end: End) -> Sequence[LightEvent]:
    """Tokens by model of all requests, or those of the last one, which are at least that many."""
    events: list[LightEvent] = []
    counted = end.counted or {}
    for model, counts in counted.items():
        usage = _usage(counts or Counts())
        if usage is not None:
            last = end.counted_last is True
            body = TokenUsage(
                f"{line.name}/{model}",
                replace(usage, unfinished=1) if last else usage,
                model or None,
                total=not last and len(counted) == 1,
            )
            events.append(line.usage_part(body, suffix=f"usage/{model}"))
    return events


def _failed(error: Failure, level: Level) -> Notification:
    words = error.message or "The sample failed"
    return Notification(Topic.API_ERROR, words, level, error.traceback or None)


def _line(record: Line, raw: bytes, source: SourceRef, session: SessionRef) -> SampleLine:
    return SampleLine.of(record, raw, source, session)


LINES = TypedLines(
    Line, _line, _record_events, re.compile(r'\{\s*"(?:eval|message|event|end)"\s*:')
)
