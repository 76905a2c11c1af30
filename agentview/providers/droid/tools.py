"""Which tool a name means, by the public descriptions of the client's tools."""

import re
from collections.abc import Mapping

from agentview.domain.tool_inputs import (
    TodoItem,
    TodosAction,
    TodosPayload,
)
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import todo
from agentview.normalize.tools.specs import KnownCall, ToolSpec, known_call
from agentview.providers._kit.tool_table import tool, tools

_LISTED = re.compile(r"\s*(?:\d+\.|[-*])?\s*\[([\w -]{1,20})\]\s*(.+)")
_BOXES = {" ": "pending", "x": "completed", "X": "completed", "~": "in_progress"}


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


SPECS: Mapping[str, ToolSpec] = {
    **tools(
        read="Read",
        ls="LS",
        grep="Grep",
        write="Create",
        edit="Edit",
        multi_edit="MultiEdit",
        patch="ApplyPatch",
        web_search="WebSearch",
        web_fetch="FetchUrl",
        task="Task",
        ask="AskUser",
        plan="ExitSpecMode",
        skill="Skill",
        plain="GenerateDroid",
    ),
    "Execute": tool("bash", keys={"timeout": "timeout_seconds"}),
    "Glob": tool("glob", keys={"patterns": "pattern", "folder": "path"}),
    "TodoWrite": tool("todo_write", payload=_todos),
}

KNOWN: Mapping[str, KnownCall | None] = {
    name: known_call(name, spec) for name, spec in SPECS.items()
}
"""Kinds of calls by their names alone."""
