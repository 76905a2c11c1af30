"""Activities that changed nothing: looks at files and pages, thoughts, notices of the client."""

from collections.abc import Sequence

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Level, Notification, Reasoning, Topic
from agentview.domain.tool_inputs import McpPayload, Payload
from agentview.domain.tools import LOOKS, ToolCall, ToolKind, ToolState

PLAIN_LOOKS = LOOKS | {
    ToolKind.SEM_SEARCH,
    ToolKind.READ_LINTS,
    ToolKind.WEB_FETCH,
    ToolKind.WEB_SEARCH,
}
"""Kinds of calls that only look, if they end well."""
QUIET: frozenset[Kind] = PLAIN_LOOKS | {
    ToolKind.SHELL,
    ToolKind.MCP,
    RowKind.REASONING,
    RowKind.NOTICE,
}
"""Kinds of rows that may be nothing but looks."""
_QUIET_TOPICS = frozenset({Topic.HOOK, Topic.MODEL, Topic.MODE, Topic.TURN_END, Topic.SYSTEM})


def is_quiet(activity: Activity) -> bool:
    """Return True if an activity changed nothing and ended well.

    A call whose end the log does not have is not quiet.
    """
    body = activity.body
    if isinstance(body, ToolCall):
        return bool(looks_of(body))
    if isinstance(body, Notification):
        return body.level is Level.INFO and body.topic in _QUIET_TOPICS
    return isinstance(body, Reasoning)


def looks_of(call: ToolCall) -> Sequence[tuple[ToolKind, Payload]]:
    """The looks of a call, in order; empty for one that did anything else, or failed."""
    if call.state is not ToolState.OUTPUT_AVAILABLE or call.ok is False or call.interrupted:
        return ()
    if call.kind in PLAIN_LOOKS:
        return ((call.kind, call.payload),)
    if isinstance(call.payload, McpPayload) and call.payload.uri and not call.payload.tool:
        return ((ToolKind.MCP, call.payload),)
    if call.reading is None or not call.reading.looks:
        return ()
    return tuple((step.kind, step.payload) for step in call.reading.steps)
