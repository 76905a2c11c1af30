"""Which tool a name means: that of the model's function, or that of an action."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import ShellAction, ShellPayload
from agentview.normalize.json_fields import flag
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import execute
from agentview.normalize.tools.registry import FAMILIES, editor_family
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools


def _run(fields: Fields) -> ShellPayload:
    """A command, or keys for one that runs."""
    made = execute.run(fields)
    typed = flag(fields, "is_input") or fields.get("is_input") == "true"
    return replace(made, action=ShellAction.INPUT) if typed else made


_EDITORS = ("str_replace_editor", "edit")
MCP = "call_tool_mcp"

SPECS: Mapping[str, ToolSpec] = {
    **tools(
        read="read",
        write="write",
        edit=" ".join(_EDITORS),
        web_fetch="browse",
        think="think",
        task="delegate",
        plain="finish browser browse_interactive",
    ),
    **dict.fromkeys(("execute_bash", "run"), tool("bash", payload=_run)),
    **dict.fromkeys(
        ("execute_ipython_cell", "run_ipython"), tool("bash", keys={"code": "command"})
    ),
    **dict.fromkeys(
        ("task_tracker", "task_tracking"), tool("todo_write", keys={"task_list": "todos"})
    ),
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name; of one that edits files by what it is to do."""
    if name in _EDITORS:
        return FAMILIES[editor_family(args)]
    return SPECS.get(name)
