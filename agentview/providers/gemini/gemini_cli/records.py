"""Shapes of the records: which of their keys are read, so that the raw view can mark the others."""

from collections.abc import Sequence

import orjson

from agentview.normalize.json_values import fields_of
from agentview.providers._kit.read_keys import Shape, keys, unread

_CALL: Shape = keys(
    "id", "name", "args", "result", "status", "timestamp", "resultDisplay", "description",
    "displayName", "agentId",
)  # fmt: skip
_MESSAGE: dict[str, Shape | None] = {
    **keys("id", "timestamp", "type", "role", "content", "parts", "displayContent", "model"),
    "thoughts": keys("subject", "description", "timestamp"),
    "tokens": keys("input", "output", "cached", "thoughts", "tool", "total"),
    "toolCalls": _CALL,
}
_SESSION: dict[str, Shape | None] = {
    **keys("sessionId", "startTime", "directories", "kind", "summary"),
    "messages": _MESSAGE,
    "history": _MESSAGE,
}
_STATS: Shape = {
    **keys("total_tokens", "input_tokens", "output_tokens", "cached", "input", "duration_ms"),
    "models": None,
}
_PRINTED: Shape = {
    **keys("type", "timestamp", "session_id", "model", "role", "content", "delta", "tool_name"),
    **keys("tool_id", "parameters", "status", "output", "severity", "message", "response"),
    **keys("warnings"),
    "error": keys("type", "message"),
    "stats": _STATS,
}
HEAD = "session_metadata"
"""Type of a first line that has one."""
AMENDED = "message_update"
"""Type of a line that says more of a response."""
_TYPED: Shape = keys("sessionId", "messageId", "type", "message", "timestamp")
_PRINTED_TYPES = frozenset({"init", "message", "tool_use", "tool_result", "result"})


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a record that nothing reads."""
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return ()
    return tuple(unread(value, _shape(value)))


def _shape(value: object) -> Shape:
    fields = fields_of(value)
    if "$set" in fields or "$rewindTo" in fields:
        return {"$set": _SESSION, "$rewindTo": None}
    if "$patch" in fields:
        return {"$patch": {**_MESSAGE, "updates": _MESSAGE, **keys("removeIds", "orderIds")}}
    if "messageId" in fields:
        return _TYPED
    if str(fields.get("type")) in _PRINTED_TYPES or "stats" in fields or "severity" in fields:
        return _PRINTED
    if fields.get("type") == HEAD:
        return {**_SESSION, "type": None}
    return _MESSAGE if "type" in fields or "role" in fields else _SESSION
