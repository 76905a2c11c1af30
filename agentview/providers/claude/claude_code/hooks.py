"""Reports of our hooks on Claude Code, for versions without a list of running sessions.

Sources: the client's reference of hooks, and runs of 2.1.329.
"""

from collections.abc import Mapping

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import Fields, text_of
from agentview.providers._kit.hooks import HookForm, hook_reports, notified

_MATCHERS = {"PermissionRequest": "*", "PostToolUse": "*", "PostToolUseFailure": "*"}
_EVENTS: Mapping[str, Activity | None] = {
    "SessionStart": Activity.IDLE,
    "UserPromptSubmit": Activity.BUSY,
    "PermissionRequest": Activity.APPROVAL,
    "PostToolUse": Activity.BUSY,
    "PostToolUseFailure": Activity.BUSY,
    "Notification": None,
    "Stop": Activity.IDLE,
    "SessionEnd": None,
}
_NEEDS_PERMISSION = "needs your permission"
_WAITS = "waiting for your input"
"""Words of notifications of versions that do not say of which type they are."""


def _activity(kind: str, event: Fields) -> Activity | None:
    if kind == "SessionStart" and event.get("source") == "compact":
        # It may compact while it works, or when it was asked to.
        return None
    if kind == "PermissionRequest" and event.get("tool_name") == "AskUserQuestion":
        return Activity.QUESTION
    if kind != "Notification":
        return _EVENTS[kind]
    message = text_of(event.get("message")) or ""
    if "notification_type" in event:
        return notified(event)
    if _NEEDS_PERMISSION in message:
        return Activity.APPROVAL
    return Activity.IDLE if _WAITS in message else None


HOOK_REPORTS = hook_reports(
    HookForm(
        "claude_code",
        _EVENTS,
        _activity,
        file=".claude/settings.json",
        matchers=_MATCHERS,
    )
)
