"""Which tool a name means; the one that edits files by the command that it is given."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    McpPayload,
    Payload,
    ShellAction,
    ShellPayload,
    SubagentPayload,
    TextEdit,
    TodosAction,
    TodosPayload,
    UnknownPayload,
    WritePayload,
)
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import flag, mapping, path, real, text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import execute, subagent, todo
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec


def _run(fields: Fields) -> ShellPayload:
    """A command, or keys for one that runs; its `timeout` is in seconds."""
    made = replace(execute.run(fields), timeout=real(fields, "timeout"))
    return replace(made, action=ShellAction.INPUT) if flag(fields, "is_input") else made


def _created(fields: Fields) -> WritePayload:
    return WritePayload(path(fields) or "", text(fields, "file_text"))


def _edited(fields: Fields) -> EditPayload:
    old, new = text(fields, "old_str"), text(fields, "new_str")
    known = old is not None or new is not None
    edits = (TextEdit(old or "", new or ""),) if known else ()
    return EditPayload((FileEdit(path(fields) or "", edits),))


def _listed(fields: Fields) -> TodosPayload:
    made = todo.replace({"todos": fields.get("task_list")})
    return made if "task_list" in fields else TodosPayload(TodosAction.LIST)


def _delegated(fields: Fields) -> SubagentPayload:
    """Agents by their names, or the tasks that they are given."""
    tasks = mapping(fields.get("tasks"))
    made = subagent.start(fields)
    if not tasks:
        return made
    given = "\n".join(f"{name}: {task}" for name, task in tasks.items())
    return replace(made, prompt=given, agent_name=", ".join(tasks))


def _as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _plain(name: str) -> ToolSpec:
    """A tool that is known and has no kind of its own."""
    return ToolSpec(ToolKind.UNKNOWN, name, _as_json)


_SHELL = replace(FAMILIES["bash"], payload=_run)
_VIEW = FAMILIES["read"]
_FILE_COMMANDS: Mapping[str, ToolSpec] = {
    "view": _VIEW,
    "create": replace(FAMILIES["write"], payload=_created),
    "str_replace": replace(FAMILIES["edit"], payload=_edited),
    "insert": replace(FAMILIES["edit"], payload=_edited),
    "undo_edit": replace(FAMILIES["edit"], payload=_edited),
}
_EDITORS = ("file_editor", "str_replace_editor", "planning_file_editor")
_MCP = FAMILIES["mcp"]
MCP_ACTION = "MCPToolAction"

SPECS: Mapping[str, ToolSpec] = {
    **dict.fromkeys(("terminal", "execute_bash", "bash", "interactive_terminal"), _SHELL),
    **dict.fromkeys(_EDITORS, _FILE_COMMANDS["str_replace"]),
    "glob": FAMILIES["glob"],
    "grep": FAMILIES["grep"],
    "apply_patch": FAMILIES["patch"],
    "task_tracker": replace(FAMILIES["todo_write"], payload=_listed),
    "task": FAMILIES["task"],
    "delegate": replace(FAMILIES["task"], payload=_delegated),
    "image_reader": FAMILIES["read"],
    "ask_user": FAMILIES["ask"],
    "think": FAMILIES["think"],
    "finish": _plain("finish"),
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name; of one that edits files by what it is to do."""
    if name in _EDITORS:
        return _FILE_COMMANDS.get(text(args, "command") or "", SPECS[name])
    return SPECS.get(name)


def server_spec(name: str) -> ToolSpec:
    """The spec of a tool of a server, which goes by its own name alone."""

    def payload(_fields: Fields) -> McpPayload:
        return McpPayload(None, name)

    return replace(_MCP, canonical_name=name, payload=payload)
