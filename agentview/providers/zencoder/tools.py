"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

SPECS: Mapping[str, ToolSpec] = {
    **tools(
        read="Read",
        write="Write",
        edit="Edit",
        bash="Bash",
        grep="Grep",
        glob="Glob",
        web_fetch="WebFetch",
        web_search="WebSearch",
        todo_write="TodoWrite",
    ),
    "mcp__zen_subagents__spawn_subagent": tool("task", keys={"agent": "agent_type"}),
}
