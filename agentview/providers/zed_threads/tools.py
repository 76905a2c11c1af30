"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

SPECS: Mapping[str, ToolSpec] = {
    **tools(
        grep="grep",
        read="read_file",
        write="create_file save_file write_file",
        edit="edit_file",
        ls="list_directory",
        delete="delete_path",
        bash="terminal",
        web_fetch="fetch",
        web_search="web_search",
        lints="diagnostics",
        todo_write="update_plan",
        task="spawn_agent",
        plain="now open create_directory thinking restore_file_from_disk",
    ),
    "find_path": tool("glob", keys={"glob": "pattern"}),
}
