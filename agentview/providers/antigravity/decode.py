"""What happened: the events of one step of a conversation.

Source: transcripts that others published, of June 2026. A call has no id: what came of it is one of
the steps that follow the response with the call, in the order of the calls.
"""

import re
from collections.abc import Callable, Mapping

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    ToolResult,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import EventBuilder, whole_response
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers.antigravity.tools import find_tool, plain_arguments

_REQUEST = re.compile(r"<USER_REQUEST>\n?(.*?)\n?</USER_REQUEST>", re.DOTALL)
_MODEL = re.compile(r"`Model Selection` from .{0,200}? to ([^\n]{1,200}?)\.?(?:\n|\Z)")
_CODE = re.compile(r"\bexit code:? ?(-?\d{1,10})\b", re.IGNORECASE)
_SAID_CHARS = 400
_PERSON = "USER_EXPLICIT"
_RESULTS = {"DONE": True, "ERROR": False, "FAILED": False}
_STOPPED = frozenset({"CANCELED", "CANCELLED", "INTERRUPTED"})


class StepRecord(EventBuilder):
    """A step, with its time."""

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.time = time_of(fields.get("created_at"))

    @property
    def index(self) -> int | None:
        """Its number in the conversation."""
        return whole_of(self.fields.get("step_index"))


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: StepRecord) -> list[Event]:
    fields = record.fields
    kind = text_of(fields.get("type"))
    if kind is None or record.index is None:
        return [record.unknown(kind or "(none)")]
    make = _MAKERS.get(kind)
    if make is not None:
        return make(record, text_of(fields.get("content")) or "")
    # A step of the model that says nothing itself is what a tool did.
    return _done(record) if fields.get("source") == "MODEL" else [record.unknown(kind)]


LINES = RecordDecoder(
    StepRecord,
    _record_events,
    re.compile(r'\{\s*"(?:step_index|source|type)"\s*:'),
    discovery_keys=("step_index",),
)


def _user(record: StepRecord, content: str) -> list[Event]:
    """A prompt, in a tag of its own, with what the client says around it."""
    model = _MODEL.search(content)
    if model is not None:
        record.facts = Facts(model=model[1])
    found = _REQUEST.search(content)
    words = found[1] if found is not None else content
    around = _REQUEST.sub("", content).strip() if found is not None else ""
    if record.fields.get("source") not in (_PERSON, None) and found is None:
        return [record.event("note", Attachment("note", "note", content))]
    return [record.event("prompt", User(words, context=(around,) if around else ()))]


def _response(record: StepRecord, content: str) -> list[Event]:
    """Return what the model thought, said and called."""
    record.response_id = record.name
    events: list[Event] = []
    thought = text_of(record.fields.get("thinking"))
    if thought is not None and thought.strip():
        events.append(record.event("thought", Reasoning(thought)))
    if content.strip():
        events.append(record.event("text", Message(content)))
    for at, each in enumerate(map(fields_of, items_of(record.fields.get("tool_calls")))):
        name = text_of(each.get("name")) or "(none)"
        args = plain_arguments(fields_of(each.get("args")))
        call = tool_call(
            call_id=_call_id((record.index or 0) + 1 + at),
            name=name,
            arguments=args,
            spec=find_tool(name, args),
            title=text_of(args.get("toolSummary")),
        )
        events.append(record.event(f"call/{at}", call))
    hidden = record.hidden("a response without words", "PLANNER_RESPONSE")
    return whole_response(events) or [hidden]


def _call_id(step: int) -> str:
    """The id of the call whose outcome is this step."""
    return f"step-{step}"


def _done(record: StepRecord) -> list[Event]:
    """Return what came of a call: the step has its text and whether it was done."""
    content = text_of(record.fields.get("content"))
    status = text_of(record.fields.get("status")) or ""
    ok = _RESULTS.get(status)
    code = _CODE.search((content or "")[:_SAID_CHARS])
    if ok and code is not None and int(code[1]) != 0:
        ok = False
    outcome = ToolResult(
        _call_id(record.index or 0),
        ok,
        (TextBlock(content),) if content else (),
        error=content if ok is False else None,
        interrupted=status in _STOPPED,
    )
    return [record.event("result", outcome)]


def _compacted(record: StepRecord, content: str) -> list[Event]:
    body = Compaction(summary=content or None)
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _note(record: StepRecord, content: str) -> list[Event]:
    return [record.event("note", Attachment("system message", "instructions", content))]


def _failed(record: StepRecord, content: str) -> list[Event]:
    words = content or "An error without words"
    return [record.event("error", Notification(error_topic(words), words, Level.ERROR))]


def _history(record: StepRecord, _content: str) -> list[Event]:
    return [record.hidden("earlier conversations, for the model", "CONVERSATION_HISTORY")]


_MAKERS: Mapping[str, Callable[[StepRecord, str], list[Event]]] = {
    "USER_INPUT": _user,
    "PLANNER_RESPONSE": _response,
    "CHECKPOINT": _compacted,
    "SYSTEM_MESSAGE": _note,
    "ERROR_MESSAGE": _failed,
    "CONVERSATION_HISTORY": _history,
}
