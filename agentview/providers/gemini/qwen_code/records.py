"""Shapes of the records: which of their keys are read, so that the raw view can mark the others."""

from collections.abc import Sequence

import orjson

from agentview.normalize.json_values import fields_of
from agentview.providers._kit.read_keys import Shape, keys, unread
from agentview.providers.gemini.qwen_code.stream import is_printed

_RESULT: Shape = keys("callId", "status", "resultDisplay", "responseParts", "errorType")
_USAGE: Shape = keys(
    "promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount", "thoughtsTokenCount",
    "toolUsePromptTokenCount", "totalTokenCount",
)  # fmt: skip
_PAYLOAD: Shape = {
    **keys("displayText", "hookContext", "phase", "rawCommand", "outputHistoryItems"),
    **keys("hiddenInvocation", "status", "message", "customTitle", "titleSource", "targetUuid"),
    **keys("modelId", "mode", "parentSessionId", "error", "durationMs", "trigger"),
    **keys("compressedHistory"),
    "info": keys("originalTokenCount", "newTokenCount", "trigger"),
    "uiEvent": keys("event.name", "error_message", "error", "error_type"),
}
_RECORD: Shape = {
    **keys("uuid", "parentUuid", "sessionId", "timestamp", "type", "subtype", "cwd", "version"),
    **keys("gitBranch", "model", "agentId", "isSidechain", "provenance"),
    "message": keys("role", "parts"),
    "usageMetadata": _USAGE,
    "toolCallResult": _RESULT,
    "toolCall": keys(
        "toolCallId",
        "kind",
        "title",
        "status",
        "rawInput",
        "content",
        "locations",
    ),
    "systemPayload": _PAYLOAD,
}
_COUNTS: Shape = keys("input_tokens", "output_tokens", "cache_read_input_tokens")
_BLOCK: Shape = keys(
    "type", "text", "thinking", "id", "name", "input", "tool_use_id", "content", "is_error",
)  # fmt: skip
_EVENT: Shape = {
    **keys("type", "index"),
    "content_block": _BLOCK,
    "delta": keys("type", "text", "thinking", "partial_json"),
}
_PRINTED: Shape = {
    **keys("type", "subtype", "uuid", "session_id", "parent_tool_use_id", "cwd", "model"),
    **keys("permission_mode", "qwen_code_version", "duration_ms", "is_error"),
    "event": _EVENT,
    "message": {**keys("id", "model"), "content": _BLOCK, "usage": _COUNTS},
    "data": keys("status", "tool_use_id"),
    "error": keys("message"),
    "usage": _COUNTS,
}


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a record that nothing reads."""
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return ()
    return tuple(unread(value, _PRINTED if is_printed(fields_of(value)) else _RECORD))
