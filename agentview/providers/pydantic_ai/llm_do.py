"""Events of what llm-do printed with `--json` until 2026: a worker's texts, calls and results."""

from collections.abc import Callable, Sequence

from agentview.domain.events import (
    Attachment,
    Level,
    Message,
    Notification,
    ToolResult,
    Topic,
)
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import fields_of, items_of
from agentview.providers._kit.event_builder import model_facts
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.pydantic_ai.arguments import call_of
from agentview.providers.pydantic_ai.content import blocks_of, text_in
from agentview.providers.pydantic_ai.record import RunRecord


def worker_events(record: RunRecord, record_type: str) -> Sequence[LightEvent]:
    """Events of a record with a `type` and a `worker`."""
    maker = _MAKERS.get(record_type)
    return maker(record) if maker is not None else [record.unknown(record_type)]


def _request(record: RunRecord) -> Sequence[LightEvent]:
    fields = record.fields
    said = fields.get("user_input")
    files = [item for item in record.record.attachments or () if isinstance(item, str)]
    events: list[LightEvent] = []
    if said:
        events.append(record.event("prompt", spoken(text_in(said))))
    instructions = record.record.instructions
    if instructions:
        body = Attachment("instructions", "instructions", instructions)
        events.append(record.event("instructions", body))
    events += [
        record.event(f"file{at}", Attachment(path, "file", path=path))
        for at, path in enumerate(files)
    ]
    return events or [hidden(record, "a request without words", "initial_request")]


def _status(record: RunRecord) -> Sequence[LightEvent]:
    model = record.record.model
    facts = model_facts(model) if model else None
    return [hidden(record, "what the worker is doing", "status", facts=facts)]


def _user(record: RunRecord) -> Sequence[LightEvent]:
    return [record.event("prompt", spoken(text(record.fields, "content", "text", "message") or ""))]


def _text(record: RunRecord) -> Sequence[LightEvent]:
    """A piece of a text, or all of it again."""
    fields = record.fields
    run = f"text/{fields.get('worker')}"
    whole = fields.get("is_delta") is not True
    body = Message(text_in(fields.get("content")))
    return [record.event("text", body, run=run, whole=whole)]


def _call(record: RunRecord) -> Sequence[LightEvent]:
    own = record.record
    given = own.args_json or record.value_of(own.args)
    call = call_of(record, own.tool_name or None, own.tool_call_id, given, own.args, ())
    if call is None:
        return [record.unknown("tool_call without a name")]
    return [record.event("call", call, amends=True)]


def _result(record: RunRecord) -> Sequence[LightEvent]:
    fields = record.fields
    content = fields.get("content")
    failed, own = record.record.is_error, record.record.tool_call_id
    ok = not failed if isinstance(failed, bool) else None
    body = ToolResult(
        record.name if own is None else own,
        ok,
        blocks_of(content),
        structured=fields_of(content) or items_of(content) or None,
        error=text_in(content) or None if ok is False else None,
    )
    return [record.event("result", body)]


def _deferred(record: RunRecord) -> Sequence[LightEvent]:
    name = record.record.tool_name or "a tool"
    status = record.record.status or "deferred"
    return [record.event("deferred", Notification(Topic.SYSTEM, f"{name}: {status}"))]


def _approval(record: RunRecord) -> Sequence[LightEvent]:
    name = record.record.tool_name or "a tool"
    why = text(record.fields, "reason", "description")
    note = Notification(Topic.SYSTEM, f"Approval asked for {name}", Level.WARNING, why)
    return [record.event("approval", note)]


def _end(record: RunRecord) -> Sequence[LightEvent]:
    return [record.event("end", Notification(Topic.TURN_END, "Run complete"), run="")]


def _error(record: RunRecord) -> Sequence[LightEvent]:
    said = text(record.fields, "message", "error", "content") or "Error"
    return [record.event("error", Notification(Topic.API_ERROR, said, Level.ERROR), run="")]


_MAKERS: dict[str, Callable[[RunRecord], Sequence[LightEvent]]] = {
    "initial_request": _request,
    "status": _status,
    "user_message": _user,
    "text_response": _text,
    "tool_call": _call,
    "tool_result": _result,
    "deferred_tool": _deferred,
    "completion": _end,
    "error": _error,
    "approval_request": _approval,
}

WORKER_TYPES = frozenset(_MAKERS)
"""Types of records, all of which name a worker."""
