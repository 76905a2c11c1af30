"""Which tool a name means, by public readers of these threads."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import SubagentPayload
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import subagent
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import KnownCall, ToolSpec, known_call
from agentview.providers._kit.tool_table import tool, tools


def _consulted(agent: str) -> ToolSpec:
    """An agent that is a tool of its own."""

    def start(fields: Fields) -> SubagentPayload:
        made = subagent.start(fields)
        asked = text(fields, "task", "query", "prompt")
        return replace(made, prompt=asked or made.prompt, agent_type=agent)

    return tool("task", agent, payload=start)


SPECS: Mapping[str, ToolSpec] = {
    **tools(
        bash="Bash",
        read="Read",
        write="create_file",
        edit="edit_file",
        patch="apply_patch",
        grep="Grep",
        semantic="finder codebase_search_agent",
        ls="list_directory",
        web_search="web_search",
        web_fetch="read_web_page",
        task="Task",
        todo_write="todo_write",
        todo_read="todo_read",
        skill="skill",
        plain="mermaid look_at format_file undo_edit handoff find_thread read_thread "
        "read_mcp_resource painter chart",
    ),
    "get_diagnostics": FAMILIES["lints"],
    "glob": tool("glob", keys={"filePattern": "pattern"}),
    "oracle": _consulted("oracle"),
    "librarian": _consulted("librarian"),
}

KNOWN: Mapping[str, KnownCall | None] = {
    name: known_call(name, spec) for name, spec in SPECS.items()
}
"""Kinds of calls by their names alone."""
