"""Which tool a name means."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    Payload,
    ReadPayload,
    SubagentPayload,
    TextEdit,
    UnknownPayload,
)
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import number, path, text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import read, subagent
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec


def _viewed(fields: Fields) -> ReadPayload:
    """A file; the client counts its lines from 0."""
    first = number(fields, "offset")
    return replace(read.payload(fields), start=None if first is None else first + 1)


def _fetched(fields: Fields) -> SubagentPayload:
    """An agent that reads a page, or looks for pages."""
    made = subagent.start(fields)
    return replace(made, description=made.description or text(fields, "url"))


def _symbol(fields: Fields) -> EditPayload:
    """A name, or the text of a symbol, which a language server replaces."""
    new = text(fields, "new_name", "new_text", "content", "body") or ""
    old = text(fields, "symbol", "name") or ""
    return EditPayload((FileEdit(path(fields) or "", (TextEdit(old, new),)),))


def _as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _named(family: str, name: str) -> ToolSpec:
    return replace(FAMILIES[family], canonical_name=name)


_PLAIN = ("sourcegraph", "download", "crush_info", "crush_logs", "lsp_restart")
_LOOK_UP = ("lsp_references", "lsp_definition", "lsp_symbols", "lsp_call_hierarchy")
SPECS: Mapping[str, ToolSpec] = {
    "bash": FAMILIES["bash"],
    "job_output": _named("output", "job_output"),
    "job_kill": _named("kill", "job_kill"),
    "view": replace(FAMILIES["read"], payload=_viewed),
    "write": FAMILIES["write"],
    "edit": FAMILIES["edit"],
    "multiedit": FAMILIES["multi_edit"],
    "grep": FAMILIES["grep"],
    "glob": FAMILIES["glob"],
    "ls": FAMILIES["ls"],
    "fetch": FAMILIES["web_fetch"],
    "web_fetch": FAMILIES["web_fetch"],
    "web_search": FAMILIES["web_search"],
    "agent": FAMILIES["task"],
    "agentic_fetch": replace(FAMILIES["task"], payload=_fetched, canonical_name="agentic_fetch"),
    "todos": FAMILIES["todo_write"],
    "question": FAMILIES["ask"],
    "lsp_diagnostics": _named("lints", "lsp_diagnostics"),
    "diagnostics": _named("lints", "diagnostics"),
    **{name: _named("semantic", name) for name in _LOOK_UP},
    "lsp_rename": replace(_named("edit", "lsp_rename"), payload=_symbol),
    "lsp_replace_symbol": replace(_named("edit", "lsp_replace_symbol"), payload=_symbol),
    "list_mcp_resources": FAMILIES["mcp"],
    "read_mcp_resource": FAMILIES["mcp"],
    **{name: ToolSpec(ToolKind.UNKNOWN, name, _as_json) for name in _PLAIN},
}
"""Tools of servers are `mcp_<server>_<tool>`, which the shared rules know."""
