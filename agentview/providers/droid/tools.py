"""Which tool a name means, by the public descriptions of the client's tools."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    GlobPayload,
    ShellPayload,
    TodoItem,
    TodosAction,
    TodosPayload,
    UnknownPayload,
)
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import real, text, texts
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import execute, search, todo
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec

_LISTED = re.compile(r"\s*(?:\d+\.|[-*])?\s*\[([\w -]{1,20})\]\s*(.+)")
_BOXES = {" ": "pending", "x": "completed", "X": "completed", "~": "in_progress"}


def _run(fields: Fields) -> ShellPayload:
    """A command, whose time limit is in seconds."""
    return replace(execute.run(fields), timeout=real(fields, "timeout"))


def _glob(fields: Fields) -> GlobPayload:
    patterns = ", ".join(texts(fields.get("patterns")))
    made = search.glob(fields)
    return replace(made, pattern=patterns or made.pattern, path=text(fields, "folder") or made.path)


def _todos(fields: Fields) -> TodosPayload:
    """A list, or a text with a line for each item: `1. [completed] text`."""
    given = fields.get("todos")
    found = [_LISTED.match(line) for line in given.split("\n")] if isinstance(given, str) else []
    listed = tuple(
        TodoItem(match[2].strip(), todo.status(_BOXES.get(match[1], match[1])))
        for match in found
        if match is not None
    )
    return TodosPayload(TodosAction.REPLACE, listed) if listed else todo.replace(fields)


def _as_json(_fields: Fields) -> UnknownPayload:
    return UnknownPayload()


SPECS: Mapping[str, ToolSpec] = {
    "Execute": replace(FAMILIES["bash"], payload=_run),
    "Read": FAMILIES["read"],
    "LS": FAMILIES["ls"],
    "Glob": replace(FAMILIES["glob"], payload=_glob),
    "Grep": FAMILIES["grep"],
    "Create": FAMILIES["write"],
    "Edit": FAMILIES["edit"],
    "MultiEdit": FAMILIES["multi_edit"],
    "ApplyPatch": FAMILIES["patch"],
    "WebSearch": FAMILIES["web_search"],
    "FetchUrl": FAMILIES["web_fetch"],
    "TodoWrite": replace(FAMILIES["todo_write"], payload=_todos),
    "Task": FAMILIES["task"],
    "AskUser": FAMILIES["ask"],
    "ExitSpecMode": FAMILIES["plan"],
    **{name: ToolSpec(ToolKind.UNKNOWN, name, _as_json) for name in ("Skill", "GenerateDroid")},
}
