"""Which tool a name means: those of the library and of the models' services, else shared rules."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import McpPayload, Payload, UnknownPayload
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin
from agentview.normalize import build
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, items_of
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec

_SERVER = "mcp_server:"
"""What the name of a tool begins with that the model's service calls on an MCP server."""

_SEARCHES = frozenset({ToolKind.WEB_SEARCH, ToolKind.SEM_SEARCH})


def _shown_as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


SPECS: Mapping[str, ToolSpec] = {
    "web_search": FAMILIES["web_search"],
    "web_fetch": FAMILIES["web_fetch"],
    "url_context": replace(FAMILIES["web_fetch"], canonical_name="url_context"),
    "code_execution": replace(FAMILIES["bash"], canonical_name="code_execution"),
    "final_result": ToolSpec(ToolKind.UNKNOWN, "final_result", _shown_as_json),
    "image_generation": ToolSpec(ToolKind.UNKNOWN, "image_generation", _shown_as_json),
}
"""Tools of the models' services, and the one by which an agent gives its answer.

All others are functions of the program that runs the agent: their names may be anything.
"""


def find_tool(name: str, args: Fields | None) -> ToolSpec | None:
    """The spec of this very call; None for a tool that only the shared rules can know."""
    if name.startswith(_SERVER):
        return _server_spec(name[len(_SERVER) :], args or {})
    return SPECS.get(name)


def _server_spec(server: str, args: Fields) -> ToolSpec:
    tool = text(args, "tool_name")
    payload = McpPayload(server, tool)

    def make(_fields: Fields) -> McpPayload:
        return payload

    name = f"mcp__{server}__{tool}" if tool else f"mcp__{server}"
    return ToolSpec(ToolKind.MCP, name, make, origin=ToolOrigin.MCP)


def attach_result(call: ToolCall, result: ToolResult) -> ToolCall:
    """The call joined with its outcome, with the typed result of its kind.

    A search may have returned its hits as a bare list.
    """
    hits = items_of(result.structured)
    if call.kind in _SEARCHES and hits:
        result = replace(result, structured={"results": hits}, output=())
    return build.attach_result(call, result, find_tool(call.provider_name, call.args))
