"""Which tool a name means; a name that is not here is of a server, or of a plug-in."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import McpPayload, UnknownPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin
from agentview.normalize.json_fields import Fields, mapping, text
from agentview.normalize.tools import execute
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ResultMaker, ToolSpec

INVALID = "invalid"
"""What a call becomes whose tool is not there, or whose arguments are no JSON."""


def _as_json(_fields: Fields) -> UnknownPayload:
    return UnknownPayload()


SPECS: Mapping[str, ToolSpec] = {
    "bash": FAMILIES["bash"],
    "read": FAMILIES["read"],
    "write": FAMILIES["write"],
    "edit": FAMILIES["edit"],
    "multiedit": FAMILIES["multi_edit"],
    "patch": FAMILIES["patch"],
    "apply_patch": FAMILIES["patch"],
    "grep": FAMILIES["grep"],
    "glob": FAMILIES["glob"],
    "list": FAMILIES["ls"],
    "webfetch": FAMILIES["web_fetch"],
    "websearch": FAMILIES["web_search"],
    "codesearch": FAMILIES["web_search"],
    "task": FAMILIES["task"],
    "todowrite": FAMILIES["todo_write"],
    "todoread": FAMILIES["todo_read"],
    "plan_enter": FAMILIES["plan_enter"],
    "plan_exit": FAMILIES["plan"],
    "question": FAMILIES["ask"],
    "lsp": FAMILIES["lints"],
    "lsp_diagnostics": FAMILIES["lints"],
    "background_process": FAMILIES["bash"],
    **{
        name: replace(FAMILIES["mcp"], canonical_name=name)
        for name in ("list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource")
    },
    INVALID: ToolSpec(ToolKind.UNKNOWN, INVALID, _as_json),
}

_OF_PROCESSES = {
    "stop": FAMILIES["kill"],
    "list": FAMILIES["output"],
    "status": FAMILIES["output"],
    "logs": FAMILIES["output"],
    "monitor": FAMILIES["output"],
}
"""What Kilo's tool for background processes does, by its action."""
_OWN = frozenset({
    "board_post", "board_read", "cancel_wakeup", "cron_create", "cron_delete", "cron_list",
    "goal_report", "kilo_local_recall", "link_pr", "schedule_wakeup",
})  # fmt: skip
"""Tools of the clients themselves that are of no kind, and whose names have two words."""


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool of the client itself."""
    if name == "background_process":
        return _OF_PROCESSES.get(text(args, "action") or "", SPECS[name])
    return SPECS.get(name)


def named(name: str) -> ToolSpec | None:
    """The spec of a tool whose name alone says what it is."""
    return None if name == "background_process" else SPECS.get(name) or server_tool(name)


def server_tool(name: str) -> ToolSpec | None:
    """The spec of a server's tool, which nothing marks but a name of two words: `server_tool`."""
    server, _, tool = name.partition("_")
    if not server or not tool or name in _OWN:
        return None

    def payload(_fields: Fields) -> McpPayload:
        return McpPayload(server, tool)

    return ToolSpec(ToolKind.MCP, f"mcp__{server}__{tool}", payload, origin=ToolOrigin.MCP)


def _shell_result(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return what a command printed; of a long output the log has only a part."""
    result = execute.result(call, outcome)
    path = text(mapping(outcome.structured), "outputPath")
    return replace(result, spill_path=path) if result is not None and path else result


def _none(_call: ToolCall, _outcome: ToolResult) -> None:
    """No typed result: a server's tool may have a name that the shared rules know."""


RESULTS: Mapping[ToolKind, ResultMaker] = {ToolKind.SHELL: _shell_result, ToolKind.MCP: _none}
