"""Tools that the Responses API itself has; functions of a program are known by the shared rules."""

from collections.abc import Mapping

from agentview.domain.tool_inputs import ShellPayload
from agentview.normalize.json_fields import mapping, texts
from agentview.normalize.json_values import Fields
from agentview.normalize.tools.execute import command_text
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import handoff, tool, tools


def _commands(fields: Fields) -> ShellPayload:
    """The commands of a `shell_call` or a `local_shell_call`."""
    action = mapping(fields.get("action")) or fields
    listed = "\n".join(texts(action.get("commands")))
    return ShellPayload(command=listed or command_text(action.get("command")))


SPECS: Mapping[str, ToolSpec] = {
    **tools(
        patch="apply_patch_call",
        web_search="web_search_call",
        semantic="file_search_call",
        bash="code_interpreter_call",
    ),
    **dict.fromkeys(("shell_call", "local_shell_call"), tool("bash", payload=_commands)),
    **{f"{name}_call": tool("think", name) for name in ("computer", "image_generation")},
    "tool_search_call": tool("tool_search", "tool_search"),
}


def find_tool(name: str, _args: Fields) -> ToolSpec | None:
    return handoff(name) or SPECS.get(name)
