"""Reports of our hooks of Codex, whose log does not show that it waits for its person.

Sources: the client's reference of hooks, and runs of 0.171.0. Its background service has the
sessions of all terminals in one process. A hook does not run before its person has trusted it.
"""

from collections.abc import Mapping

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import Fields
from agentview.providers._kit.hooks import HookForm, asked_tool, hook_reports

_EVENTS: Mapping[str, Activity | None] = {
    "SessionStart": Activity.IDLE,
    "UserPromptSubmit": Activity.BUSY,
    "PermissionRequest": Activity.APPROVAL,
    "PostToolUse": Activity.BUSY,
    "Stop": Activity.IDLE,
    "Interrupt": Activity.IDLE,
    "SessionEnd": None,
}


def _activity(kind: str, event: Fields) -> Activity | None:
    if kind == "SessionStart" and event.get("source") == "compact":
        return None
    return _EVENTS[kind]


HOOK_REPORTS = hook_reports(
    HookForm(
        "codex",
        _EVENTS,
        _activity,
        file=".codex/hooks.json",
        matchers={"PermissionRequest": "*", "PostToolUse": "*"},
        about=asked_tool,
        several=True,
    )
)
