"""The tools that these clients have in common, and how a call of any of them is made and joined."""

import re
from collections.abc import Mapping
from typing import cast

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    McpPayload,
    Payload,
    PlanPayload,
    ReadPayload,
    UnknownPayload,
)
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin, ToolState
from agentview.normalize import build
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import number, path
from agentview.normalize.json_values import Fields, fields_of
from agentview.normalize.tools import plan, read
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ResultMaker, ToolSpec
from agentview.providers.gemini.shared import results

_SERVER = re.compile(r"(?P<tool>.+) \((?P<server>.+) MCP Server\)", re.DOTALL)

BY_KIND: Mapping[ToolKind, ResultMaker] = {
    ToolKind.SHELL: results.shell,
    ToolKind.READ: results.read,
    ToolKind.WRITE: results.changes,
    ToolKind.EDIT: results.changes,
    ToolKind.NOTEBOOK_EDIT: results.changes,
    ToolKind.GREP: results.grep,
    ToolKind.GLOB: results.paths,
    ToolKind.LS: results.listing,
    ToolKind.TODOS: results.todos,
    ToolKind.PLAN: results.plan,
    ToolKind.ASK: results.asked,
    ToolKind.SUBAGENT_TASK: results.agent,
    ToolKind.WEB_FETCH: results.fetched,
    ToolKind.WEB_SEARCH: results.searched,
}
"""How the result of a call is read, by what the call does."""


def read_file(fields: Fields) -> ReadPayload:
    """Read a file or several; an `offset` counts lines from 0, a `start_line` from 1."""
    made = read.payload(fields)
    skipped = number(fields, "offset")
    if skipped is not None and number(fields, "start_line") is None:
        made = replace(made, start=skipped + 1)
    return replace(made, path=path(fields, "include", "paths") or "")


def _plan(fields: Fields) -> PlanPayload:
    """A plan in a file, under either of the names that it has had."""
    made = plan.propose(fields)
    return replace(made, path=made.path or path(fields, "plan_path"))


def shown_as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def family(name: str, tool: str | None = None) -> ToolSpec:
    """The shared spec of a family, under the name of a `tool` where it has no canonical one."""
    spec = FAMILIES[name]
    return spec if spec.canonical_name else replace(spec, canonical_name=tool or name)


def plain(name: str) -> ToolSpec:
    return ToolSpec(ToolKind.UNKNOWN, name, shown_as_json)


SHARED: Mapping[str, ToolSpec] = {
    "read_file": replace(FAMILIES["read"], payload=read_file),
    "read_many_files": replace(FAMILIES["read"], payload=read_file),
    "write_file": family("write"),
    "edit": family("edit"),
    "replace": family("edit"),
    "run_shell_command": family("bash"),
    "grep_search": family("grep"),
    "search_file_content": family("grep"),
    "glob": family("glob"),
    "list_directory": family("ls"),
    "web_fetch": family("web_fetch"),
    "exit_plan_mode": replace(FAMILIES["plan"], payload=_plan),
    "enter_plan_mode": family("plan_enter"),
    "list_mcp_resources": family("mcp", "list_mcp_resources"),
    "read_mcp_resource": family("mcp", "read_mcp_resource"),
    "save_memory": family("memory_save", "save_memory"),
}
"""Tools of all these clients, under their names of today and of earlier."""


def make_call(
    call_id: str,
    name: str,
    args: object,
    spec: ToolSpec | None,
    *,
    raw: bytes | None = None,
    title: str | None = None,
) -> ToolCall:
    """A call with its `spec`, else by the shared rules."""
    arguments: Mapping[str, object] | str | None = None
    if isinstance(args, dict):
        arguments = fields_of(cast("object", args))
    elif args is not None:
        arguments = args if isinstance(args, str) else (raw or b"").decode("utf-8", "replace")
    return build.tool_call(
        call_id=call_id,
        name=name,
        arguments=arguments,
        spec=spec,
        raw=raw if not isinstance(args, str) else None,
        state=ToolState.INPUT_AVAILABLE,
        title=title,
    )


def server_spec(display_name: str | None) -> ToolSpec | None:
    """The spec of a tool that the client shows as `tool (server MCP Server)`; None for another."""
    match = _SERVER.fullmatch(display_name) if display_name is not None else None
    if match is None:
        return None
    server, tool = match["server"], match["tool"]

    def payload(_fields: Fields) -> McpPayload:
        return McpPayload(server, tool)

    return ToolSpec(ToolKind.MCP, f"mcp__{server}__{tool}", payload, origin=ToolOrigin.MCP)


def kind_of(name: str, specs: Mapping[str, ToolSpec]) -> ToolKind:
    return (specs.get(name) or classify(name, {})).kind
