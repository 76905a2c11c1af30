"""Which tool a name means; version 3 puts a namespace in front of it."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    McpPayload,
    Payload,
    ShellPayload,
    SubagentPayload,
    UnknownPayload,
)
from agentview.domain.tools import ToolKind
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import real, text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import execute, subagent
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec

_OWN = ("file_system", "vibe")
"""Namespaces of the client's own tools; any other is that of a server."""


def _run(fields: Fields) -> ShellPayload:
    """A command; version 2 states its `timeout` in seconds."""
    timeout = real(fields, "timeout_seconds", "timeout")
    return replace(execute.run(fields), timeout=timeout)


def _started(fields: Fields) -> SubagentPayload:
    made = subagent.start(fields)
    return replace(made, agent_type=made.agent_type or text(fields, "agent"))


def _as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _plain(name: str) -> ToolSpec:
    """A tool that is known and has no kind of its own."""
    return ToolSpec(ToolKind.UNKNOWN, name, _as_json)


_PLAIN = ("skill", "unified_harness_scratchpad", "search_tool_functions", "run_typescript")
_BARE: Mapping[str, ToolSpec] = {
    "bash": replace(FAMILIES["bash"], payload=_run),
    "read_file": FAMILIES["read"],
    "write_file": FAMILIES["write"],
    "edit": FAMILIES["edit"],
    "grep": FAMILIES["grep"],
    "web_fetch": FAMILIES["web_fetch"],
    "web_search": FAMILIES["web_search"],
    "todo": FAMILIES["todo_write"],
    "task": replace(FAMILIES["task"], payload=_started),
    "ask_user_question": FAMILIES["ask"],
    "exit_plan_mode": FAMILIES["plan"],
    **{name: _plain(name) for name in _PLAIN},
}
SPECS: Mapping[str, ToolSpec] = {
    **_BARE,
    **{
        f"{space}.{name}": spec
        for space, names in (
            ("file_system", ("bash", "read_file", "write_file", "edit", "grep")),
            ("vibe", ("todo", "skill", "ask_user_question", "unified_harness_scratchpad")),
        )
        for name in names
        for spec in (_BARE[name],)
    },
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name, without its namespace where that is one of the client's."""
    space, dot, rest = name.rpartition(".")
    bare = rest if dot and space in _OWN else name
    if bare == "todo" and text(args, "action") == "read":
        return FAMILIES["todo_read"]
    spec = _BARE.get(bare)
    if spec is not None or not dot:
        return spec
    return classify(bare, args) if bare == rest else _of_server(space, rest)


def _of_server(server: str, tool: str) -> ToolSpec:
    def payload(_fields: Fields) -> McpPayload:
        return McpPayload(server, tool)

    return replace(FAMILIES["mcp"], canonical_name=f"mcp__{server}__{tool}", payload=payload)
