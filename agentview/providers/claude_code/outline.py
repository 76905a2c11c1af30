"""What joins a record with others, straight from its fields: the records that most of a log is of.

Made for indexing, where no event is looked at: a part of a response, the result of a call, and the
client's bookkeeping. Everything else goes through the events, which say the same of these too.
"""

from typing import cast

import orjson

from agentview.domain.activity import RowKind
from agentview.domain.events import Event, TokenUsage
from agentview.domain.outline import KIND_CODES, NO_ROW, EventFact, Flag, Role, Signal
from agentview.domain.session import MAIN_STREAM, SessionRef, Stream
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolKind
from agentview.providers.claude_code import tools
from agentview.providers.claude_code.assistant import SYNTHETIC, usage_of
from agentview.providers.claude_code.decode import decode, decode_parsed
from agentview.providers.claude_code.frame import Fields, Frame, fields_of, text_of
from agentview.providers.claude_code.state import BOOKKEEPING, MAKERS, told_by

Outline = tuple[EventFact, ...]

_MESSAGE = KIND_CODES[RowKind.MESSAGE]
_REASONING = KIND_CODES[RowKind.REASONING]
_RESULT = KIND_CODES[RowKind.RESULT]
_HIDDEN = KIND_CODES[RowKind.HIDDEN]
_SPECIAL = frozenset({ToolKind.SUBAGENT_TASK, ToolKind.PLAN, ToolKind.ASK})
"""Kinds whose arguments matter for more than showing them."""


def outline(record: bytes, source: SourceRef, session: SessionRef) -> Outline | list[Event]:
    """Facts of a record, one an event, or its events when the record is of no common form."""
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return decode(record, source, session)
    fields = fields_of(value)
    found = _quick(Frame(fields, record, source, session), session) if fields else None
    return decode_parsed(value, record, source, session) if found is None else found


def _quick(frame: Frame, session: SessionRef) -> Outline | None:
    record_type = frame.fields.get("type")
    side = None if frame.stream in (session.stream, MAIN_STREAM) else frame.stream
    if record_type == "assistant":
        return _response(frame, side)
    if record_type == "user":
        return _result(frame, side)
    if isinstance(record_type, str) and record_type in BOOKKEEPING and record_type not in MAKERS:
        return _bookkeeping(frame, side, record_type)
    return None


def _response(frame: Frame, side: Stream | None) -> Outline | None:
    message = fields_of(frame.fields.get("message"))
    model = text_of(message.get("model"))
    content = message.get("content")
    if model == SYNTHETIC or frame.fields.get("isApiErrorMessage") is True:
        return None
    if not isinstance(content, list) or not content:
        return None
    frame.model = model
    response = (
        text_of(message.get("id")) or text_of(frame.fields.get("requestId")) or frame.record_id
    )
    found: list[EventFact] = []
    for index, item in enumerate(cast("list[object]", content)):
        fact = _block(frame, side, response, index, fields_of(item))
        if fact is None:
            return None
        found.append(fact)
    usage = message.get("usage")
    if isinstance(usage, dict):
        body = TokenUsage(response, usage_of(cast("Fields", usage)), model)
        found.append(
            EventFact(
                len(found), NO_ROW, _flags(side), replaces=f"usage:{response}", response=response,
                stream=side, time=frame.time, usage=body, facts=frame.facts,
            )
        )  # fmt: skip
    return tuple(found)


def _block(
    frame: Frame, side: Stream | None, response: str, index: int, block: Fields
) -> EventFact | None:
    kind = block.get("type")
    flags = _flags(side)
    if kind == "tool_use":
        return _call(frame, side, response, index, block)
    if kind == "text":
        text = block.get("text")
        if not isinstance(text, str):
            return None
        empty = not text or text.isspace()
        code, signal = (_HIDDEN, Signal.NONE) if empty else (_MESSAGE, Signal.PERSON)
        flags |= Flag.BOOKKEEPING if empty else 0
    elif kind == "thinking":
        code, signal = _REASONING, Signal.AGENT
    else:
        return None
    return EventFact(
        index, code, flags, dedupe=_twin(frame, str(index)), response=response, stream=side,
        signal=signal, time=frame.time, facts=frame.facts,
    )  # fmt: skip


def _call(
    frame: Frame, side: Stream | None, response: str, index: int, block: Fields
) -> EventFact | None:
    name, call_id, given = block.get("name"), block.get("id"), block.get("input")
    spec = tools.spec_for(name) if isinstance(name, str) else None
    if spec is None or spec.kind in _SPECIAL or not isinstance(given, dict):
        return None
    if not isinstance(call_id, str) or not call_id or "__unparsedToolInput" in given:
        return None
    return EventFact(
        index, KIND_CODES[spec.kind], _flags(side), Role.CALL, call_id,
        dedupe=_twin(frame, str(index)), response=response, stream=side, signal=Signal.AGENT,
        time=frame.time, facts=frame.facts,
    )  # fmt: skip


def _result(frame: Frame, side: Stream | None) -> Outline | None:
    """The result of a call that succeeded and started no agent."""
    fields = frame.fields
    content = fields_of(fields.get("message")).get("content")
    if not isinstance(content, list) or len(cast("list[object]", content)) != 1:
        return None
    block = fields_of(cast("list[object]", content)[0])
    call_id = block.get("tool_use_id")
    if block.get("type") != "tool_result" or not isinstance(call_id, str) or not call_id:
        return None
    structured = fields.get("toolUseResult")
    if block.get("is_error") not in (None, False) or isinstance(structured, str):
        return None
    told = fields_of(structured)
    if "agentId" in told or "is_error" in told or fields.get("isCompactSummary") is True:
        return None
    return (
        EventFact(
            0, _RESULT, _flags(side), Role.RESULT, call_id, dedupe=_twin(frame, "0"), stream=side,
            signal=Signal.AGENT, time=frame.time, facts=frame.facts,
        ),
    )  # fmt: skip


def _bookkeeping(frame: Frame, side: Stream | None, record_type: str) -> Outline:
    return (
        EventFact(
            0, _HIDDEN, _flags(side) | Flag.BOOKKEEPING, dedupe=_twin(frame, "hidden"),
            stream=side, time=frame.time, facts=told_by(frame, record_type) or frame.facts,
        ),
    )  # fmt: skip


def _flags(side: Stream | None) -> int:
    return 0 if side is None else Flag.SIDE


def _twin(frame: Frame, suffix: str) -> str | None:
    return f"{frame.uuid}:{suffix}" if frame.uuid is not None else None
