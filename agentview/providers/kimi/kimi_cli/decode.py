"""Events of one line `{timestamp, message{type, payload}}`.

Source: recordings of 1.48 and the public source (`wire/types.py`, protocol 1.10).
"""

import re
from collections.abc import Sequence
from typing import cast

from msgspec import UNSET, field

from agentview.domain.events import (
    Compaction,
    Facts,
    Level,
    Notification,
    Reset,
    TokenUsage,
    ToolInput,
    ToolProgress,
    Topic,
)
from agentview.domain.index_entry import EventLinks, Flag
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import Denial, DeniedBy
from agentview.normalize.json_values import Fields, time_of
from agentview.normalize.tools import plan
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    HIDDEN,
    LightEvent,
    Records,
    TypedLines,
    hidden,
    in_run,
)
from agentview.providers.kimi.kimi_cli.schema import Line, Payload, Wire
from agentview.providers.kimi.shared.content import usage_of
from agentview.providers.kimi.shared.event_builder import KimiRecord
from agentview.providers.kimi.shared.printed import printed_events
from agentview.providers.kimi.shared.schema import Part

_FAILED = re.compile(rb"\s*Error code: (\d{3}) - [^\n]*")
_BRIEF = re.compile(r"\s*Your previous response was too brief\.")
_INPUT, _NO_RUN = EventLinks(run="input"), EventLinks(run="")
_LEVELS = {"error": Level.ERROR, "warning": Level.WARNING}


class CliRecord(KimiRecord, gc=False):
    """A line of a log of the wire, or a message that is printed."""

    payload: Payload = field(default_factory=Payload)
    """The payload of the message, or of an agent's message in it."""
    place: tuple[str, ...] = ("message", "payload")

    def given(self) -> Fields:
        return self.values_at(*self.place)


records = Records[CliRecord](
    hidden={
        "StepBegin": "a step begins",
        "CompactionBegin": "a compaction begins",
        "MCPLoadingBegin": "servers are being asked for their tools",
        "MCPLoadingEnd": "servers are being asked for their tools",
        "HookTriggered": "a hook begins",
        "PlanDisplay": "a plan, which its call has too",
        "ToolCallRequest": "a call that the host does",
        "QuestionResponse": "an answer, which the result of the call has too",
    }
)
"""Functions that make the events of a message, by its type."""


def _record_events(record: CliRecord) -> Sequence[LightEvent]:
    own = cast("Line", record.record)
    if own.message is UNSET and own.role is not None:
        return printed_events(record, own.role)
    if own.message is UNSET and own.type:
        begins = own.type in ("metadata", "hello")
        return [hidden(record, "the log begins", own.type) if begins else record.unknown(own.type)]
    record.time = time_of(own.timestamp)
    return _wire_events(record, own.message or Wire())


def _wire_events(record: CliRecord, message: Wire) -> Sequence[LightEvent]:
    record.payload = message.payload or Payload()
    return records(record, message.type or None)


@records.on("TurnBegin")
def _prompt(record: CliRecord) -> Sequence[LightEvent]:
    said, rest = record.words(*record.place, "user_input")
    if not said and not rest:
        return [hidden(record, "a turn begins", "TurnBegin")]
    if record.stream.kind is not StreamKind.MAIN and _BRIEF.match(said) is not None:
        body = Notification(Topic.SYSTEM, "The client asked the agent for a longer answer")
        return [record.event("notice", body)]
    return [record.event("prompt", spoken(said, rest))]


@records.on("SteerInput")
def _steer(record: CliRecord) -> Sequence[LightEvent]:
    said, rest = record.words(*record.place, "user_input")
    return [record.event("prompt", spoken(said, rest, via="steer"))]


@records.on("ContentPart")
def _content(record: CliRecord) -> Sequence[LightEvent]:
    own = record.payload
    suffix = "thought" if own.type == "think" else "text"
    return [record.said(suffix, Part(own.type, own.text, own.think), *record.place)]


@records.on("ToolCall")
def _call(record: CliRecord) -> Sequence[LightEvent]:
    own = record.payload
    function = own.function or own
    inside = () if own.function is None else ("function",)
    if own.id is None and not function.name:
        return [hidden(record, "a call without its facts", "ToolCall")]
    call_id, path = record.name if own.id is None else own.id, (*record.place, *inside, "arguments")
    name = function.name or "(none)"
    # What comes of its arguments later follows it, without its id.
    return [
        in_run(hidden(record, "a call begins", "ToolCall"), _NO_RUN),
        record.call("call", call_id, name, function.arguments, path, tie=_INPUT),
    ]


@records.on("ToolCallPart")
def _call_part(record: CliRecord) -> Sequence[LightEvent]:
    made = (record.payload.arguments_part or "",)
    return [in_run(record.part("input", HIDDEN, Flag.BOOKKEEPING, ToolInput, made), _INPUT)]


@records.on("ToolResult")
def _result(record: CliRecord) -> Sequence[LightEvent]:
    own = record.payload
    if own.tool_call_id is None:
        return [record.unknown("ToolResult")]
    key = "return_value" if own.return_value is not None else "result"
    returned = own.return_value or own.result
    ok = None if returned is None or returned.is_error is None else not returned.is_error
    path = (*record.place, key)
    return [record.result(own.tool_call_id, ok, path, "output", ("message", "display"))]


@records.on("StatusUpdate")
def _status(record: CliRecord) -> Sequence[LightEvent]:
    """Tokens of a step, and changes of the mode."""
    own = record.payload
    if isinstance(own.plan_mode, bool):
        record.facts = Facts(mode="plan" if own.plan_mode else "default")
    usage = usage_of(own.token_usage)
    if usage is None:
        return [hidden(record, "how full the context is", "StatusUpdate")]
    return [record.usage_part(TokenUsage(own.message_id or record.name, usage))]


@records.on("StepInterrupted")
def _interrupted(record: CliRecord) -> Sequence[LightEvent]:
    """A person stopped the step, or the request failed: the log does not show which."""
    text = "The step was interrupted, or its request failed"
    return [record.event("notice", Notification(Topic.INTERRUPT, text, Level.WARNING))]


@records.on("CompactionEnd")
def _compacted(record: CliRecord) -> Sequence[LightEvent]:
    return [record.event("compaction", Compaction(), resets=Reset.COMPACTED)]


@records.on("SubagentEvent")
def _subagent(record: CliRecord) -> Sequence[LightEvent]:
    """Activity of an agent, in the log of the one that started it."""
    own, event = record.payload, record.payload.event or Wire()
    call_id = own.parent_tool_call_id or own.task_tool_call_id or None
    agent = own.agent_id or call_id
    if agent is None:
        return [record.unknown("SubagentEvent")]
    child = Stream(StreamKind.SUBAGENT, agent)
    inner = record.copy()
    inner.stream, inner.place = child, (*record.place, "event", "payload")
    events = [*_wire_events(inner, event)]
    if call_id is not None and event.type == "TurnBegin":
        progress = ToolProgress(call_id, own.subagent_type or "")
        events.append(record.event("began", progress, child=child))
    return events


@records.on("ApprovalRequest")
def _asked(record: CliRecord) -> Sequence[LightEvent]:
    """The client asks whether a call may be done."""
    own = record.payload
    action = own.action or "Permission"
    text = f"{action}: {own.description}" if own.description else action
    exact = record.text_at(*record.place)
    call_id = own.tool_call_id or None
    ask = permission_request(own.id or record.name, text, call_id, record.given(), exact)
    return [record.event("ask", ask)]


@records.on("ApprovalResponse", "ApprovalRequestResolved")
def _decided(record: CliRecord) -> Sequence[LightEvent]:
    own = record.payload
    if not own.request_id:
        return [hidden(record, "a question was answered", "ApprovalResponse")]
    said, words = own.response or "answered", own.feedback or None
    refused = Denial(DeniedBy.PERSON, words) if said == "reject" else None
    return [record.event("answer", decision(own.request_id, said, words, refused=refused))]


@records.on("QuestionRequest")
def _question(record: CliRecord) -> Sequence[LightEvent]:
    """A question of a tool: its own call has it too."""
    asked = plan.ask(record.given())
    text = asked.questions[0].text if asked.questions else "A question"
    return [record.event("notice", Notification(Topic.SYSTEM, text))]


@records.on("Notification")
def _notification(record: CliRecord) -> Sequence[LightEvent]:
    own = record.payload
    topic = Topic.BACKGROUND if own.category == "task" else Topic.SYSTEM
    level = _LEVELS.get(own.severity or "", Level.INFO)
    body = Notification(topic, own.title or "A note of the client", level, own.body or None)
    return [record.event("notice", body)]


@records.on("TurnEnd")
def _turn_ended(record: CliRecord) -> Sequence[LightEvent]:
    return [record.event("end", Notification(Topic.TURN_END, "Turn complete"))]


@records.on("HookResolved")
def _hook(record: CliRecord) -> Sequence[LightEvent]:
    own = record.payload
    if own.action != "block":
        return [hidden(record, "a hook ended", "HookResolved")]
    text = f"A hook refused {own.target or 'a call'}"
    body = Notification(Topic.HOOK, text, Level.WARNING, own.reason or None)
    return [record.event("notice", body)]


TYPES = records.makers.keys() | records.hidden.keys()
"""Types of messages."""


class _Lines(TypedLines[CliRecord]):
    """Lines, and the text of a request that failed, which is printed among its messages."""

    def light(self, record: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        failed = _FAILED.match(record)
        if failed is None:
            return super().light(record, source, session)
        said = failed[0].decode("utf-8", "replace").strip()
        body = Notification(error_topic(said, status=int(failed[1])), said, Level.ERROR)
        return [CliRecord.of(Line(), record, source, session).event("error", body)]


LINES = _Lines(
    Line, CliRecord.of, _record_events, re.compile(r'\{\s*"(?:timestamp|type|role)"\s*:')
)
