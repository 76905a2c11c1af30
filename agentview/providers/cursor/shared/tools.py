"""Which tool a name means, in each of the ways in which the client spells it.

The stream has `<name>ToolCall`, the SDK the bare name, a transcript the name for the model.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    McpPayload,
    NotebookEditPayload,
    Payload,
    ShellAction,
    ShellPayload,
    SubagentPayload,
    TextEdit,
    UnknownPayload,
)
from agentview.domain.tools import ToolKind, ToolOrigin
from agentview.normalize import edit, execute, plan, read, search, subagent, todo, web
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import flag, mapping, path, text
from agentview.normalize.json_values import Fields, changed, fields_of
from agentview.normalize.specs import PayloadMaker, ToolSpec
from agentview.providers.cursor.shared import results

_SUFFIX = "ToolCall"
_PATCH = "ApplyPatch"
_EDIT_FORMS = {"strReplace": "Edit", "multiStrReplace": "MultiEdit", "applyPatch": "Patch"}


def _edit(fields: Fields) -> EditPayload:
    """Edit one file, in one of the forms that the stream names."""
    for form, canonical in _EDIT_FORMS.items():
        inner = mapping(fields.get(form))
        if inner:
            make = edit.patch if canonical == "Patch" else edit.edit
            return make(changed(fields, inner))
    written = fields.get("streamContent")
    if isinstance(written, str):
        return EditPayload((FileEdit(path(fields) or "", (TextEdit("", written),)),))
    return edit.edit(fields)


def _task(fields: Fields) -> SubagentPayload:
    """Start an agent; its type is an object that names itself by a field or by its only key."""
    given = subagent.start(fields)
    kind = mapping(fields.get("subagentType"))
    if not kind:
        return given
    form = next(iter(kind))
    named = text(mapping(kind[form]), "name") or text(kind, "name", "kind") or form
    return replace(given, agent_type=named)


def _notebook(fields: Fields) -> NotebookEditPayload:
    """Change a cell; a cell that is made has no text to be replaced."""
    made = flag(fields, "is_new_cell", "isNewCell")
    named = {
        **fields,
        "target_notebook": text(fields, "target_notebook", "targetNotebook"),
        "cell_idx": text(fields, "cell_idx", "cellIdx"),
        "cell_language": text(fields, "cell_language", "cellLanguage"),
        "new_string": text(fields, "new_string", "newString"),
        "edit_mode": "insert" if made else "replace",
    }
    return edit.notebook(named)


def _typed(fields: Fields) -> ShellPayload:
    """Write to a command that runs on."""
    written = text(fields, "chars", "input") or ""
    return ShellPayload(written, ShellAction.INPUT, task_id=text(fields, "shellId", "shell_id"))


def _shown_as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _of(kind: ToolKind, name: str, payload: PayloadMaker) -> ToolSpec:
    return ToolSpec(kind, name, payload, results.BY_KIND.get(kind))


def _mcp(fields: Fields) -> McpPayload:
    return McpPayload(
        server=text(fields, "providerIdentifier", "server", "serverName"),
        tool=text(fields, "toolName", "tool_name", "tool", "name"),
        uri=text(fields, "uri"),
    )


_READ = _of(ToolKind.READ, "Read", read.payload)
_EDIT = _of(ToolKind.EDIT, "Edit", _edit)
_SHELL = _of(ToolKind.SHELL, "Bash", execute.run)
_MCP = ToolSpec(ToolKind.MCP, "", _mcp, results.BY_KIND.get(ToolKind.MCP), ToolOrigin.MCP)
_LS = _of(ToolKind.LS, "LS", search.ls)
_SEARCH = _of(ToolKind.SEM_SEARCH, "CodeSearch", search.semantic)
_LINTS = _of(ToolKind.READ_LINTS, "ReadLints", search.lints)
_TODOS = _of(ToolKind.TODOS, "TodoWrite", todo.replace)
_PLAN = _of(ToolKind.PLAN, "ExitPlanMode", plan.propose)
_TASK = _of(ToolKind.SUBAGENT_TASK, "Task", _task)
_WAIT = _of(ToolKind.SHELL, "Await", execute.acting(ShellAction.WATCH))
_PLANNING = _of(ToolKind.PLAN, "EnterPlanMode", plan.enter)
_MODES = frozenset({"switchModeToolCall", "switchMode", "SwitchMode"})
_NOTEBOOK = _of(ToolKind.NOTEBOOK_EDIT, "EditNotebook", _notebook)

_BARE: Mapping[str, ToolSpec] = {
    "read": _READ,
    "write": _of(ToolKind.WRITE, "Write", edit.write),
    "edit": _EDIT,
    "delete": _of(ToolKind.DELETE, "Delete", edit.delete),
    "shell": _SHELL,
    "writeShellStdin": _of(ToolKind.SHELL, "write_stdin", _typed),
    "grep": _of(ToolKind.GREP, "Grep", search.grep),
    "glob": _of(ToolKind.GLOB, "Glob", search.glob),
    "ls": _LS,
    "semSearch": _SEARCH,
    "readLints": _LINTS,
    "mcp": _MCP,
    "getMcpTools": _MCP,
    "updateTodos": _TODOS,
    "createPlan": _PLAN,
    "task": _TASK,
    "webFetch": _of(ToolKind.WEB_FETCH, "WebFetch", web.fetch),
    "webSearch": _of(ToolKind.WEB_SEARCH, "WebSearch", web.search),
    "editNotebook": _NOTEBOOK,
    "applyAgentDiff": _of(ToolKind.EDIT, "applyAgentDiff", _edit),
    "await": _WAIT,
    "generateImage": ToolSpec(ToolKind.UNKNOWN, "generateImage", _shown_as_json),
    "recordScreen": ToolSpec(ToolKind.UNKNOWN, "recordScreen", _shown_as_json),
}
"""Tools by the name that the SDK has for them."""

SPECS: Mapping[str, ToolSpec] = {
    **_BARE,
    **{name + _SUFFIX: spec for name, spec in _BARE.items()},
    **{name[0].upper() + name[1:]: spec for name, spec in _BARE.items()},
    "LS": _LS,
    "StrReplace": _EDIT,
    "MultiStrReplace": _of(ToolKind.EDIT, "MultiEdit", edit.edit),
    _PATCH: _of(ToolKind.EDIT, "Patch", edit.patch),
    "SemanticSearch": _SEARCH,
    "TodoWrite": _TODOS,
    "Bash": _SHELL,
    "Agent": _TASK,
}
"""Every tool of the client by each of its names; a transcript has them in capitals."""


def arguments_of(name: str, given: object) -> Fields | str | None:
    """Arguments as a mapping, where that is what they are; the text of a patch is its `patch`."""
    if isinstance(given, str):
        return {"patch": given} if name == _PATCH and not given.startswith("{") else given
    return fields_of(cast("object", given)) if isinstance(given, dict) else None


def find_tool(name: str, arguments: Fields | str | None) -> ToolSpec | None:
    """The spec of this very call; None for a tool that only the shared rules can know."""
    args = mapping(arguments)
    spec = SPECS.get(name)
    if name in _MODES and text(args, "targetModeId", "target_mode_id") == "plan":
        return _PLANNING
    if spec is None and name.endswith(_SUFFIX):
        bare = name[: -len(_SUFFIX)]
        found = classify(bare, args)
        return replace(found, canonical_name=bare) if found.canonical_name == name else found
    if spec is None:
        return None
    if spec is _EDIT:
        form = next((form for form in _EDIT_FORMS if form in args), None)
        return replace(spec, canonical_name=_EDIT_FORMS[form]) if form else spec
    if spec is _MCP:
        given = _mcp(args)
        named = f"mcp__{given.server}__{given.tool}" if given.server and given.tool else name
        return replace(spec, canonical_name=named)
    return spec
