"""What happened: the events of one step of a conversation.

Source: transcripts that others published, of June 2026. A call has no id: what came of it is one of
the steps that follow the response with the call, in the order of the calls.
"""

import re
from collections.abc import Sequence

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Level,
    Notification,
    Reset,
    ToolResult,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import fields_of, text_of, time_of, whole_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.antigravity.schema import Asked, Step
from agentview.providers.antigravity.tools import find_tool, plain_arguments

_REQUEST = re.compile(r"<USER_REQUEST>\n?(.*?)\n?</USER_REQUEST>", re.DOTALL)
_MODEL = re.compile(r"`Model Selection` from .{0,200}? to ([^\n]{1,200}?)\.?(?:\n|\Z)")
_CODE = re.compile(r"\bexit code:? ?(-?\d{1,10})\b", re.IGNORECASE)
_SAID_CHARS = 400
_PERSON = "USER_EXPLICIT"
_RESULTS = {"DONE": True, "ERROR": False, "FAILED": False}
_STOPPED = frozenset({"CANCELED", "CANCELLED", "INTERRUPTED"})


class StepRecord(TypedBuilder[Step], gc=False):
    """A step, with its time."""

    index: int = 0
    """Its number in the conversation."""

    @property
    def content(self) -> str:
        return self.record.content or ""


def _step(record: Step, raw: bytes, source: SourceRef, session: SessionRef) -> StepRecord:
    return StepRecord.of(record, raw, source, session, time=time_of(record.created_at))


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


RECORDS = Records[StepRecord](hidden={})


def _record_events(record: StepRecord) -> Sequence[LightEvent]:
    kind, index = record.record.type or "(none)", whole_of(record.record.step_index)
    if index is None:
        return [record.unknown(kind)]
    record.index = index
    if record.record.source == "MODEL" and record.record.type and kind not in RECORDS.makers:
        # A step of the model that says nothing itself is what a tool did.
        return _done(record)
    return RECORDS(record, kind)


LINES = TypedLines(
    Step, _step, _record_events, re.compile(r'\{\s*"(?:step_index|source|type)"\s*:')
)


@RECORDS.on("USER_INPUT")
def _user(record: StepRecord) -> Sequence[LightEvent]:
    """A prompt, in a tag of its own, with what the client says around it."""
    content = record.content
    model = _MODEL.search(content)
    if model is not None:
        record.facts = Facts(model=model[1])
    found = _REQUEST.search(content)
    if found is None:
        if record.record.source not in (_PERSON, "", None):
            return [record.event("note", Attachment("note", "note", content))]
        return [record.event("prompt", spoken(content))]
    around = _REQUEST.sub("", content).strip()
    prompt = spoken(found[1], context=(around,) if around else ())
    return [record.event("prompt", prompt)]


@RECORDS.on("PLANNER_RESPONSE")
def _response(record: StepRecord) -> Sequence[LightEvent]:
    """A response: thought, text and calls."""
    own, events = record.record, list[LightEvent]()
    record.response_id = record.name
    if own.thinking and own.thinking.strip():
        events.append(record.thought_part("thought", own.thinking))
    if record.content.strip():
        events.append(record.text_part("text", record.content))
    for at, asked in enumerate(own.tool_calls or ()):
        events.append(_call(record, at, asked or Asked()))
    return whole_response(events) or [
        hidden(record, "a response without words", "PLANNER_RESPONSE")
    ]


def _call(record: StepRecord, at: int, asked: Asked) -> LightEvent:
    call_id, name = _call_id(record.index + 1 + at), asked.name or "(none)"
    made = (record, call_id, name, asked)
    return record.call_event(f"call/{at}", call_id, _known(name), _whole_call, made)


_known = known_calls(lambda name: find_tool(name, {}))


def _whole_call(record: StepRecord, call_id: str, name: str, asked: Asked) -> ToolCall:
    args = plain_arguments(fields_of(record.value_of(asked.args)))
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=args,
        spec=find_tool(name, args),
        title=text_of(args.get("toolSummary")),
    )


def _call_id(step: int) -> str:
    return f"step-{step}"


def _done(record: StepRecord) -> Sequence[LightEvent]:
    """The result of a call, from the text and the status of its step."""
    content, status = record.content, record.record.status or ""
    ok = _RESULTS.get(status)
    code = _CODE.search(content[:_SAID_CHARS])
    if ok and code is not None and int(code[1]) != 0:
        ok = False
    own = _call_id(record.index)
    made = (own, ok, content, status in _STOPPED)
    failed = None if ok is None else not ok
    return [record.result_part("result", own, _outcome, made, failed=failed)]


def _outcome(own: str, ok: bool | None, content: str, stopped: bool) -> ToolResult:
    return ToolResult(
        own,
        ok,
        (TextBlock(content),) if content else (),
        error=(content or None) if ok is False else None,
        interrupted=stopped,
    )


@RECORDS.on("CHECKPOINT")
def _compacted(record: StepRecord) -> Sequence[LightEvent]:
    body = Compaction(summary=record.content or None)
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


@RECORDS.on("SYSTEM_MESSAGE")
def _note(record: StepRecord) -> Sequence[LightEvent]:
    return [record.event("note", Attachment("system message", "instructions", record.content))]


@RECORDS.on("ERROR_MESSAGE")
def _failed(record: StepRecord) -> Sequence[LightEvent]:
    words = record.content or "An error without words"
    return [record.event("error", Notification(error_topic(words), words, Level.ERROR))]


@RECORDS.on("CONVERSATION_HISTORY")
def _history(record: StepRecord) -> Sequence[LightEvent]:
    return [hidden(record, "earlier conversations, for the model", "CONVERSATION_HISTORY")]
