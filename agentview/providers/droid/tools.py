"""Which tool a name means, and what the client says of a command (0.225.2)."""

import re
from collections.abc import Mapping

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    TodoItem,
    TodosAction,
    TodosPayload,
)
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import execute, todo
from agentview.normalize.tools.specs import KnownCall, ResultMaker, ToolSpec, known_call
from agentview.providers._kit.result_text import ResultText
from agentview.providers._kit.tool_table import tool, tools

_LISTED = re.compile(r"\s*(?:\d+\.|[-*])?\s*\[([\w -]{1,20})\]\s*(.+)")
COMMAND = ResultText(
    head=(
        r"(?:Error: )?Command failed \(exit code: (?P<exit_code>\d{1,10})\)\n*"
        r"|Background process started \(PID: (?P<task_id>\d{1,10})\)\nCommand: (?s:.*)\n"
        r"Output: (?P<spill_path>[^\n]{1,1000})\n(?P<launched>Status: Running in background)"
        r"(?:\n\nNote: [^\n]*)?\s*\Z"
    ),
    tail=(
        r"(?:^|\n{1,3})\[Process exited with code (?P<exit_code>-?\d{1,10})\]\s*$",
        r"(?:^|\n)(?P<timed_out>Command timed out after [\d.]{1,20} seconds)[^\n]{0,200}\s*$",
    ),
)
"""The client's words around the output of a command."""
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


def _executed(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """The output of a command, without the lines that the client adds to it."""
    made = None if outcome.structured else COMMAND.shell(call, outcome)
    return execute.result(call, outcome) if made is None else made


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

RESULTS: Mapping[ToolKind, ResultMaker] = {ToolKind.SHELL: _executed}

KNOWN: Mapping[str, KnownCall | None] = {
    name: known_call(name, spec) for name, spec in SPECS.items()
}
"""Kinds of calls by their names alone."""
