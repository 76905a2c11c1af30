"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from agentview.normalize.json_values import Fields
from agentview.normalize.tools.mcp import of_server
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

_SERVER = "-mcp"
"""How a name ends that has a tool, and behind a line below the server that it is of."""

SPECS: Mapping[str, ToolSpec] = {
    **tools(
        read="view",
        bash="launch-process",
        output="read-process read-terminal",
        input="write-process",
        kill="kill-process",
        patch="apply_patch",
        semantic="codebase-retrieval",
        web_fetch="web-fetch",
        web_search="web-search",
        todo_update="update_tasks",
        todo_list="view_tasklist",
        memory_save="remember",
        plain="list-processes github-api render-mermaid diagnostics open-browser",
    ),
    "save-file": tool("write", keys={"file_content": "content"}),
    "str-replace-editor": tool(
        "edit",
        keys={
            "old_str": "old_text", "old_str_1": "old_text",
            "new_str": "new_text", "new_str_1": "new_text",
        },
    ),
    "remove-files": tool("delete", keys={"file_paths": "paths"}),
}  # fmt: skip


def find_tool(name: str, _args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name; one of a server ends with the name of that."""
    own, _, server = name.removesuffix(_SERVER).rpartition("_")
    if name.endswith(_SERVER) and own and server:
        return of_server(server, own)
    return SPECS.get(name)
