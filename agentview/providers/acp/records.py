"""Which keys of a message are read, so that the raw view can mark the others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import orjson

from agentview.normalize.json_fields import Fields, mapping
from agentview.providers.acp.envelope import TIMES, envelope


def _whole(keys: str) -> Mapping[str, object]:
    return dict.fromkeys(keys.split())


_CALL: Mapping[str, object] = _whole(
    "sessionUpdate toolCallId title kind status content locations rawInput rawOutput name _meta "
    "toolName"
)
_UPDATE: Mapping[str, object] = {
    **_CALL,
    **_whole(
        "messageId entries plan availableCommands currentModeId modeId configOptions used size "
        "cost state stopReason terminalId command args cwd output data exitStatus exit "
        "prompt_id promptId stop_reason usage tokens_before tokens_after summary_preview "
        "target_prompt_index description role task status error"
    ),
}
_READ: Mapping[str, object] = {
    "jsonrpc": None,
    "id": None,
    "method": None,
    "params": {
        **_whole(
            "sessionId cwd prompt content options path line limit command args env terminalId "
            "outputByteLimit protocolVersion clientInfo modeId modelId configId value title "
            "message requestedSchema url"
        ),
        "update": _UPDATE,
        "toolCall": _CALL,
    },
    "result": _whole(
        "outcome content terminalId output truncated exitStatus exitCode signal stopReason usage "
        "protocolVersion agentInfo sessionId models modes configOptions action _meta"
    ),
    "error": _whole("code message data"),
}
"""Keys that are read, with those inside them; None where the value is read whole."""


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a message that nothing reads; its frame counts as read."""
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return ()
    if not isinstance(value, dict):
        return ()
    found = envelope(cast("Fields", value), "")
    if found is None:
        return ()
    message, known = found.message, _READ
    for key in ("params", "update")[: found.lacking]:
        message, known = mapping(message.get(key)), cast("Mapping[str, object]", known[key])
    known = {**known, **dict.fromkeys(TIMES)}
    return tuple(_unused(message, known, "".join(f"/{key}" for key in found.at)))


def _unused(fields: Fields, known: Mapping[str, object], place: str) -> Iterator[str]:
    for key, value in fields.items():
        at = f"{place}/{key.replace('~', '~0').replace('/', '~1')}"
        if key not in known:
            yield at
            continue
        inner = known[key]
        if isinstance(inner, Mapping) and isinstance(value, Mapping):
            yield from _unused(cast("Fields", value), cast("Fields", inner), at)
