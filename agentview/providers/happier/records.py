"""Which keys of a record are read, so that the raw view can mark the others."""

from collections.abc import Sequence

import orjson

from agentview.normalize.json_fields import mapping

_RECORD = frozenset(
    {"v", "ts", "direction", "sessionId", "protocol", "provider", "kind", "payload"}
)
_PAYLOAD = frozenset(
    {
        "type", "callId", "tool_use_id", "permissionId", "id", "name", "toolName", "input",
        "output", "content", "options", "description", "is_error", "isError", "status",
        "message", "text", "filePath", "oldContent", "newContent", "diff", "data", "approved",
    }
)  # fmt: skip


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a record that nothing reads."""
    try:
        fields = mapping(orjson.loads(record))
    except ValueError:
        return ()
    recorded = fields.get("payload")
    payload = mapping(None if isinstance(recorded, str) else recorded)
    outer = [key for key in fields if key not in _RECORD]
    inner = [f"payload/{_escaped(key)}" for key in payload if key not in _PAYLOAD]
    return tuple(f"/{key}" for key in (*map(_escaped, outer), *inner))


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
