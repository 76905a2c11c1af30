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
)
from agentview.domain.tools import ToolKind
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import flag, mapping, path, text
from agentview.normalize.json_values import Fields, changed, fields_of
from agentview.normalize.tools import edit, execute, subagent
from agentview.normalize.tools.mcp import of_server
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools
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


_MCP_KEYS = {"providerIdentifier": "server", "toolName": "tool"}
_TABLE: Mapping[str, ToolSpec] = {
    **tools(
        read="read",
        write="write",
        delete="delete",
        bash="shell",
        grep="grep",
        glob="glob",
        ls="ls",
        semantic="semSearch",
        todo_write="updateTodos",
        plan="createPlan",
        web_fetch="webFetch",
        web_search="webSearch",
        plain="generateImage recordScreen",
    ),
    "edit": tool("edit", payload=_edit),
    "applyAgentDiff": tool("edit", "applyAgentDiff", payload=_edit),
    "editNotebook": tool("notebook", "EditNotebook", payload=_notebook),
    "writeShellStdin": tool("input", "write_stdin", payload=_typed),
    "await": tool("output", "Await", payload=execute.acting(ShellAction.WATCH)),
    "readLints": tool("lints", "ReadLints"),
    "task": tool("task", payload=_task),
    **dict.fromkeys(("mcp", "getMcpTools"), tool("mcp", keys=_MCP_KEYS)),
}
_OTHERS: Mapping[str, ToolSpec] = tools(
    multi_edit="MultiStrReplace",
    patch=f"{_PATCH} apply_patch",
    ask="AskQuestion ask_question",
    topic="UpdateCurrentStep",
)


def _read(specs: Mapping[str, ToolSpec]) -> Mapping[str, ToolSpec]:
    return {
        name: replace(spec, result=results.BY_KIND.get(spec.kind)) for name, spec in specs.items()
    }


_BARE = _read(_TABLE)
"""Tools by the name that the SDK has for them."""
_EDIT = _BARE["edit"]
_PLANNING = replace(FAMILIES["plan_enter"], result=results.BY_KIND.get(ToolKind.PLAN))
_MODES = frozenset({"switchModeToolCall", "switchMode", "SwitchMode", "switch_mode"})
_WRAPPER = "CallDynamicTool"
_VERSION = re.compile(r"_v\d{1,2}$")
_SERVERS = re.compile(r"(?:mcp-)?([A-Za-z][\w.]*(?:-[\w.]+)*?)-([A-Za-z]\w*)")
"""A server's tool, as `server-tool` or `mcp-server-tool`."""
_ALIASES = {
    "read": "ReadFile read_file",
    "write": "write_file",
    "edit": "StrReplace edit_file search_replace reapply",
    "delete": "delete_file",
    "editNotebook": "edit_notebook",
    "shell": "Bash run_terminal_cmd run_terminal_command",
    "writeShellStdin": "write_shell_stdin",
    "await": "AwaitShell await_task",
    "grep": "rg grep_search ripgrep_search ripgrep_raw_search",
    "glob": "file_search glob_file_search",
    "ls": "LS list_dir",
    "semSearch": "SemanticSearch codebase_search semantic_search_full read_semsearch_files",
    "readLints": "read_lints",
    "updateTodos": "TodoWrite todo_write",
    "createPlan": "create_plan",
    "task": "Agent",
    "webFetch": "web_fetch",
    "webSearch": "web_search",
    "generateImage": "generate_image",
    "mcp": "CallMcpTool FetchMcpResource ListMcpResources GetMcpTools call_mcp_tool get_mcp_tools "
    "list_mcp_resources read_mcp_resource",
}
"""Names of the SDK's tools that the model and the editor use."""

SPECS: Mapping[str, ToolSpec] = {
    **_BARE,
    **{name + _SUFFIX: spec for name, spec in _BARE.items()},
    **{name[0].upper() + name[1:]: spec for name, spec in _BARE.items()},
    **{alias: _BARE[name] for name, aliases in _ALIASES.items() for alias in aliases.split()},
    **_read(_OTHERS),
}
"""Every tool of the client by each of its names; a transcript has them in capitals."""


def arguments_of(name: str, given: object) -> Fields | str | None:
    """Arguments as a mapping, where that is what they are; the text of a patch is its `patch`."""
    if isinstance(given, str):
        return {"patch": given} if name == _PATCH and not given.startswith("{") else given
    return fields_of(cast("object", given)) if isinstance(given, dict) else None


def named(name: str) -> ToolSpec | None:
    return SPECS.get(name) or SPECS.get(_VERSION.sub("", name))


def find_tool(name: str, arguments: Fields | str | None) -> ToolSpec | None:
    """The spec of this very call; None for a tool that only the shared rules can know."""
    args = mapping(arguments)
    if name == _WRAPPER:
        return _wrapped(args)
    spec = named(name)
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
    if spec.kind is ToolKind.MCP:
        given = spec.payload(args)
        if isinstance(given, McpPayload) and given.server and given.tool:
            name = f"mcp__{given.server}__{given.tool}"
        return replace(spec, canonical_name=name)
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
    return of_server(match[1], match[2])
