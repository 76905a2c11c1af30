"""Tools of MCP servers: which server and tool a name or the arguments mean."""

import re

from agentview.domain.tool_inputs import McpPayload
from agentview.domain.tools import ToolKind, ToolOrigin
from agentview.normalize.json_fields import Fields, text
from agentview.normalize.tools.specs import ToolSpec

_PREFIXED = re.compile(r"mcp__(.+?)(?:__(.+))?", re.DOTALL)
_PAIR = re.compile(r"([A-Za-z0-9][A-Za-z0-9.-]*(?:_[A-Za-z0-9.-]+)*)__([A-Za-z0-9][\w.-]*)")
_SINGLE = re.compile(r"mcp_([A-Za-z0-9][\w.-]*)")

_NAMESPACES = {"functions", "function", "tools", "tool", "default_api", "namespace", "web"}
"""Prefixes before `__` in names of tools that belong to no server."""


def split_name(name: str) -> tuple[str | None, str | None] | None:
    """Server and tool that a name means by convention; None for a name without the convention.

    `mcp__server__tool`, `server__tool`, and `mcp_…`, in which nothing says where the server's
    name ends.
    """
    if "__" not in name and not name.startswith("mcp_"):
        # Nearly all names.
        return None
    prefixed = _PREFIXED.fullmatch(name)
    if prefixed is not None:
        return prefixed[1], prefixed[2]
    pair = _PAIR.fullmatch(name)
    if pair is not None and pair[1].lower() not in _NAMESPACES:
        return pair[1], pair[2]
    single = _SINGLE.fullmatch(name)
    return (None, single[1]) if single is not None else None


def named(name: str) -> ToolSpec | None:
    """The spec of a tool whose name says that it is an MCP server's; None for other names."""
    parts = split_name(name)
    if parts is None:
        return None
    return of_server(*parts, name=None if all(parts) else name)


def of_server(server: str | None, tool: str | None, *, name: str | None = None) -> ToolSpec:
    """The spec of a server's tool; `name` is its canonical name if not `mcp__server__tool`."""
    payload = McpPayload(server, tool)
    canonical = name or f"mcp__{server}__{tool}"
    return ToolSpec(ToolKind.MCP, canonical, lambda _fields: payload, origin=ToolOrigin.MCP)


def payload(fields: Fields) -> McpPayload:
    return McpPayload(
        server=text(fields, "server", "server_name", "serverName", "providerIdentifier"),
        tool=text(fields, "tool", "tool_name", "toolName", "name"),
        uri=text(fields, "uri", "resource_uri"),
    )
