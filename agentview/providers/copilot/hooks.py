"""What our hooks report of Copilot CLI.

Sources: the client's reference of hooks, and runs of 1.0.102. Events with names in the form of VS
Code have fields in its form, but for notifications. Requests that a rule decides are reported as
requests as well, so that only the notification shows a prompt.
"""

from collections.abc import Mapping

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import Fields, text_of
from agentview.providers._kit.hooks import HookForm, Layout, hook_reports, notified

_EVENTS: Mapping[str, Activity | None] = {
    "SessionStart": Activity.IDLE,
    "UserPromptSubmit": Activity.BUSY,
    "PreToolUse": Activity.BUSY,
    "PostToolUse": Activity.BUSY,
    "PostToolUseFailure": Activity.BUSY,
    "Notification": None,
    "Stop": Activity.IDLE,
    "SessionEnd": None,
}


def _activity(kind: str, event: Fields) -> Activity | None:
    return notified(event) if kind == "Notification" else _EVENTS[kind]


def _about(event: Fields) -> str | None:
    """The message of a request, such as `Run command: make`."""
    said = text_of(event.get("message")) or ""
    return said.partition(": ")[2] or said or None


HOOK_REPORTS = hook_reports(
    HookForm(
        "copilot",
        _EVENTS,
        _activity,
        file=".copilot/hooks/agentview.json",
        matchers={"Notification": "permission_prompt|elicitation_dialog"},
        about=_about,
        session=("session_id", "sessionId"),
        layout=Layout(command="bash", timeout="timeoutSec", grouped=False, version=1),
    )
)
