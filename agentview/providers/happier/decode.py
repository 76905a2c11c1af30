"""Events of one record of a tool trace."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import orjson
from msgspec import UNSET, field

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import (
    OPEN,
    Event,
    Facts,
    Hidden,
    Level,
    Notification,
    ToolProgress,
    ToolResult,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tool_inputs import AskOption, AskQuestion
from agentview.domain.tools import Denial, DeniedBy
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import Fields, as_text, flag, items, mapping, number, text
from agentview.normalize.json_values import changed, time_of, without
from agentview.normalize.tools.registry import FAMILIES
from agentview.providers._kit.acp.content import blocks_of
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, TypedLines, hidden
from agentview.providers.happier.schema import Payload, Record
from agentview.providers.happier.tools import metadata, name_of, spec_for

AROUND = re.compile(
    rb'\s*+(?:\{[^{}]*"examples"\s*:\s*\{)?[\s\],]*+(?:"[^"]{1,300}"\s*:\s*\[)?\s*+'
    rb"|[\s\]}]++",
    re.DOTALL,
)
"""Text between the records of a file of fixtures."""

_RECORD_START = re.compile(r'\{\s*"(?:v|ts|kind|sessionId|direction)"\s*:')
_CALLS = frozenset({"tool-call", "tool_use"})
_RESULTS = frozenset({"tool-result", "tool-call-result", "tool_result"})
_FAILED = frozenset({"failed", "error", "cancelled", "denied", "aborted"})
_OUTPUTS = ("value", "output", "aggregated_output", "text", "content", "result")
_AROUND_BYTES = 4096


class TraceRecord(TypedBuilder[Record], gc=False):
    """A record of a trace."""

    payload: Payload = field(default_factory=Payload)
    input: object = None
    """The arguments of a call."""
    output: object = None
    """Outcome of a call."""

    @property
    def call_id(self) -> str:
        """The id of the call that the record is about."""
        own = self.payload
        return _said(own.call_id, own.tool_use_id, own.permission_id, own.id) or ""


def _record(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> TraceRecord:
    given = record.payload
    payload = _PAYLOADS.typed(given.encode()) if isinstance(given, str) else given or _NO_PAYLOAD
    return TraceRecord.of(record, raw, source, session, time=time_of(record.ts), payload=payload)


def _said(*values: object) -> str | None:
    return next((as_text(value) for value in values if value is not None), None)


def _facts(record: Record, args: Fields, output: object) -> Facts | None:
    """Where the agent works and who it is, by the record or by the metadata of its payload."""
    own = metadata(args) or metadata(output)
    facts = Facts(
        cwd=text(args, "cwd"),
        agent=text(own, "provider") or as_text(record.provider),
        protocol=text(own, "protocol") or as_text(record.protocol),
    )
    return facts if facts != Facts() else None


class _Traces(TypedLines[TraceRecord]):
    """Lines, and what is around the records of a document."""

    def _damaged(self, line: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        if len(line) < _AROUND_BYTES and line.strip() and AROUND.fullmatch(line):
            body = Hidden("what is around the records of a document", "document")
            return [Event("outside", session.session_id, source, body, session.stream)]
        return super()._damaged(line, source, session)


def _events(record: TraceRecord) -> Sequence[LightEvent]:
    own = record.payload
    output = own.content if own.output is UNSET else own.output
    record.input, record.output = record.value_of(own.input), record.value_of(output)
    record.facts = _facts(record.record, mapping(record.input), record.output)
    kind = as_text(record.record.kind) or "(none)"
    form = as_text(own.type) or kind
    if form in _CALLS or kind in _CALLS:
        return [_call(record)]
    if form in _RESULTS or kind in _RESULTS:
        return [_result(record)]
    if kind == "permission-request":
        return _permission(record)
    make = _MORE.get(form)
    if make is not None:
        return make(record)
    words = _said(own.message, own.text, record.value_of(own.content))
    if form in ("message", "text") and words is not None:
        return [record.text_part("message", words)]
    if form in ("reasoning", "thinking") and words is not None:
        return [record.thought_part("thought", words)]
    return [record.unknown(kind)]


def _call(record: TraceRecord) -> Event:
    call_id, recorded = record.call_id, record.input
    args = mapping(recorded)
    name = name_of(as_text(record.payload.name) or "", args)
    whole = isinstance(recorded, Mapping)
    body = tool_call(
        call_id=call_id,
        name=name,
        arguments=args if whole else _loose(recorded),
        raw=record.exact(record.payload.input, "payload", "input") if whole else None,
        spec=spec_for(name, call_id, args),
        title=text(mapping(args.get("_acp")), "title"),
    )
    return record.event("call", body, amends=True, path=OPEN)


def _loose(recorded: object) -> str | None:
    if recorded is None or isinstance(recorded, str):
        return recorded
    return orjson.dumps(recorded, default=str).decode()


def _permission(record: TraceRecord) -> Sequence[LightEvent]:
    """Return the question to the person; most traces have no answer."""
    call_id, name = record.call_id, as_text(record.payload.tool_name) or ""
    options = mapping(record.value_of(record.payload.options))
    asked = mapping(options.get("toolCall"))
    args = mapping(record.input or options.get("input") or asked.get("rawInput"))
    title = text(asked, "title")
    body = tool_call(
        call_id=call_id,
        name=name_of(name, args),
        arguments=args or None,
        spec=spec_for(name_of(name, args), call_id, args),
        title=title,
    )
    labels = (text(mapping(each), "name", "id") for each in items(options.get("options")))
    choices = tuple(AskOption(label) for label in labels if label)
    what = title or as_text(record.payload.description) or name
    question = AskQuestion(what, "Permission", options=choices)
    asked_for = permission_request(f"{call_id}/ask", question, call_id, args)
    return [
        record.event("call", body, amends=True, path=OPEN),
        record.event("permission", asked_for),
    ]


def _result(record: TraceRecord) -> Event:
    recorded = record.output
    fields = mapping(recorded)
    error = _error(fields)
    failed = error is not None or _failed(record.values_at("payload")) or _failed(fields)
    if failed and error is None:
        # What a result that went well says under the same key is its output.
        error = text(fields, "message")
    body = ToolResult(
        record.call_id,
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
    left_out = ("_happy", "_happier", "_raw", *inner)
    return changed(inner, without(fields, left_out)) or None


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


def _edited(record: TraceRecord) -> Sequence[LightEvent]:
    """A file that the agent changed, as its client reported it: no call is recorded."""
    own = record.payload
    call_id = record.call_id or f"edit@{record.source.offset}"
    args = {
        "file_path": own.file_path, "old_string": own.old_content, "new_string": own.new_content
    }  # fmt: skip
    diff = as_text(own.diff)
    family = "edit" if diff is None else "diff"
    given = {key: value for key, value in args.items() if value is not None}
    call = tool_call(
        call_id=call_id,
        name="file-edit",
        arguments=given if diff is None else {**given, "diff": diff},
        spec=FAMILIES[family],
        title=as_text(own.description),
    )
    return [record.event("call", call), record.event("result", ToolResult(call_id, ok=True))]


def _written(record: TraceRecord) -> Sequence[LightEvent]:
    said = as_text(record.payload.data) or ""
    return [record.event("progress", ToolProgress(record.call_id, said))]


def _quiet(record: TraceRecord) -> Sequence[LightEvent]:
    form = _said(record.payload.type, record.record.kind) or ""
    return [hidden(record, "how far a turn has come", form)]


def _completed(record: TraceRecord) -> Sequence[LightEvent]:
    return [record.event("end", Notification(Topic.TURN_END, "Turn complete"))]


def _aborted(record: TraceRecord) -> Sequence[LightEvent]:
    words = "The turn was aborted"
    return [record.event("end", Notification(Topic.INTERRUPT, words, Level.WARNING))]


def _decided(record: TraceRecord) -> Sequence[LightEvent]:
    """Return the answer to a request for approval."""
    approved = record.payload.approved
    said = "approved" if approved is True else "denied" if approved is False else None
    refused = Denial(DeniedBy.PERSON) if approved is False else None
    answer = decision(f"{record.call_id}/ask", said, refused=refused)
    return [record.event("permission", answer)]


_MORE: Mapping[str, Callable[[TraceRecord], Sequence[LightEvent]]] = {
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

LINES = _Traces(Record, _record, _events, _RECORD_START)
_PAYLOADS = TypedLines(Payload, _record, _events)
_NO_PAYLOAD = Payload()
