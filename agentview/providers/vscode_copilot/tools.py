"""Which tool a name means; the names are those that the model is given."""

from collections.abc import Mapping

from agentview.normalize.json_values import Fields
from agentview.normalize.tools.mcp import of_server
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

_SERVER = "mcp_"


SPECS: Mapping[str, ToolSpec] = {
    **tools(
        read="read_file view_image",
        grep="grep_search",
        glob="file_search",
        semantic="semantic_search",
        ls="list_dir",
        write="create_file",
        edit="replace_string_in_file",
        patch="apply_patch",
        bash="run_in_terminal",
        output="get_terminal_output terminal_last_command",
        task="runSubagent",
        plain="create_directory create_new_workspace get_changed_files github_repo "
        "insert_edit_into_file install_extension list_code_usages manage_todo_list "
        "multi_replace_string_in_file open_simple_browser run_task run_vscode_command runTests "
        "test_failure think",
    ),
    "get_errors": FAMILIES["lints"],
    "fetch_webpage": tool("web_fetch", keys={"urls": "url", "query": "prompt"}),
}


def find_tool(name: str, _args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name: of a server's it is `mcp_<server>_<tool>`."""
    if not name.startswith(_SERVER):
        return SPECS.get(name)
    server, _, tool = name.removeprefix(_SERVER).partition("_")
    return of_server(server, tool) if tool else None
