"""Which tool a name means; the one that edits files by the command that it is given."""

from collections.abc import Mapping
from functools import lru_cache

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    ShellAction,
    ShellPayload,
    SubagentPayload,
)
from agentview.normalize.json_fields import flag, mapping
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import execute, subagent
from agentview.normalize.tools.registry import FAMILIES, editor_family
from agentview.normalize.tools.specs import KnownCall, ToolSpec, known_call
from agentview.providers._kit.tool_table import tool, tools


def _run(fields: Fields) -> ShellPayload:
    """A command, or keys for one that runs."""
    made = execute.run(fields)
    return replace(made, action=ShellAction.INPUT) if flag(fields, "is_input") else made


def _delegated(fields: Fields) -> SubagentPayload:
    """Agents by their names, or the tasks that they are given."""
    tasks = mapping(fields.get("tasks"))
    made = subagent.start(fields)
    if not tasks:
        return made
    given = "\n".join(f"{name}: {task}" for name, task in tasks.items())
    return replace(made, prompt=given, agent_name=", ".join(tasks))


_EDITORS = ("file_editor", "str_replace_editor", "planning_file_editor")
MCP_ACTION = "MCPToolAction"

SPECS: Mapping[str, ToolSpec] = {
    **tools(
        read="image_reader",
        edit=" ".join(_EDITORS),
        glob="glob",
        grep="grep",
        patch="apply_patch",
        task="task",
        ask="ask_user",
        think="think",
        plain="finish",
    ),
    **dict.fromkeys(
        ("terminal", "execute_bash", "bash", "interactive_terminal"),
        tool("bash", keys={"timeout": "timeout_seconds"}, payload=_run),
    ),
    "task_tracker": tool("todo_write", keys={"task_list": "todos"}),
    "delegate": tool("task", payload=_delegated),
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name; of one that edits files by what it is to do."""
    if name in _EDITORS:
        return FAMILIES[editor_family(args)]
    if name == "task_tracker" and "task_list" not in args:
        return tool("todo_read", "TodoWrite")
    return SPECS.get(name)


@lru_cache(maxsize=256)
def known(name: str) -> KnownCall | None:
    """Kinds of calls without their arguments, which may be those of a server's tool."""
    plain = name in SPECS and name not in _EDITORS and name != "task_tracker"
    return known_call(name, SPECS[name]) if plain else None
