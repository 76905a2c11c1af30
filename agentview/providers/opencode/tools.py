"""Which tool a name means; a name that is not here is of a server, or of a plug-in."""

from collections.abc import Mapping

from agentview.normalize.registry import FAMILIES
from agentview.normalize.specs import ToolSpec

SPECS: Mapping[str, ToolSpec] = {
    "bash": FAMILIES["bash"],
    "read": FAMILIES["read"],
    "write": FAMILIES["write"],
    "edit": FAMILIES["edit"],
    "multiedit": FAMILIES["multi_edit"],
    "patch": FAMILIES["patch"],
    "apply_patch": FAMILIES["patch"],
    "grep": FAMILIES["grep"],
    "glob": FAMILIES["glob"],
    "list": FAMILIES["ls"],
    "webfetch": FAMILIES["web_fetch"],
    "websearch": FAMILIES["web_search"],
    "codesearch": FAMILIES["web_search"],
    "task": FAMILIES["task"],
    "todowrite": FAMILIES["todo_write"],
    "todoread": FAMILIES["todo_read"],
    "plan_enter": FAMILIES["plan_enter"],
    "plan_exit": FAMILIES["plan"],
    "question": FAMILIES["ask"],
    "lsp": FAMILIES["lints"],
    "lsp_diagnostics": FAMILIES["lints"],
}
