"""Reports of our hooks on Gemini CLI, whose log does not show that it waits for its person.

Sources: the client's code and runs of 0.61.0.
"""

from collections.abc import Mapping

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.hooks import HookForm, hook_reports

_MATCHERS = {"BeforeTool": "*", "AfterTool": "*"}
_EVENTS: Mapping[str, Activity | None] = {
    "SessionStart": Activity.IDLE,
    "BeforeAgent": Activity.BUSY,
    "BeforeTool": Activity.BUSY,
    "AfterTool": Activity.BUSY,
    "Notification": None,
    "AfterAgent": Activity.IDLE,
    "SessionEnd": None,
}
_ASKS = "ToolPermission"
_SUBJECTS = ("command", "filePath", "fileName", "toolName", "prompt", "title")
"""Keys of the subject of a request in its details, surest first."""


def _activity(kind: str, event: Fields) -> Activity | None:
    if kind != "Notification":
        return _EVENTS[kind]
    if text_of(event.get("notification_type")) != _ASKS:
        return None
    asks = text_of(fields_of(event.get("details")).get("type")) == "ask_user"
    return Activity.QUESTION if asks else Activity.APPROVAL


def _about(event: Fields) -> str | None:
    details = fields_of(event.get("details"))
    return next(filter(None, (text_of(details.get(name)) for name in _SUBJECTS)), None)


HOOK_REPORTS = hook_reports(
    HookForm(
        "gemini_cli",
        _EVENTS,
        _activity,
        timeout=10_000,
        file=".gemini/settings.json",
        matchers=_MATCHERS,
        about=_about,
    )
)
