"""Which tool a name means: those of the library and of the models' services, else shared rules."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize import build
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, items_of
from agentview.normalize.tools.mcp import of_server
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

_SERVER = "mcp_server:"
"""Beginning of the name of a tool that the model's service calls on an MCP server."""

_SEARCHES = frozenset({ToolKind.WEB_SEARCH, ToolKind.SEM_SEARCH})


SPECS: Mapping[str, ToolSpec] = {
    **tools(web_search="web_search", web_fetch="web_fetch", plain="final_result image_generation"),
    "url_context": tool("web_fetch", "url_context"),
    "code_execution": tool("bash", "code_execution"),
}
"""Tools of the models' services, and the one by which an agent gives its answer.

All others are functions of the program that runs the agent: their names may be anything.
"""


def find_tool(name: str, args: Fields | None) -> ToolSpec | None:
    """The spec of this very call; None for a tool that only the shared rules can know."""
    if name.startswith(_SERVER):
        server, own = name[len(_SERVER) :], text(args or {}, "tool_name")
        return of_server(server, own, name=None if own else f"mcp__{server}")
    return SPECS.get(name)


def attach_result(call: ToolCall, result: ToolResult) -> ToolCall:
    """The call joined with its outcome, with the typed result of its kind.

    A search may have returned its hits as a bare list.
    """
    hits = items_of(result.structured)
    if call.kind in _SEARCHES and hits:
        result = replace(result, structured={"results": hits}, output=())
    return build.attach_result(call, result, find_tool(call.provider_name, call.args))
