"""Hooks of ours: settings that make a client run them, and the files that they write.

A hook is a command that the client runs with JSON on its standard input; the command saves it as
`<pid of the client>.json`, or `<pid>-<session>.json` where one process has several sessions. So a
file has the last event of a client, and its time is that of the event.
"""

import json
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence

import orjson

from agentview.domain.session_state import Activity
from agentview.domain.value import Value
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.normalize.partial_json import begun
from agentview.providers.base import ListedClient, LiveRegistry
from agentview.sources.one_look import found_once
from agentview.system.own_folders import own_folder

_NAME = re.compile(r"([1-9][0-9]{0,9})(?:-[0-9A-Za-z_-]{1,128})?\.json")
_SAVED = 65_536
"""Bytes that a hook saves of an event."""
_BEGINNING = 16_384
"""Bytes at the beginning of a longer event that say what it is."""


NOTIFICATIONS: Mapping[str, Activity] = {
    "permission_prompt": Activity.APPROVAL,
    "idle_prompt": Activity.IDLE,
    "elicitation_dialog": Activity.QUESTION,
}
"""Activities by the type of a notification, of clients with hooks like those of Claude Code."""
_SUBJECTS = ("command", "file_path", "path", "url", "query", "pattern")
"""Arguments of a tool that say what it is about, the first that it has."""


def notified(event: Fields) -> Activity | None:
    """The activity that a notification of this type reports; None if the type is not known."""
    return NOTIFICATIONS.get(text_of(event.get("notification_type")) or "")


def asked_tool(event: Fields) -> str | None:
    """The subject of a request for a tool: one of its arguments, else its name."""
    given = fields_of(event.get("tool_input"))
    texts = (text_of(given.get(name)) for name in _SUBJECTS)
    return next(filter(None, texts), None) or text_of(event.get("tool_name"))


class Layout(Value):
    """How the settings of a client list a hook: the names of its keys."""

    command: str = "command"
    timeout: str = "timeout"
    grouped: bool = True
    """Hooks are in groups, each for a matcher."""
    typed: bool = True
    """A hook says that it is a command."""
    version: int | None = None
    """The version of the file, where it has one."""


CLAUDE = Layout()
"""That of Claude Code, which others have taken over."""


class HookForm(Value, gc=True):
    """The hooks of a client: which events are reported, and what they say."""

    client: str
    """The name of its provider, and of the folder with the files."""
    events: Mapping[str, Activity | None]
    """Events that are reported, and what the client does after each; None where it depends."""
    activity: Callable[[str, Fields], Activity | None]
    """The client's activity after an event, from the kind and the fields of the event."""
    file: str
    """The file below the home directory that has the settings."""
    timeout: int = 10
    """How long a hook may take, in the unit of the client."""
    matchers: Mapping[str, str] = {}
    """Events for which the settings name what they are for: tools, types of notifications."""
    about: Callable[[Fields], str | None] = lambda _: None
    """The question of an event to the person, as far as it is known."""
    session: Sequence[str] = ("session_id",)
    """Keys of an event with the id of the session, the first that it has."""
    ends: str = "SessionEnd"
    """The event after which the client has left the session."""
    several: bool = False
    """One process may have several sessions at once: each has a file."""
    layout: Layout = CLAUDE


@found_once
def hook_directory(client: str) -> str:
    """Where the hooks of a client write their files; it need not exist."""
    # A text: a board asks for it each time that it looks at the state of a session.
    return os.path.join(own_folder("state", "AGENTVIEW_STATE_DIR"), "hooks", client)  # noqa: PTH118


def hook_reports(form: HookForm, settings: Callable[[], str] | None = None) -> LiveRegistry:
    """The files that the hooks of a client write, and the settings that add the hooks.

    `settings` gives those of a client whose hooks are no commands.
    """

    def entry(data: bytes, name: str) -> ListedClient | None:
        named, event = _NAME.fullmatch(name), _event(data)
        session_id = next(filter(None, (text_of(event.get(key)) for key in form.session)), None)
        kind = text_of(event.get("hook_event_name")) or ""
        if named is None or session_id is None or kind not in form.events:
            return None
        return ListedClient(
            session_id,
            int(named[1]),
            activity=form.activity(kind, event),
            over=kind == form.ends,
            about=form.about(event),
        )

    return LiveRegistry(
        directory=lambda _: hook_directory(form.client),
        is_entry=lambda name: _NAME.fullmatch(name) is not None,
        entry=entry,
        lists=lambda _: False,
        by_hooks=True,
        settings=settings or (lambda: _settings(form)),
        settings_file=form.file,
    )


def _settings(form: HookForm) -> str:
    layout, events = form.layout, dict[str, list[dict[str, object]]]()
    hook: dict[str, object] = {"type": "command"} if layout.typed else {}
    hook |= {layout.command: _command(form), layout.timeout: form.timeout}
    for event in form.events:
        matcher = {"matcher": form.matchers[event]} if event in form.matchers else {}
        events[event] = [{**matcher, "hooks": [hook]} if layout.grouped else {**matcher, **hook}]
    version = {} if layout.version is None else {"version": layout.version}
    return json.dumps({**version, "hooks": events}, indent=2, ensure_ascii=False)


def _command(form: HookForm) -> str:
    """The command of a hook: it prints nothing and never fails, since the client acts on both.

    A file takes its place at once; what is left of the input is read, so that the client can write
    all of it. Files of clients that ended a week ago go.
    """
    place, move = shlex.quote(hook_directory(form.client)), 'mv -f "$f.$$" "$f.json"'
    if form.several:
        key = f"""'"{form.session[0]}" *: *"[^"]*"'"""
        named = f"""grep -o {key} "$f.$$" | head -n 1 | tr -dc '[:alnum:]-'"""
        move = f'{{ s=$({named}); mv -f "$f.$$" "$f-$s.json"; }}'
    return (
        f"(umask 077; d={place}; f=$d/$PPID; mkdir -p $d && "
        f'head -c {_SAVED} >"$f.$$" && {move}; cat; '
        "find $d -type f -mtime +7 -exec rm -f {} +) >/dev/null 2>&1; exit 0"
    ).replace("$d ", '"$d" ')


def _event(data: bytes) -> Fields:
    try:
        return fields_of(orjson.loads(data))
    except ValueError:
        return fields_of(begun(data[:_BEGINNING].decode("utf-8", "replace")))
