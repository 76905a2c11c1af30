"""Hooks of ours: settings that make a client run them, and the files that they write.

A hook is a command that the client runs with JSON on its standard input; the command saves it as
`<pid of the client>.json`. So a file has the last event of a client, and its time is that of the
event.
"""

import json
import os
import re
import shlex
from collections.abc import Callable, Collection, Mapping

import orjson

from agentview.domain.session_state import Activity
from agentview.domain.value import Value
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.normalize.partial_json import begun
from agentview.providers.base import ListedClient, LiveRegistry
from agentview.system.own_folders import own_folder

_NAME = re.compile(r"([1-9][0-9]{0,9})\.json")
_SAVED = 65_536
"""Bytes that a hook saves of an event."""
_BEGINNING = 16_384
"""Bytes at the beginning of a longer event that say what it is."""


class HookForm(Value, gc=True):
    """The hooks of a client: which events are reported, and what they say."""

    client: str
    """The name of its provider, and of the folder with the files."""
    events: Mapping[str, Activity | None]
    """Events that are reported, and what the client does after each; None where it depends."""
    activity: Callable[[str, Fields], Activity | None]
    """What the client does after an event, by the kind and the fields of the event."""
    of_tools: Collection[str]
    """Events for which the settings name the tools that they are for: all."""
    timeout: int
    """How long a hook may take, in the unit of the client."""
    about: Callable[[Fields], str | None] = lambda _: None
    """What an event asks the person, as far as it says."""


def hook_directory(client: str) -> str:
    """Where the hooks of a client write their files; it need not exist."""
    # A text: a board asks for it each time that it looks at the state of a session.
    return os.path.join(own_folder("state", "AGENTVIEW_STATE_DIR"), "hooks", client)  # noqa: PTH118


def hook_reports(form: HookForm) -> LiveRegistry:
    """The files that the hooks of a client write, and the settings that add the hooks."""

    def entry(data: bytes, name: str) -> ListedClient | None:
        named, event = _NAME.fullmatch(name), _event(data)
        session_id = text_of(event.get("session_id"))
        kind = text_of(event.get("hook_event_name")) or ""
        if named is None or session_id is None or kind not in form.events:
            return None
        return ListedClient(
            session_id,
            int(named[1]),
            activity=form.activity(kind, event),
            over=kind == "SessionEnd",
            about=form.about(event),
        )

    return LiveRegistry(
        directory=lambda _: hook_directory(form.client),
        is_entry=lambda name: _NAME.fullmatch(name) is not None,
        entry=entry,
        lists=lambda _: False,
        by_hooks=True,
        settings=lambda: _settings(form),
    )


def _settings(form: HookForm) -> str:
    command = _command(hook_directory(form.client))
    hook = {"type": "command", "command": command, "timeout": form.timeout}
    groups: dict[str, list[dict[str, object]]] = {}
    for event in form.events:
        matcher = {"matcher": "*"} if event in form.of_tools else {}
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


def _event(data: bytes) -> Fields:
    try:
        return fields_of(orjson.loads(data))
    except ValueError:
        return fields_of(begun(data[:_BEGINNING].decode("utf-8", "replace")))
