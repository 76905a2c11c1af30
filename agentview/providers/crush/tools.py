"""Which tool a name means."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    ReadPayload,
    TextEdit,
)
from agentview.normalize.json_fields import number, path, text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import read
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools


def _viewed(fields: Fields) -> ReadPayload:
    """A file; the client counts its lines from 0."""
    first = number(fields, "offset")
    return replace(read.payload(fields), start=None if first is None else first + 1)


def _symbol(fields: Fields) -> EditPayload:
    """A name, or the text of a symbol, which a language server replaces."""
    new = text(fields, "new_name", "new_text", "content", "body") or ""
    old = text(fields, "symbol", "name") or ""
    return EditPayload((FileEdit(path(fields) or "", (TextEdit(old, new),)),))


_LOOK_UP = ("lsp_references", "lsp_definition", "lsp_symbols", "lsp_call_hierarchy")
SPECS: Mapping[str, ToolSpec] = {
    **tools(
        bash="bash",
        output="job_output",
        kill="job_kill",
        write="write",
        edit="edit",
        multi_edit="multiedit",
        grep="grep",
        glob="glob",
        ls="ls",
        web_fetch="fetch web_fetch",
        web_search="web_search",
        task="agent",
        todo_write="todos",
        ask="question",
        lints="lsp_diagnostics diagnostics",
        plain="sourcegraph download crush_info crush_logs lsp_restart",
    ),
    "view": tool("read", payload=_viewed),
    "agentic_fetch": tool("task", "agentic_fetch", keys={"url": "description"}),
    **{name: tool("semantic", name) for name in _LOOK_UP},
    **{name: tool("edit", name, payload=_symbol) for name in ("lsp_rename", "lsp_replace_symbol")},
    **dict.fromkeys(("list_mcp_resources", "read_mcp_resource"), FAMILIES["mcp"]),
}
"""Tools of servers are `mcp_<server>_<tool>`, which the shared rules know."""
