"""Events of one line of a session.

Source: the declarations in the packages of DeepSeek Harness 0.1 that write and read its sessions.
"""

import re
from collections.abc import Sequence

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Facts,
    Level,
    Notification,
    Reset,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage as Tokens
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import call_id_of, time_of, whole_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.chat_parts import result_blocks
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.message_parts import in_order
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.deepseek_harness.schema import (
    Config,
    Content,
    Data,
    Fault,
    Header,
    Line,
    Message,
    Part,
    Place,
    Reason,
    Source,
    Usage,
)
from agentview.providers.deepseek_harness.tools import SPECS

_NO_DATA, _NO_MESSAGE, _NO_SOURCE = Data(), Message(), Source()
_STOPPED = ("aborted", "interrupted")
_UNKNOWN_OUTCOME = "TOOL_OUTCOME_UNKNOWN"
"""The client was gone before the call ended, and has made up its result."""


class DshLine(TypedBuilder[Line], gc=False):
    """A line of a session."""

    @property
    def data(self) -> Data:
        return self.record.data or _NO_DATA

    @property
    def replaces_others(self) -> bool:
        """True if the model gets the message in place of others, which the person has seen."""
        return isinstance(self.record.surface_op, Place)


def _line(line: Line, raw: bytes, source: SourceRef, session: SessionRef) -> DshLine:
    time = time_of(line.time) or time_of(line.time0) or time_of(line.created_at)
    return DshLine.of(line, raw, source, session, time=time)


records: Records[DshLine] = Records(
    hidden={
        "turn/start": "a turn begins",
        "step/start": "a request to the model begins",
        "step/end": "a request to the model and its calls are over",
        "assistant/chunk": "a piece of a response that follows as a whole",
        "text-chunks": "pieces of a response that follows as a whole",
        "reasoning-chunks": "pieces of a response that follows as a whole",
        "tool-call-chunks": "pieces of a response that follows as a whole",
        "tool/call": "a call of the response before begins",
        "todo/write": "the list of tasks that a call wrote",
        "request/context": "how much the model takes",
        "session/end-seed": "what was copied of another session ends",
    }
)


def _line_events(line: DshLine) -> Sequence[LightEvent]:
    return records(line, line.record.type)


LINES = TypedLines(Line, _line, _line_events, re.compile(r'\{\s*"type"\s*:'))


def _parts(content: Content) -> Sequence[Part]:
    if isinstance(content, str):
        return [Part("text", content)]
    return [part or Part() for part in content or ()]


@records.on("session")
def _header(line: DshLine) -> Sequence[LightEvent]:
    facts = Facts(cwd=line.record.cwd or None)
    return [hidden(line, "the session begins", "session", facts=facts)]


@records.on("request/header")
def _request(line: DshLine) -> Sequence[LightEvent]:
    """The model and its instructions, which are said again where a session is resumed."""
    header, reason = line.data.header or Header(), line.data.reason
    config = header.config or Config()
    line.facts = Facts(model=config.model) if config.model else None
    if reason == "change":
        effort = f", effort: {config.reasoning_effort}" if config.reasoning_effort else ""
        body = Notification(Topic.MODEL, f"Model: {config.model or '–'}{effort}")
        return [line.event("note", body)]
    if reason == "initial" and header.system:
        return [line.event("system", Attachment("system message", "instructions", header.system))]
    return [hidden(line, "the request as it was", "request/header")]


@records.on("user/message")
def _prompt(line: DshLine) -> Sequence[LightEvent]:
    """A prompt, a message of the client, or the summary of a compaction."""
    data, source = line.data, line.data.source or _NO_SOURCE
    words, blocks = list[str](), list[Block]()
    for at, part in enumerate(_parts(data.content)):
        if part.type == "text":
            words.append(part.text or "")
        else:
            blocks.append(JsonBlock(line.value_at("data", "content", at)))
    said = "\n".join(words)
    if line.replaces_others:
        return [line.event("compaction", Compaction(summary=said), resets=Reset.COMPACTED)]
    if source.kind in (None, "user"):
        return [line.event("prompt", spoken(said, (*blocks,)))]
    name = source.plugin or source.kind or "the client"
    kind = "agent-message" if source.form == "relay" else "instructions"
    return [line.event("note", Attachment(f"note of {name}", kind, said))]


@records.on("assistant/message")
def _response(line: DshLine) -> Sequence[LightEvent]:
    if line.replaces_others:
        return [hidden(line, "what the model sees of an older message", "assistant/message")]
    message = line.data.message or _NO_MESSAGE
    model = (message.source or _NO_SOURCE).model or None
    line.response_id = message.id or line.name
    line.facts = Facts(model=model) if model else None

    def say(suffix: str, words: list[str], blocks: tuple[Block, ...]) -> LightEvent:
        return line.text_part(suffix, "\n".join(words), blocks)

    made = (_part(line, at, part) for at, part in enumerate(_parts(message.content)))
    events = whole_response(in_order(made, say, merged=False))
    if line.data.usage is not None:
        tokens = TokenUsage(line.response_id, _tokens(line.data.usage), model)
        events = [*events, line.usage_part(tokens)]
    return events or [hidden(line, "a message without words", "assistant/message")]


def _part(line: DshLine, at: int, part: Part) -> LightEvent | Block | str:
    if part.type == "text":
        return part.text or ""
    if part.type == "reasoning":
        return line.thought_part(f"thought/{at}", part.text or "", withheld=not part.text)
    if part.type == "tool-call":
        name = part.name or "(none)"
        call_id = call_id_of(part.id, f"{line.name}/{at}")
        made = (call_id, name, part.arguments)
        return line.call_event(f"call/{at}", call_id, _known(name), _call, made)
    return JsonBlock(line.value_at("data", "message", "content", at))


_known = known_calls(SPECS.get)


def _call(call_id: str, name: str, given: str | None) -> ToolCall:
    return tool_call(call_id=call_id, name=name, arguments=given or {}, spec=SPECS.get(name))


def _tokens(usage: Usage) -> Tokens:
    return Tokens(
        whole_of(usage.input_tokens),
        whole_of(usage.cache_read_tokens),
        whole_of(usage.cache_write_tokens),
        whole_of(usage.output_tokens),
        whole_of(usage.reasoning_tokens),
    )


@records.on("tool/result")
def _results(line: DshLine) -> Sequence[LightEvent]:
    if line.replaces_others:
        return [hidden(line, "what the model sees of an older result", "tool/result")]
    message = line.data.message or _NO_MESSAGE
    events = [_result_event(line, at, part) for at, part in enumerate(_parts(message.content))]
    return events or [hidden(line, "no result", "tool/result")]


def _result_event(line: DshLine, at: int, part: Part) -> LightEvent:
    if part.type != "tool-result":
        return line.unknown(f"tool/result/{part.type or '(none)'}", f"unknown/{at}")
    call_id = call_id_of(part.tool_call_id, f"{line.name}/{at}")
    fault = line.data.error
    failed = part.is_error is True or fault is not None
    ok = None if fault is not None and fault.code == _UNKNOWN_OUTCOME else not failed
    made = (line, call_id, ok, part)
    known = None if ok is None else failed
    return line.result_part(f"result/{at}", call_id, _result, made, failed=known)


def _result(line: DshLine, call_id: str, ok: bool | None, part: Part) -> ToolResult:
    blocks = result_blocks(line.value_of(part.content))
    words = "\n".join(block.text for block in blocks if isinstance(block, TextBlock))
    fault = line.data.error or Fault()
    error = (words or fault.code or None) if ok is False else None
    return ToolResult(call_id, ok, blocks, error=error)


@records.on("turn/end")
def _turn_ended(line: DshLine) -> Sequence[LightEvent]:
    reason = line.data.reason
    reason = reason if isinstance(reason, Reason) else Reason(reason)
    if reason.kind == "error":
        fault = reason.error or Fault()
        words = fault.message or "The request failed"
        topic = error_topic(words, fault.code or None, status=whole_of(fault.status))
        return [line.event("failed", Notification(topic, words, Level.ERROR))]
    if reason.kind in _STOPPED:
        return [line.event("end", Notification(Topic.INTERRUPT, "Interrupted", Level.WARNING))]
    if reason.kind in (None, "completed"):
        return [line.event("end", Notification(Topic.TURN_END, "Turn complete"))]
    body = Notification(Topic.TURN_END, f"Turn ended: {reason.kind}", Level.WARNING)
    return [line.event("end", body)]
