"""What our hooks report of Qwen Code: its own list does not say what it does.

Sources: the client's code and runs of 0.24.4.
"""

from collections.abc import Mapping

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import Fields
from agentview.providers._kit.hooks import HookForm, asked_tool, hook_reports

_EVENTS: Mapping[str, Activity | None] = {
    "SessionStart": Activity.IDLE,
    "UserPromptSubmit": Activity.BUSY,
    "PermissionRequest": Activity.APPROVAL,
    "PreToolUse": Activity.BUSY,
    "PostToolUse": Activity.BUSY,
    "PostToolUseFailure": Activity.BUSY,
    "Notification": Activity.IDLE,
    "Stop": Activity.IDLE,
    "StopFailure": Activity.IDLE,
    "SessionEnd": None,
}
_TOOLS = ("PermissionRequest", "PreToolUse", "PostToolUse", "PostToolUseFailure")
_MATCHERS = {**dict.fromkeys(_TOOLS, "*"), "Notification": "idle_prompt"}
"""Another notification repeats each request without what it is about."""


def _activity(kind: str, event: Fields) -> Activity | None:
    if kind == "SessionStart" and event.get("source") == "compact":
        return None
    if kind == "PermissionRequest" and event.get("tool_name") == "ask_user_question":
        return Activity.QUESTION
    return _EVENTS[kind]


HOOK_REPORTS = hook_reports(
    HookForm(
        "qwen_code",
        _EVENTS,
        _activity,
        timeout=10_000,
        file=".qwen/settings.json",
        matchers=_MATCHERS,
        about=asked_tool,
    )
)
