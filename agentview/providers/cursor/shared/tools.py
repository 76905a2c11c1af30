"""Which tool a name means, in each of the ways in which the client spells it.

The stream has `<name>ToolCall`, the SDK the bare name, a transcript and a chat the name for the
model, the editor that or its own name for it.
"""

import re
from collections.abc import Mapping
from typing import cast

from msgspec.structs import replace

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
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import flag, mapping, path, text
from agentview.normalize.json_values import Fields, changed, fields_of
from agentview.normalize.tools import edit, execute, plan, read, search, subagent, todo, web
from agentview.normalize.tools.specs import PayloadMaker, ToolSpec
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
_ASK = _of(ToolKind.ASK, "AskUserQuestion", plan.ask)
_GLOB = _of(ToolKind.GLOB, "Glob", search.glob)
_GREP = _of(ToolKind.GREP, "Grep", search.grep)
_MODES = frozenset({"switchModeToolCall", "switchMode", "SwitchMode", "switch_mode"})
_WRAPPER = "CallDynamicTool"
_VERSION = re.compile(r"_v\d{1,2}$")
_SERVERS = re.compile(r"(?:mcp-)?([A-Za-z][\w.]*(?:-[\w.]+)*?)-([A-Za-z]\w*)")
"""A server's tool, as `server-tool` or `mcp-server-tool`."""
_NOTEBOOK = _of(ToolKind.NOTEBOOK_EDIT, "EditNotebook", _notebook)

_BARE: Mapping[str, ToolSpec] = {
    "read": _READ,
    "write": _of(ToolKind.WRITE, "Write", edit.write),
    "edit": _EDIT,
    "delete": _of(ToolKind.DELETE, "Delete", edit.delete),
    "shell": _SHELL,
    "writeShellStdin": _of(ToolKind.SHELL, "write_stdin", _typed),
    "grep": _GREP,
    "glob": _GLOB,
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
    "AskQuestion": _ASK,
    "AwaitShell": _WAIT,
    "ReadFile": _READ,
    "rg": _GREP,
    "CallMcpTool": _MCP,
    "FetchMcpResource": _MCP,
    "ListMcpResources": _MCP,
    "GetMcpTools": _MCP,
    "read_file": _READ,
    "write_file": _BARE["write"],
    "edit_file": _EDIT,
    "search_replace": _EDIT,
    "apply_patch": _of(ToolKind.EDIT, "Patch", edit.patch),
    "reapply": _EDIT,
    "delete_file": _BARE["delete"],
    "edit_notebook": _NOTEBOOK,
    "run_terminal_cmd": _SHELL,
    "run_terminal_command": _SHELL,
    "write_shell_stdin": _BARE["writeShellStdin"],
    "grep_search": _GREP,
    "ripgrep_search": _GREP,
    "ripgrep_raw_search": _GREP,
    "file_search": _GLOB,
    "glob_file_search": _GLOB,
    "list_dir": _LS,
    "codebase_search": _SEARCH,
    "semantic_search_full": _SEARCH,
    "read_semsearch_files": _SEARCH,
    "read_lints": _LINTS,
    "todo_write": _TODOS,
    "create_plan": _PLAN,
    "await_task": _WAIT,
    "web_search": _BARE["webSearch"],
    "web_fetch": _BARE["webFetch"],
    "ask_question": _ASK,
    "call_mcp_tool": _MCP,
    "get_mcp_tools": _MCP,
    "list_mcp_resources": _MCP,
    "read_mcp_resource": _MCP,
    "generate_image": _BARE["generateImage"],
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
    if name == _WRAPPER:
        return _wrapped(args)
    spec = SPECS.get(name) or SPECS.get(_VERSION.sub("", name))
    if name in _MODES and text(args, "targetModeId", "target_mode_id") == "plan":
        return _PLANNING
    if spec is None and name.endswith(_SUFFIX):
        bare = name[: -len(_SUFFIX)]
        found = classify(bare, args)
        return replace(found, canonical_name=bare) if found.canonical_name == name else found
    if spec is None:
        return _of_server(name, args)
    if spec is _EDIT:
        form = next((form for form in _EDIT_FORMS if form in args), None)
        return replace(spec, canonical_name=_EDIT_FORMS[form]) if form else spec
    if spec is _MCP:
        given = _mcp(args)
        named = f"mcp__{given.server}__{given.tool}" if given.server and given.tool else name
        return replace(spec, canonical_name=named)
    return spec


def _wrapped(args: Fields) -> ToolSpec | None:
    """The tool that a call names in its arguments, with arguments of its own."""
    inner = mapping(args.get("arguments"))
    named = text(args, "toolName") or ""
    found = find_tool(named, inner) or classify(named, inner)

    def payload(fields: Fields) -> Payload:
        return found.payload(mapping(fields.get("arguments")))

    return replace(found, payload=payload) if found.kind is not ToolKind.UNKNOWN else None


def _of_server(name: str, args: Fields) -> ToolSpec | None:
    """The tool of a server, by a name that no other rule knows."""
    match = _SERVERS.fullmatch(name)
    if match is None or classify(name, args).kind is not ToolKind.UNKNOWN:
        return None
    server, tool = match[1], match[2]

    def payload(_fields: Fields) -> Payload:
        return McpPayload(server, tool)

    return replace(_MCP, canonical_name=f"mcp__{server}__{tool}", payload=payload)
