"""The records of one tool call: what of a record belongs to it, and what was made of it."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from agentview.domain.events import Event, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.providers.base import Provider

Fields = dict[str, object]
_MAX_DEPTH = 60
_SAME = ("provider_name", "canonical_name", "kind", "args", "ok", "error")


def decode_value(provider: Provider, session: SessionRef, value: object) -> list[Event]:
    """Events of a record given as JSON, or as the text that it was. Never raises."""
    data = value.encode() if isinstance(value, str) else _dumped(value)
    return provider.decode(data, SourceRef(session.path, 0, len(data)), session)


def _dumped(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def calls_in(events: list[Event]) -> Iterator[ToolCall | ToolResult]:
    for event in events:
        if isinstance(event.body, ToolCall | ToolResult):
            yield event.body


def isolated(
    provider: Provider, session: SessionRef, value: object, body: ToolCall | ToolResult
) -> object:
    """A record without the items of its lists that belong to something else than this call.

    The whole record where the rest would say something else of the call.
    """
    if not body.call_id:
        return value
    found = _pruned(value, body.call_id, 0)
    if found == value:
        return value
    events = decode_value(provider, session, found)
    return found if any(_says_same(each, body) for each in calls_in(events)) else value


def _says_same(one: ToolCall | ToolResult, other: ToolCall | ToolResult) -> bool:
    if type(one) is not type(other) or one.call_id != other.call_id:
        return False
    return all(getattr(one, name, None) == getattr(other, name, None) for name in _SAME)


def _pruned(value: object, call_id: str, depth: int) -> object:
    if depth > _MAX_DEPTH:
        return value
    if isinstance(value, dict):
        fields = cast("Fields", value)
        return {key: _pruned(item, call_id, depth + 1) for key, item in fields.items()}
    if isinstance(value, list):
        items = cast("list[object]", value)
        own = [item for item in items if _names(item, call_id, depth)]
        kept = own if own and all(isinstance(item, dict) for item in items) else items
        return [_pruned(item, call_id, depth + 1) for item in kept]
    return value


def _names(value: object, call_id: str, depth: int) -> bool:
    """Return True if the id of the call stands anywhere in a value."""
    if isinstance(value, str):
        return value == call_id
    if depth > _MAX_DEPTH:
        return False
    if isinstance(value, dict):
        return any(_names(item, call_id, depth + 1) for item in cast("Fields", value).values())
    if isinstance(value, list):
        return any(_names(item, call_id, depth + 1) for item in cast("list[object]", value))
    return False


def call_fields(call: ToolCall) -> Fields:
    return {
        "tool": call.provider_name,
        "canonical_name": call.canonical_name,
        "kind": call.kind.value,
        "origin": call.origin.value,
        "call_id": call.call_id,
        "state": call.state.value,
        "payload": type(call.payload).__name__,
        "args": dict(call.args) if isinstance(call.args, Mapping) else call.args_json,
        **({"args_error": call.args_error} if call.args_error is not None else {}),
    }


def result_fields(
    result: ToolResult,
    call: ToolCall | None,
    attach_result: Callable[[ToolCall, ToolResult], ToolCall],
) -> Fields:
    """Return the normalized fields of a result, joined with its call where that is known."""
    joined = attach_result(call, result) if call is not None else None
    recorded_outcome: Fields = {
        "call_id": result.call_id,
        "ok": result.ok,
        "blocks": len(result.output),
    }
    if joined is not None:
        recorded_outcome |= {
            "tool": joined.provider_name,
            "canonical_name": joined.canonical_name,
            "kind": joined.kind.value,
            "state": joined.state.value,
            "result": type(joined.result).__name__ if joined.result is not None else None,
        }
    if result.error is not None:
        recorded_outcome["error"] = result.error
    if result.denial is not None:
        recorded_outcome["denied_by"] = result.denial.by.value
    return recorded_outcome
