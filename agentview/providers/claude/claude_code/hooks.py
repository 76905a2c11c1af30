"""What our hooks report of Claude Code: the settings that add them, and the files that they write.

For versions without a list of running sessions (`live_registry.py`). A hook is a command that the
client runs with JSON on its standard input; the command saves it as `<pid of the client>.json`. So
a file has the last event of a client, and its time is that of the event. Sources: the client's
reference of hooks, and runs of 2.1.329.
"""

import json
import os
import re
import shlex
from collections.abc import Mapping

import orjson

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.normalize.partial_json import begun
from agentview.providers.base import ListedClient, LiveRegistry
from agentview.system.own_folders import own_folder

_NAME = re.compile(r"([1-9][0-9]{0,9})\.json")
_SAVED = 65_536
"""Bytes that a hook saves of an event."""
_BEGINNING = 16_384
"""Bytes at the beginning of a longer event that say what it is."""
_ANY_TOOL = frozenset({"PermissionRequest", "PostToolUse", "PostToolUseFailure"})
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
"""Events that are reported, and what the client does after each; None where it depends."""
_NOTIFICATIONS = {
    "permission_prompt": Activity.APPROVAL,
    "idle_prompt": Activity.IDLE,
    "elicitation_dialog": Activity.QUESTION,
}
_NEEDS_PERMISSION = "needs your permission"
_WAITS = "waiting for your input"
"""Words of notifications of versions that do not say of which type they are."""


def directory() -> str:
    """Where the hooks write their files; it need not exist."""
    # A text: a board asks for it each time that it looks at the state of a session.
    return os.path.join(own_folder("state", "AGENTVIEW_STATE_DIR"), "hooks", "claude_code")  # noqa: PTH118


def settings_text() -> str:
    """The settings, JSON, that make the client run the hooks."""
    hook = {"type": "command", "command": _command(directory()), "timeout": 10}
    groups: dict[str, list[dict[str, object]]] = {}
    for event in _EVENTS:
        matcher = {"matcher": "*"} if event in _ANY_TOOL else {}
        groups[event] = [{**matcher, "hooks": [hook]}]
    return json.dumps({"hooks": groups}, indent=2, ensure_ascii=False)


def _command(place: str) -> str:
    """The command of a hook: it prints nothing and never fails, since the client acts on both.

    A file takes its place at once; what is left of the input is read, so that the client can write
    all of it. Files of clients that ended a week ago go.
    """
    return (
        f"(umask 077; d={shlex.quote(place)}; f=$d/$PPID; mkdir -p $d && "
        f'head -c {_SAVED} >"$f.$$" && mv -f "$f.$$" "$f.json"; cat; '
        "find $d -type f -mtime +7 -exec rm -f {} +) >/dev/null 2>&1; exit 0"
    ).replace("$d ", '"$d" ')


def _entry(data: bytes, name: str) -> ListedClient | None:
    named, event = _NAME.fullmatch(name), _event(data)
    session_id = text_of(event.get("session_id"))
    kind = text_of(event.get("hook_event_name")) or ""
    if named is None or session_id is None or kind not in _EVENTS:
        return None
    return ListedClient(
        session_id, int(named[1]), activity=_activity(kind, event), over=kind == "SessionEnd"
    )


def _event(data: bytes) -> Fields:
    try:
        return fields_of(orjson.loads(data))
    except ValueError:
        return fields_of(begun(data[:_BEGINNING].decode("utf-8", "replace")))


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
        return _NOTIFICATIONS.get(text_of(event.get("notification_type")) or "")
    if _NEEDS_PERMISSION in message:
        return Activity.APPROVAL
    return Activity.IDLE if _WAITS in message else None


HOOK_REPORTS = LiveRegistry(
    directory=lambda _: directory(),
    is_entry=lambda name: _NAME.fullmatch(name) is not None,
    entry=_entry,
    lists=lambda _: False,
    by_hooks=True,
)
