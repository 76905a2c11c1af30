"""Which tool a name means; version 3 puts a namespace in front of it."""

from collections.abc import Mapping

from agentview.normalize.classify import classify
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools.mcp import of_server
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec, known_calls
from agentview.providers._kit.tool_table import tool, tools

_OWN = ("file_system", "vibe")
"""Namespaces of the client's own tools; any other is that of a server."""


_BARE: Mapping[str, ToolSpec] = {
    **tools(
        read="read_file",
        write="write_file",
        edit="edit",
        grep="grep",
        web_fetch="web_fetch",
        web_search="web_search",
        todo_write="todo",
        ask="ask_user_question",
        plan="exit_plan_mode",
        skill="skill",
        tool_search="search_tool_functions",
        plain="unified_harness_scratchpad run_typescript",
    ),
    "bash": tool("bash", keys={"timeout": "timeout_seconds"}),
    "task": tool("task", keys={"agent": "subagent_type"}),
}
SPECS: Mapping[str, ToolSpec] = {
    **_BARE,
    **{
        f"{space}.{name}": spec
        for space, names in (
            ("file_system", ("bash", "read_file", "write_file", "edit", "grep")),
            ("vibe", ("todo", "skill", "ask_user_question", "unified_harness_scratchpad")),
        )
        for name in names
        for spec in (_BARE[name],)
    },
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name, without its namespace where that is one of the client's."""
    space, dot, rest = name.rpartition(".")
    bare = rest if dot and space in _OWN else name
    if bare == "todo" and text(args, "action") == "read":
        return FAMILIES["todo_read"]
    spec = _BARE.get(bare)
    if spec is not None or not dot:
        return spec
    return classify(bare, args) if bare == rest else of_server(space, rest)


known_tool = known_calls(
    lambda name: None if name.rpartition(".")[2] == "todo" else find_tool(name, {})
)
"""Facts of calls by the name of the tool; None where they depend on their arguments."""
