"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

AGENT = "agent"
"""The name here of a call that starts an agent: the log has the agent alone."""

SPECS: Mapping[str, ToolSpec] = {
    **tools(
        grep="code_search",
        glob="glob find_files",
        ls="list_directory",
        write="write_file",
        bash="run_terminal_command",
        todo_write="write_todos",
        web_search="web_search",
        web_fetch="fetch_url",
        ask="ask_user",
        task=f"{AGENT} spawn_agents",
        plain="browser_logs end_turn suggest_followups set_output think_deeply",
    ),
    "read_files": tool("read", keys={"paths": "path"}),
    "str_replace": tool(
        "edit", keys={"replacements": "edits", "old": "old_text", "new": "new_text"}
    ),
}
