"""Which tool a name means; a name that is not here is of a server, or of a plug-in."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_fields import Fields, mapping, text
from agentview.normalize.tools import execute
from agentview.normalize.tools.mcp import of_server
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ResultMaker, ToolSpec
from agentview.providers._kit.tool_table import tool, tools

INVALID = "invalid"
"""The tool of a call whose own tool is missing, or whose arguments are no JSON."""


SPECS: Mapping[str, ToolSpec] = {
    **tools(
        bash="bash shell background_process",
        read="read",
        write="write",
        edit="edit",
        multi_edit="multiedit",
        patch="patch apply_patch",
        grep="grep",
        glob="glob",
        ls="list",
        web_fetch="webfetch",
        web_search="websearch codesearch",
        task="task",
        skill="skill",
        todo_write="todowrite",
        todo_read="todoread",
        plan_enter="plan_enter",
        plan="plan_exit",
        ask="question",
        mcp="list_mcp_resources list_mcp_resource_templates read_mcp_resource",
        memory_search="kilo_local_recall",
        schedule_create="cron_create schedule_wakeup",
        schedule_cancel="cron_delete cancel_wakeup",
        schedule_list="cron_list",
        send_message="board_post",
        goal="goal",
        goal_update="goal_report",
        plain=INVALID,
    ),
    **dict.fromkeys(("lsp", "lsp_diagnostics"), FAMILIES["lints"]),
    "subagent": tool("task", keys={"agent": "subagent_type"}),
    "execute": tool("bash", "execute"),
}

_OF_PROCESSES = {
    "stop": FAMILIES["kill"],
    "list": FAMILIES["output"],
    "status": FAMILIES["output"],
    "logs": FAMILIES["output"],
    "monitor": FAMILIES["output"],
}
"""Kilo's tool for background processes, by its action."""
_OWN = frozenset({
    "board_read", "link_pr",
})  # fmt: skip
"""Tools of the clients themselves that are of no kind, and whose names have two words."""


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool of the client itself."""
    if name == "background_process":
        return _OF_PROCESSES.get(text(args, "action") or "", SPECS[name])
    return SPECS.get(name)


def named(name: str) -> ToolSpec | None:
    return None if name == "background_process" else SPECS.get(name) or server_tool(name)


def server_tool(name: str) -> ToolSpec | None:
    """The spec of a server's tool, which nothing marks but a name of two words: `server_tool`."""
    server, _, tool = name.partition("_")
    return of_server(server, tool) if server and tool and name not in _OWN else None


def _shell_result(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return the output of a command; of a long output the log has only a part."""
    result = execute.result(call, outcome)
    path = text(mapping(outcome.structured), "outputPath")
    return replace(result, spill_path=path) if result is not None and path else result


def _none(_call: ToolCall, _outcome: ToolResult) -> None:
    """No typed result: a server's tool may have a name that the shared rules know."""


RESULTS: Mapping[ToolKind, ResultMaker] = {ToolKind.SHELL: _shell_result, ToolKind.MCP: _none}
