"""Which tool a name means; the names are those that the model is given."""

from collections.abc import Mapping

from agentview.domain.tool_inputs import EditPayload
from agentview.normalize.json_fields import items, mapping
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import edit
from agentview.normalize.tools.mcp import of_server
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

_SERVER = "mcp_"
_FETCH = tool("web_fetch", keys={"urls": "url", "query": "prompt"})


def _replaced(fields: Fields) -> EditPayload:
    """Replace texts in several files: each replacement names its own."""
    made = [edit.edit(mapping(each)) for each in items(fields.get("replacements"))]
    return EditPayload(files=tuple(file for each in made for file in each.files))


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
        notebook="edit_notebook_file",
        memory="memory",
        kill="kill_terminal",
        ask="vscode_askQuestions",
        plain="create_directory create_new_workspace get_changed_files github_repo "
        "install_extension list_code_usages open_simple_browser run_task run_vscode_command "
        "runTests run_tests test_failure think create_and_run_task create_new_jupyter_notebook "
        "get_doc_info get_project_setup_info get_search_view_results get_vscode_api "
        "read_notebook_cell_output read_project_structure run_notebook_cell "
        "search_workspace_symbols terminal_selection test_search update_user_preferences",
    ),
    # As the editor names them, without the name of its extension.
    **tools(grep="findTextInFiles", glob="findFiles"),
    "manage_todo_list": tool("todo_write", keys={"todoList": "todos"}),
    "multi_replace_string_in_file": tool("multi_edit", payload=_replaced),
    "multiReplaceString": tool("multi_edit", payload=_replaced),
    "insert_edit_into_file": tool("edit", keys={"code": "new_string"}),
    "insertEdit": tool("edit", keys={"code": "new_string"}),
    "fetchWebPage": _FETCH,
    "getErrors": FAMILIES["lints"],
    "get_task_output": tool("output", "get_task_output", keys={"id": "task_id"}),
    "await_terminal": tool("output", "await_terminal"),
    "get_errors": FAMILIES["lints"],
    "fetch_webpage": _FETCH,
}


def find_tool(name: str, _args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name: of a server's it is `mcp_<server>_<tool>`."""
    if not name.startswith(_SERVER):
        return SPECS.get(name)
    server, _, tool = name.removeprefix(_SERVER).partition("_")
    return of_server(server, tool) if tool else None
