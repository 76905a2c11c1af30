"""What happened: the events of one line `{timestamp, message{type, payload}}`.

Source: recordings of 1.48 and the public source (`wire/types.py`, protocol 1.10).
"""

import re
from collections.abc import Callable, Mapping

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Compaction,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    TokenUsage,
    ToolInput,
    ToolProgress,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tool_inputs import AskPayload
from agentview.domain.tools import Denial, DeniedBy
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    text_of,
    time_of,
)
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import plan
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.kimi.shared.content import blocks_of, usage_of
from agentview.providers.kimi.shared.printed import printed_events
from agentview.providers.kimi.shared.results import outcome_of
from agentview.providers.kimi.shared.tools import find_tool

_FAILED = re.compile(rb"\s*Error code: (\d{3}) - [^\n]*")
_BRIEF = re.compile(r"\s*Your previous response was too brief\.")


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    failed = _FAILED.match(record)
    if failed is not None:
        # The client prints it as text among its messages.
        said = failed[0].decode("utf-8", "replace").strip()
        body = Notification(error_topic(said, status=int(failed[1])), said, Level.ERROR)
        return [EventBuilder({}, record, source, session).event("error", body)]
    return line_events(record, source, session, LINES)


def _record_events(record: EventBuilder) -> list[Event]:
    fields = record.fields
    if "role" in fields and "message" not in fields:
        return printed_events(record)
    kind = text_of(fields.get("type"))
    if kind is not None and "message" not in fields:
        if kind in ("metadata", "hello"):
            return [record.hidden("the log begins", kind)]
        return [record.unknown(kind)]
    record.time = time_of(fields.get("timestamp"))
    return _wire_events(record, fields_of(fields.get("message")))


def _wire_events(record: EventBuilder, message: Fields) -> list[Event]:
    kind = text_of(message.get("type")) or "(none)"
    make = _MAKERS.get(kind)
    if make is None:
        return [record.unknown(kind)]
    return make(record, fields_of(message.get("payload")))


def _prompt(record: EventBuilder, payload: Fields) -> list[Event]:
    blocks = blocks_of(payload.get("user_input"))
    said = text_in(blocks)
    if said is None and not blocks:
        return [record.hidden("a turn begins", "TurnBegin")]
    if record.stream.kind is not StreamKind.MAIN and _BRIEF.match(said or "") is not None:
        body = Notification(Topic.SYSTEM, "The client asked the agent for a longer answer")
        return [record.event("notice", body)]
    rest = tuple(block for block in blocks if not isinstance(block, TextBlock))
    return [record.event("prompt", spoken(said or "", rest))]


def _steer(record: EventBuilder, payload: Fields) -> list[Event]:
    blocks = blocks_of(payload.get("user_input"))
    rest = tuple(block for block in blocks if not isinstance(block, TextBlock))
    return [record.event("prompt", spoken(text_in(blocks) or "", rest, via="steer"))]


def _content(record: EventBuilder, payload: Fields) -> list[Event]:
    kind = text_of(payload.get("type")) or "(none)"
    if kind == "text":
        return [record.event("text", Message(text_of(payload.get("text")) or ""))]
    if kind == "think":
        said = text_of(payload.get("think")) or ""
        return [record.event("thought", Reasoning(said, withheld=not said))]
    blocks: tuple[Block, ...] = blocks_of([payload])
    return [record.event("text", Message("", blocks))]


def _call(record: EventBuilder, payload: Fields) -> list[Event]:
    function = fields_of(payload.get("function")) or payload
    call_id, name = call_id_of(payload.get("id"), None), text_of(function.get("name"))
    if call_id is None and name is None:
        return [record.hidden("a call without its facts", "ToolCall")]
    given = as_text(function.get("arguments"))
    name = name or "(none)"
    call = tool_call(
        call_id=record.name if call_id is None else call_id,
        name=name,
        arguments=given,
        spec=find_tool(name, mapping(given)),
    )
    # What comes of its arguments later follows it, without its id.
    begins = record.hidden("a call begins", "ToolCall", run="")
    return [begins, record.event("call", call, run="input")]


def _call_part(record: EventBuilder, payload: Fields) -> list[Event]:
    return [
        record.event("input", ToolInput(text_of(payload.get("arguments_part")) or ""), run="input")
    ]


def _result(record: EventBuilder, payload: Fields) -> list[Event]:
    call_id = call_id_of(payload.get("tool_call_id"), None)
    if call_id is None:
        return [record.unknown("ToolResult")]
    returned = fields_of(payload.get("return_value")) or fields_of(payload.get("result"))
    failed = returned.get("is_error")
    ok = not failed if isinstance(failed, bool) else None
    structured = {key: returned[key] for key in ("message", "display") if returned.get(key)}
    return [record.event("result", outcome_of(call_id, ok, returned.get("output"), structured))]


def _status(record: EventBuilder, payload: Fields) -> list[Event]:
    """Tokens of a step, and changes of the mode."""
    events: list[Event] = []
    if isinstance(payload.get("plan_mode"), bool):
        record.facts = Facts(mode="plan" if payload.get("plan_mode") is True else "default")
    usage = usage_of(fields_of(payload.get("token_usage")))
    if usage is not None:
        body = TokenUsage(text_of(payload.get("message_id")) or record.name, usage)
        events.append(record.event("usage", body))
    return events or [record.hidden("how full the context is", "StatusUpdate")]


def _interrupted(record: EventBuilder, _payload: Fields) -> list[Event]:
    """A person stopped the step, or the request failed: the log does not show which."""
    text = "The step was interrupted, or its request failed"
    return [record.event("notice", Notification(Topic.INTERRUPT, text, Level.WARNING))]


def _compacted(record: EventBuilder, _payload: Fields) -> list[Event]:
    return [record.event("compaction", Compaction(), resets=Reset.COMPACTED)]


def _subagent(record: EventBuilder, payload: Fields) -> list[Event]:
    """Return what an agent does, in the log of the one that started it."""
    call_id = text_of(payload.get("parent_tool_call_id")) or text_of(
        payload.get("task_tool_call_id")
    )
    agent = text_of(payload.get("agent_id")) or call_id
    if agent is None:
        return [record.unknown("SubagentEvent")]
    child = Stream(StreamKind.SUBAGENT, agent)
    inner = record.copy()
    inner.stream = child
    event = fields_of(payload.get("event"))
    events = _wire_events(inner, event)
    if call_id is not None and event.get("type") == "TurnBegin":
        name = text_of(payload.get("subagent_type")) or ""
        events.append(record.event("began", ToolProgress(call_id, name), child=child))
    return events


def _asked(record: EventBuilder, payload: Fields) -> list[Event]:
    """The client asks whether a call may be done."""
    action = text_of(payload.get("action")) or "Permission"
    about = text_of(payload.get("description"))
    ask = permission_request(
        text_of(payload.get("id")) or record.name,
        f"{action}: {about}" if about else action,
        text_of(payload.get("tool_call_id")),
        payload,
        record.text_at("message", "payload"),
    )
    return [record.event("ask", ask)]


def _decided(record: EventBuilder, payload: Fields) -> list[Event]:
    call_id = text_of(payload.get("request_id"))
    if call_id is None:
        return [record.hidden("a question was answered", "ApprovalResponse")]
    said = text_of(payload.get("response")) or "answered"
    words = text_of(payload.get("feedback"))
    refused = Denial(DeniedBy.PERSON, words) if said == "reject" else None
    return [record.event("answer", decision(call_id, said, words, refused=refused))]


def _question(record: EventBuilder, payload: Fields) -> list[Event]:
    """A question of a tool: its own call has it too."""
    asked: AskPayload = plan.ask(payload)
    text = asked.questions[0].text if asked.questions else "A question"
    return [record.event("notice", Notification(Topic.SYSTEM, text))]


def _notification(record: EventBuilder, payload: Fields) -> list[Event]:
    severity = text_of(payload.get("severity")) or "info"
    levels = {"error": Level.ERROR, "warning": Level.WARNING}
    text = text_of(payload.get("title")) or "A note of the client"
    topic = Topic.BACKGROUND if payload.get("category") == "task" else Topic.SYSTEM
    level = levels.get(severity, Level.INFO)
    body = Notification(topic, text, level, text_of(payload.get("body")))
    return [record.event("notice", body)]


def _turn_ended(record: EventBuilder, _payload: Fields) -> list[Event]:
    return [record.event("end", Notification(Topic.TURN_END, "Turn complete"))]


def _hook(record: EventBuilder, payload: Fields) -> list[Event]:
    if payload.get("action") != "block":
        return [record.hidden("a hook ended", "HookResolved")]
    text = f"A hook refused {text_of(payload.get('target')) or 'a call'}"
    words = text_of(payload.get("reason"))
    return [record.event("notice", Notification(Topic.HOOK, text, Level.WARNING, words))]


def _silent(reason: str, kind: str) -> Callable[[EventBuilder, Fields], list[Event]]:
    def make(record: EventBuilder, payload: Fields) -> list[Event]:
        _ = payload
        return [record.hidden(reason, kind)]

    return make


_SILENT = {
    "StepBegin": "a step begins",
    "CompactionBegin": "a compaction begins",
    "MCPLoadingBegin": "servers are being asked for their tools",
    "MCPLoadingEnd": "servers are being asked for their tools",
    "HookTriggered": "a hook begins",
    "PlanDisplay": "a plan, which its call has too",
    "ToolCallRequest": "a call that the host does",
    "QuestionResponse": "an answer, which the result of the call has too",
}
_MAKERS: Mapping[str, Callable[[EventBuilder, Fields], list[Event]]] = {
    **{kind: _silent(reason, kind) for kind, reason in _SILENT.items()},
    "TurnBegin": _prompt,
    "TurnEnd": _turn_ended,
    "SteerInput": _steer,
    "ContentPart": _content,
    "ToolCall": _call,
    "ToolCallPart": _call_part,
    "ToolResult": _result,
    "StatusUpdate": _status,
    "StepInterrupted": _interrupted,
    "CompactionEnd": _compacted,
    "SubagentEvent": _subagent,
    "ApprovalRequest": _asked,
    "ApprovalResponse": _decided,
    "ApprovalRequestResolved": _decided,
    "QuestionRequest": _question,
    "Notification": _notification,
    "HookResolved": _hook,
}
TYPES = frozenset(_MAKERS)
"""Types of messages."""

LINES = RecordDecoder(
    EventBuilder, _record_events, re.compile(r'\{\s*"(?:timestamp|type|role)"\s*:')
)
