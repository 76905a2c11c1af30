"""Which keys of a record are read, so that the raw view can mark the others."""

from collections.abc import Sequence

import orjson

from agentview.normalize.json_values import fields_of
from agentview.providers._kit.read_keys import keys, unread

_PART = keys(
    "part_kind content timestamp tool_name args tool_call_id outcome signature transcript text"
)
_USAGE = keys(
    "input_tokens request_tokens output_tokens response_tokens cache_read_tokens "
    "cache_write_tokens output_reasoning_tokens",
    details=keys(
        "cache_read_input_tokens cached_tokens cached_content_tokens cache_creation_input_tokens "
        "reasoning_tokens thoughts_tokens"
    ),
)
_MESSAGE = keys(
    "kind timestamp instructions model_name provider_response_id vendor_id state",
    parts=_PART,
    usage=_USAGE,
)
_EVENT = keys(
    "event_kind index content",
    part=_PART,
    result=_PART,
    delta=keys(
        "part_delta_kind content_delta args_delta tool_name_delta tool_call_id signature_delta"
    ),
)
_WORKER = keys(
    "type worker depth user_input instructions attachments model content is_delta is_complete "
    "tool_name tool_call_id args args_json is_error status reason description message error text"
)


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a record that nothing reads; none where it is no JSON."""
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return ()
    fields = fields_of(value)
    if "worker" in fields:
        shape = _WORKER
    elif "agent" in fields:
        shape = keys("seq agent depth repr", message=_MESSAGE, event=_EVENT)
    else:
        shape = _EVENT if "event_kind" in fields else _MESSAGE
    return tuple(unread(value, shape))
