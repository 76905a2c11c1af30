"""Which tool a name means; the names are those that the model is given."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import McpPayload, Payload, UnknownPayload, WebFetchPayload
from agentview.domain.tools import ToolKind, ToolOrigin
from agentview.normalize.json_fields import text, texts
from agentview.normalize.json_values import Fields, items_of
from agentview.normalize.tools import web
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec

_SERVER = "mcp_"


def _as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _pages(fields: Fields) -> WebFetchPayload:
    """Pages, and what is looked for in them."""
    pages = ", ".join(texts(items_of(fields.get("urls"))))
    return web.fetch({"url": pages, "prompt": text(fields, "query")})


SPECS: Mapping[str, ToolSpec] = {
    "read_file": FAMILIES["read"],
    "view_image": FAMILIES["read"],
    "grep_search": FAMILIES["grep"],
    "file_search": FAMILIES["glob"],
    "semantic_search": FAMILIES["semantic"],
    "list_dir": FAMILIES["ls"],
    "get_errors": FAMILIES["lints"],
    "create_file": FAMILIES["write"],
    "replace_string_in_file": FAMILIES["edit"],
    "apply_patch": FAMILIES["patch"],
    "run_in_terminal": FAMILIES["bash"],
    "get_terminal_output": replace(FAMILIES["output"], canonical_name="get_terminal_output"),
    "terminal_last_command": replace(FAMILIES["output"], canonical_name="terminal_last_command"),
    "fetch_webpage": replace(FAMILIES["web_fetch"], payload=_pages),
    "runSubagent": FAMILIES["task"],
    **{
        name: ToolSpec(ToolKind.UNKNOWN, name, _as_json)
        for name in (
            "create_directory", "create_new_workspace", "get_changed_files", "github_repo",
            "insert_edit_into_file", "install_extension", "list_code_usages", "manage_todo_list",
            "multi_replace_string_in_file", "open_simple_browser", "run_task", "run_vscode_command",
            "runTests", "test_failure", "think",
        )
    },
}  # fmt: skip


def find_tool(name: str, _args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name: of a server's it is `mcp_<server>_<tool>`."""
    if not name.startswith(_SERVER):
        return SPECS.get(name)
    server, _, tool = name.removeprefix(_SERVER).partition("_")

    def payload(_fields: Fields) -> McpPayload:
        return McpPayload(server, tool)

    named = f"mcp__{server}__{tool}"
    return ToolSpec(ToolKind.MCP, named, payload, origin=ToolOrigin.MCP) if tool else None
