"""The person's own programs, which keys of the session screen run with the selected activity."""

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from textual.binding import Binding, BindingsMap

from agentview.domain.activity import Activity, row_kind
from agentview.domain.session import SessionRef
from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tools import ToolCall
from agentview.settings.table import COMMAND_FIELDS
from agentview.timeline.view.sanitize import one_line

_GROUP = Binding.Group("Own commands")
_FIELD = re.compile(rf"\{{({'|'.join(COMMAND_FIELDS)})\}}")
_SHOWN = 44


def bind_commands(bindings: BindingsMap, commands: Mapping[str, Sequence[str]]) -> None:
    """Have these keys run these programs, and no others; none of them is bound otherwise."""
    keys = bindings.key_to_bindings
    for key in [key for key, bound in keys.items() if bound[0].group == _GROUP]:
        del keys[key]
    for key, words in commands.items():
        keys[key] = [_binding(key, words)]


async def run_command(words: Sequence[str], activity: Activity, ref: SessionRef) -> str:
    """Run a program with an activity; returns a sentence on what came of it."""
    fields = fields_of(activity, ref)
    missing = [name for word in words for name in _FIELD.findall(word) if name not in fields]
    if missing:
        return f"this activity has no {missing[0]}: {one_line(words[0], _SHOWN)} was not run"
    command = [_FIELD.sub(lambda found: fields[found[1]], word) for word in words]
    return await asyncio.to_thread(_run, command, activity, ref)


def fields_of(activity: Activity, ref: SessionRef) -> dict[str, str]:
    """Values of an activity by `COMMAND_FIELDS`; of a file, its absolute path."""
    from agentview.timeline.view.activity.file_location import file_place
    from agentview.timeline.view.titles.text import cwd_of

    fields = {"session": ref.session_id}
    if cwd := cwd_of(activity):
        fields["project"] = cwd
    body = activity.body
    if isinstance(body, ToolCall) and isinstance(body.payload, ShellPayload):
        fields["command"] = body.payload.command
    place = file_place(activity)
    path = None if place is None else Path(place.cwd or "", place.path)
    if place is not None and path is not None and path.is_absolute():
        fields |= {"path": str(path), "line": str(place.line or 1)}
    return {name: value for name, value in fields.items() if "\0" not in value}


def facts_of(activity: Activity, ref: SessionRef) -> dict[str, object]:
    """The activity as an object: its session, its kind, and its fields as `events` prints them."""
    from agentview.reports.export.encoding import iso_time
    from agentview.reports.export.events import body_fields, type_of

    return {
        "provider": ref.provider,
        "session": ref.session_id,
        "log": ref.path,
        "kind": row_kind(activity.body).value,
        "type": type_of(activity.body),
        "time": iso_time(activity.started),
        **body_fields(activity.body),
    }


def _binding(key: str, words: Sequence[str]) -> Binding:
    line = one_line(" ".join(words), _SHOWN)
    return Binding(
        key,
        f"own_command({key!r})",
        one_line(Path(words[0]).name, 12),
        show=False,
        id=f"own.{key}",
        group=_GROUP,
        tooltip=f"Run {line}",
    )


def _run(command: Sequence[str], activity: Activity, ref: SessionRef) -> str:
    from agentview.notify.programs import run_program
    from agentview.reports.export.encoding import to_json_line

    facts = to_json_line(facts_of(activity, ref))
    return run_program(command, facts, os.environ) or f"ran {one_line(command[0], _SHOWN)}"
