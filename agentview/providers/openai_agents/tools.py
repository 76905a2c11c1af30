"""Tools that the Responses API itself has; functions of a program are known by the shared rules."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import McpPayload, ShellPayload, SubagentPayload, UnknownPayload
from agentview.domain.tools import ToolKind, ToolOrigin
from agentview.normalize.json_fields import mapping, texts
from agentview.normalize.json_values import Fields
from agentview.normalize.tools.execute import command_text
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec

HANDOFF = "transfer_to_"


def _commands(fields: Fields) -> ShellPayload:
    """The commands of a `shell_call` or a `local_shell_call`."""
    action = mapping(fields.get("action")) or fields
    listed = "\n".join(texts(action.get("commands")))
    return ShellPayload(command=listed or command_text(action.get("command")))


def _as_json(_fields: Fields) -> UnknownPayload:
    return UnknownPayload()


def _plain(name: str) -> ToolSpec:
    return ToolSpec(ToolKind.UNKNOWN, name, _as_json)


SPECS: Mapping[str, ToolSpec] = {
    "shell_call": replace(FAMILIES["bash"], payload=_commands),
    "local_shell_call": replace(FAMILIES["bash"], payload=_commands),
    "apply_patch_call": FAMILIES["patch"],
    "web_search_call": FAMILIES["web_search"],
    "file_search_call": FAMILIES["semantic"],
    "code_interpreter_call": FAMILIES["bash"],
    "computer_call": _plain("computer"),
    "image_generation_call": _plain("image_generation"),
    "tool_search_call": _plain("tool_search"),
}


def find_tool(name: str, _args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name; handing over to another agent is one too."""
    if name.startswith(HANDOFF):
        agent = name.removeprefix(HANDOFF)
        payload = SubagentPayload(description=agent, agent_type=agent)
        return ToolSpec(ToolKind.SUBAGENT_TASK, name, lambda _: payload)
    return SPECS.get(name)


def server_spec(server: str, tool: str) -> ToolSpec:
    """The spec of a tool of a server."""
    payload = McpPayload(server, tool)
    name = f"mcp__{server}__{tool}"
    return ToolSpec(ToolKind.MCP, name, lambda _: payload, origin=ToolOrigin.MCP)
