"""Events of what llm-do printed with `--json` until 2026: a worker's texts, calls and results."""

from collections.abc import Callable

from agentview.domain.events import (
    Attachment,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    ToolResult,
    Topic,
)
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import fields_of, items_of, text_of
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.pydantic_ai.arguments import call_of
from agentview.providers.pydantic_ai.content import blocks_of, text_in
from agentview.providers.pydantic_ai.event_builder import Frame


def worker_events(frame: Frame, record_type: str) -> list[Event]:
    """Events of a record with a `type` and a `worker`."""
    maker = _MAKERS.get(record_type)
    return maker(frame) if maker is not None else [frame.unknown(record_type)]


def _request(frame: Frame) -> list[Event]:
    fields = frame.fields
    said = fields.get("user_input")
    files = [item for item in items_of(fields.get("attachments")) if isinstance(item, str)]
    events = [frame.event("prompt", spoken(text_in(said)))] if said else []
    instructions = text_of(fields.get("instructions"))
    if instructions is not None:
        body = Attachment("instructions", "instructions", instructions)
        events.append(frame.event("instructions", body))
    events += [
        frame.event(f"file{at}", Attachment(path, "file", path=path))
        for at, path in enumerate(files)
    ]
    return events or [frame.hidden("a request without words", "initial_request")]


def _status(frame: Frame) -> list[Event]:
    model = text_of(frame.fields.get("model"))
    facts = Facts(model=model) if model is not None else None
    return [frame.hidden("what the worker is doing", "status", facts=facts)]


def _user(frame: Frame) -> list[Event]:
    return [frame.event("prompt", spoken(text(frame.fields, "content", "text", "message") or ""))]


def _text(frame: Frame) -> list[Event]:
    """A piece of a text, or all of it again."""
    fields = frame.fields
    run = f"text/{fields.get('worker')}"
    whole = fields.get("is_delta") is not True
    body = Message(text_in(fields.get("content")))
    return [frame.event("text", body, run=run, whole=whole)]


def _call(frame: Frame) -> list[Event]:
    fields = frame.fields
    own = fields.get("args_json")
    call = call_of(frame, {**fields, "args": own} if isinstance(own, str) else fields, ())
    if call is None:
        return [frame.unknown("tool_call without a name")]
    return [frame.event("call", call, amends=True)]


def _result(frame: Frame) -> list[Event]:
    fields = frame.fields
    content = fields.get("content")
    failed = fields.get("is_error") is True
    ok = not fields["is_error"] if isinstance(fields.get("is_error"), bool) else None
    call_id = text_of(fields.get("tool_call_id")) or frame.name
    body = ToolResult(
        call_id,
        ok,
        blocks_of(content),
        structured=fields_of(content) or items_of(content) or None,
        error=text_in(content) or None if failed else None,
    )
    return [frame.event("result", body, dedupe_key=f"result/{call_id}")]


def _deferred(frame: Frame) -> list[Event]:
    name = text_of(frame.fields.get("tool_name")) or "a tool"
    status = text_of(frame.fields.get("status")) or "deferred"
    return [frame.event("deferred", Notification(Topic.SYSTEM, f"{name}: {status}"))]


def _approval(frame: Frame) -> list[Event]:
    name = text_of(frame.fields.get("tool_name")) or "a tool"
    why = text(frame.fields, "reason", "description")
    note = Notification(Topic.SYSTEM, f"Approval asked for {name}", Level.WARNING, why)
    return [frame.event("approval", note)]


def _end(frame: Frame) -> list[Event]:
    return [frame.event("end", Notification(Topic.TURN_END, "Run complete"), run="")]


def _error(frame: Frame) -> list[Event]:
    said = text(frame.fields, "message", "error", "content") or "Error"
    return [frame.event("error", Notification(Topic.API_ERROR, said, Level.ERROR), run="")]


_MAKERS: dict[str, Callable[[Frame], list[Event]]] = {
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
