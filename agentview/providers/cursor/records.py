"""Which keys of a record are read, so that the raw view can mark the others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Union

import orjson

from agentview.normalize.json_values import fields_of, items_of

Shape = Mapping[str, Union["Shape", None]]
"""Keys of an object that are read, with those of what is under each; None for all of it."""


def _keys(names: str, **inner: Shape) -> Shape:
    return {**dict.fromkeys(names.split()), **inner}


_BLOCK = _keys(
    "type text thinking reasoning name toolName tool_name input args arguments id toolCallId "
    "tool_call_id tool_use_id call_id content output result is_error isError image source data "
    "mimeType mime_type media_type mediaType path url uri"
)
_COUNTS = _keys("inputTokens outputTokens cacheReadTokens cacheWriteTokens reasoningTokens")
_RECORD = "type subtype session_id agent_id timestamp_ms model_call_id"
_MESSAGE = _keys(f"{_RECORD} role model", message=_keys("role", content=_BLOCK))

_SHAPES: Mapping[str, Shape] = {
    "system": _keys(f"{_RECORD} cwd model permissionMode message summary text description status"),
    "connection": _keys(f"{_RECORD} attempt"),
    "retry": _keys(f"{_RECORD} attempt"),
    "interaction_query": _keys(f"{_RECORD} query_type query response"),
    "user": _MESSAGE,
    "assistant": _MESSAGE,
    "thinking": _keys(f"{_RECORD} text thinking_duration_ms"),
    "tool_call": _keys(f"{_RECORD} call_id id tool_call name description status args result"),
    "result": _keys(f"{_RECORD} duration_ms is_error result error request_id", usage=_COUNTS),
}
_MARK = _keys(f"{_RECORD} error message status text")
"""What stands between messages: an error, the end of a turn, the state of a run."""


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a record that nothing reads; none where it is no JSON object."""
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return ()
    fields = fields_of(value)
    shape = _SHAPES.get(str(fields.get("type")), _MARK) if "type" in fields else _MESSAGE
    return tuple(_unread(fields, shape, ""))


def _unread(value: object, shape: Shape, pointer: str) -> Iterator[str]:
    """Pointers of the keys of a value that its shape does not have; not of what is below them."""
    for index, item in enumerate(items_of(value)):
        yield from _unread(item, shape, f"{pointer}/{index}")
    for key, item in fields_of(value).items():
        place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
        inner = shape.get(key)
        if key not in shape:
            yield place
        elif inner is not None:
            yield from _unread(item, inner, place)
