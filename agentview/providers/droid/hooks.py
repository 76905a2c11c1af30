"""What our hooks report of Factory Droid.

Source: the client's code, 0.215.0; no run shows it, since it needs an account.
"""

from collections.abc import Mapping

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import Fields
from agentview.providers._kit.hooks import HookForm, hook_reports, notified

_EVENTS: Mapping[str, Activity | None] = {
    "SessionStart": Activity.IDLE,
    "UserPromptSubmit": Activity.BUSY,
    "PostToolUse": Activity.BUSY,
    "Notification": None,
    "Stop": Activity.IDLE,
    "SessionEnd": None,
}


def _activity(kind: str, event: Fields) -> Activity | None:
    return notified(event) if kind == "Notification" else _EVENTS[kind]


HOOK_REPORTS = hook_reports(
    HookForm(
        "droid",
        _EVENTS,
        _activity,
        file=".factory/settings.json",
        matchers={"PostToolUse": "*"},
    )
)
