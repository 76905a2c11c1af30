"""What happened: the events of one record of a tool trace."""

import re
from collections.abc import Callable, Mapping
from typing import cast

import orjson

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import (
    OPEN,
    Event,
    Facts,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    ToolProgress,
    ToolResult,
    Topic,
    Unparsed,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import Fields, flag, items, mapping, number, text
from agentview.normalize.json_values import time_of
from agentview.normalize.tools.registry import FAMILIES
from agentview.providers._kit.acp.content import blocks_of
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.happier.tools import metadata, name_of, spec_for

AROUND = re.compile(
    rb'\s*+(?:\{[^{}]*"examples"\s*:\s*\{)?[\s\],]*+(?:"[^"]{1,300}"\s*:\s*\[)?\s*+'
    rb"|[\s\]}]++",
    re.DOTALL,
)
"""What stands between the records of a file of fixtures."""

_RECORD_START = re.compile(r'\{\s*"(?:v|ts|kind|sessionId|direction)"\s*:')
_CALLS = frozenset({"tool-call", "tool_use"})
_RESULTS = frozenset({"tool-result", "tool-call-result", "tool_result"})
_FAILED = frozenset({"failed", "error", "cancelled", "denied", "aborted"})
_OUTPUTS = ("value", "output", "aggregated_output", "text", "content", "result")
_AROUND_BYTES = 4096


class _Record(EventBuilder):
    """A record of a trace."""

    __slots__ = ("payload",)

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.payload = mapping(fields.get("payload"))
        self.time = time_of(fields.get("ts"))
        self.facts = _facts(fields, self.payload)


def _facts(fields: Fields, payload: Fields) -> Facts | None:
    """Where the agent works and who it is, by the record or by the metadata of its payload."""
    own = metadata(payload.get("input")) or metadata(payload.get("output"))
    facts = Facts(
        cwd=text(mapping(payload.get("input")), "cwd"),
        agent=text(own, "provider") or text(fields, "provider"),
        protocol=text(own, "protocol") or text(fields, "protocol"),
    )
    return facts if facts != Facts() else None


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    if len(record) < _AROUND_BYTES and record.strip() and AROUND.fullmatch(record):
        return [
            _outside(
                Hidden("what is around the records of a document", "document"), source, session
            )
        ]
    return line_events(record, source, session, LINES)


def _outside(body: Unparsed | Hidden, source: SourceRef, session: SessionRef) -> Event:
    """An event of something that is not a record."""
    return Event("outside", session.session_id, source, body, session.stream)


def _events(record: _Record) -> list[Event]:
    kind = text(record.fields, "kind") or "(none)"
    form = text(record.payload, "type") or kind
    if form in _CALLS or kind in _CALLS:
        return [_call(record)]
    if form in _RESULTS or kind in _RESULTS:
        return [_result(record)]
    if kind == "permission-request":
        return _permission(record)
    make = _MORE.get(form)
    if make is not None:
        return make(record)
    words = text(record.payload, "message", "text", "content")
    if form in ("message", "text") and words is not None:
        return [record.event("message", Message(words))]
    if form in ("reasoning", "thinking") and words is not None:
        return [record.event("thought", Reasoning(words))]
    return [record.unknown(kind)]


def _call_id(payload: Fields) -> str:
    return text(payload, "callId", "tool_use_id", "permissionId", "id") or ""


def _call(record: _Record) -> Event:
    payload = record.payload
    call_id, recorded = _call_id(payload), payload.get("input")
    args = mapping(recorded)
    name = name_of(text(payload, "name") or "", args)
    body = tool_call(
        call_id=call_id,
        name=name,
        arguments=args if isinstance(recorded, Mapping) else _loose(recorded),
        raw=record.text_at("payload", "input") if isinstance(recorded, Mapping) else None,
        spec=spec_for(name, call_id, args),
        title=text(mapping(args.get("_acp")), "title"),
    )
    return record.event("call", body, amends=True, path=OPEN)


def _loose(recorded: object) -> str | None:
    if recorded is None or isinstance(recorded, str):
        return recorded
    return orjson.dumps(recorded, default=str).decode()


def _permission(record: _Record) -> list[Event]:
    """Return what the client asked the person; the traces have no answer."""
    payload = record.payload
    call_id = _call_id(payload)
    name = text(payload, "toolName") or ""
    options = mapping(payload.get("options"))
    asked = mapping(options.get("toolCall"))
    recorded = payload.get("input") or options.get("input") or asked.get("rawInput")
    args = mapping(recorded)
    body = tool_call(
        call_id=call_id,
        name=name_of(name, args),
        arguments=args or None,
        spec=spec_for(name_of(name, args), call_id, args),
        title=text(asked, "title"),
    )
    labels = [text(mapping(each), "name", "id") or "" for each in items(options.get("options"))]
    what = text(asked, "title") or text(payload, "description") or name
    notice = Notification(
        Topic.SYSTEM, f"Permission asked: {what}", detail=", ".join(labels) or None, call_id=call_id
    )
    return [record.event("call", body, amends=True, path=OPEN), record.event("permission", notice)]


def _result(record: _Record) -> Event:
    payload = record.payload
    recorded = payload["output"] if "output" in payload else payload.get("content")
    fields = mapping(recorded)
    error = _error(fields)
    failed = error is not None or _failed(payload) or _failed(fields)
    if failed and error is None:
        # What a result that went well says under the same key is its output.
        error = text(fields, "message")
    body = ToolResult(
        _call_id(payload),
        ok=not failed,
        output=_output(recorded, fields),
        structured=_structured(fields),
        error=error,
    )
    return record.event("result", body)


def _error(fields: Fields) -> str | None:
    found = fields.get("error")
    return (
        text(fields, "errorMessage")
        or text(mapping(found), "message")
        or (found if isinstance(found, str) and found else None)
    )


def _failed(fields: Fields) -> bool:
    return (
        flag(fields, "isError", "is_error")
        or any(fields.get(key) is False for key in ("ok", "success", "applied"))
        or text(fields, "status") in _FAILED
        or number(fields, "exit_code", "exitCode") not in (None, 0)
    )


def _structured(fields: Fields) -> object:
    """The result without what is said of it; the file of a read stands on a level of its own."""
    inner = mapping(fields.get("file"))
    kept = {
        key: value for key, value in fields.items() if key not in ("_happy", "_happier", "_raw")
    }
    return {**kept, **inner} or None


def _output(recorded: object, fields: Fields) -> tuple[Block, ...]:
    if isinstance(recorded, str):
        return (TextBlock(recorded),) if recorded else ()
    if isinstance(recorded, list):
        return blocks_of(items(cast("object", recorded)))
    if items(fields.get("content")):
        return blocks_of(items(fields.get("content")))
    streams = [text(fields, key) for key in ("stdout", "stderr")]
    said = [each for each in streams if each] or [text(fields, *_OUTPUTS)]
    if said[0]:
        return tuple(TextBlock(each) for each in said if each)
    kept = {key: value for key, value in fields.items() if not key.startswith("_")}
    return (JsonBlock(kept),) if kept and not metadata(fields) else ()


def _edited(record: _Record) -> list[Event]:
    """A file that the agent changed, as its client reported it: no call is recorded."""
    payload = record.payload
    call_id = _call_id(payload) or f"edit@{record.source.offset}"
    args = {
        "file_path": payload.get("filePath"),
        "old_string": payload.get("oldContent"),
        "new_string": payload.get("newContent"),
    }
    diff = text(payload, "diff")
    family = "edit" if diff is None else "diff"
    given = {key: value for key, value in args.items() if value is not None}
    call = tool_call(
        call_id=call_id,
        name="file-edit",
        arguments=given if diff is None else {**given, "diff": diff},
        spec=FAMILIES[family],
        title=text(payload, "description"),
    )
    return [record.event("call", call), record.event("result", ToolResult(call_id, ok=True))]


def _written(record: _Record) -> list[Event]:
    call_id, said = _call_id(record.payload), text(record.payload, "data") or ""
    return [record.event("progress", ToolProgress(call_id, said))]


def _quiet(record: _Record) -> list[Event]:
    form = text(record.payload, "type") or text(record.fields, "kind") or ""
    return [record.event("hidden", Hidden("how far a turn has come", form))]


def _completed(record: _Record) -> list[Event]:
    return [record.event("end", Notification(Topic.TURN_END, "Turn complete"))]


def _aborted(record: _Record) -> list[Event]:
    words = "The turn was aborted"
    return [record.event("end", Notification(Topic.INTERRUPT, words, Level.WARNING))]


def _decided(record: _Record) -> list[Event]:
    """Return what the person said to a question for leave."""
    approved = record.payload.get("approved")
    words = "refused" if approved is False else "given" if approved is True else "answered"
    call_id = _call_id(record.payload)
    note = Notification(Topic.SYSTEM, f"Permission {words}", call_id=call_id)
    return [record.event("permission", note)]


_MORE: Mapping[str, Callable[[_Record], list[Event]]] = {
    "file-edit": _edited,
    "fs-edit": _edited,
    "terminal-output": _written,
    "permission-response": _decided,
    "task_started": _quiet,
    "token_count": _quiet,
    "token-count": _quiet,
    "task_complete": _completed,
    "turn_aborted": _aborted,
}
"""Records that are neither of a call nor of words, by the form of their payload."""

LINES = RecordDecoder(_Record, _events, _RECORD_START)
