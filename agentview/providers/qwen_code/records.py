"""Shapes of the records: which of their keys are read, so that the raw view can mark the others."""

from collections.abc import Sequence

import orjson

from agentview.dialects.gemini.shapes import Shape, keys, unread

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
    "systemPayload": _PAYLOAD,
}


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a record that nothing reads."""
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return ()
    return tuple(unread(value, _RECORD))
