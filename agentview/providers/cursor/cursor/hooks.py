"""What our hooks report of Cursor: that it works, and that its turn is over.

Source: the client's reference of hooks; no run shows it, since it needs an account. Nothing is
reported of a request for approval. A hook before a call decides on it, so there is none of ours.
"""

from collections.abc import Mapping

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import Fields
from agentview.providers._kit.hooks import HookForm, Layout, hook_reports

_EVENTS: Mapping[str, Activity | None] = {
    "sessionStart": Activity.IDLE,
    "beforeSubmitPrompt": Activity.BUSY,
    "afterShellExecution": Activity.BUSY,
    "afterMCPExecution": Activity.BUSY,
    "afterFileEdit": Activity.BUSY,
    "stop": Activity.IDLE,
    "sessionEnd": None,
}


def _activity(kind: str, _: Fields) -> Activity | None:
    return _EVENTS[kind]


HOOK_REPORTS = hook_reports(
    HookForm(
        "cursor",
        _EVENTS,
        _activity,
        file=".cursor/hooks.json",
        session=("conversation_id", "session_id"),
        ends="sessionEnd",
        several=True,
        layout=Layout(grouped=False, typed=False, version=1),
    )
)
