"""Which tool a name means: those of Kimi Code, and by their older names those of Kimi CLI."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    Payload,
    ReadPayload,
    ShellPayload,
    SubagentPayload,
    TextEdit,
    UnknownPayload,
)
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import (
    Fields,
    body,
    collect,
    flag,
    items,
    mapping,
    number,
    path,
    real,
    text,
)
from agentview.normalize.tools import edit, execute, subagent
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec


def _run(fields: Fields) -> ShellPayload:
    """A command; its time limit is in seconds."""
    return replace(execute.run(fields), timeout=real(fields, "timeout"))


def _read(fields: Fields) -> ReadPayload:
    return ReadPayload(path(fields) or "", number(fields, "line_offset"), number(fields, "n_lines"))


def _replace(fields: Fields) -> EditPayload:
    """Replace texts: one pair `{old, new}`, or a list of them."""
    given = fields.get("edit")
    pairs = collect(items(given) or [mapping(given)], _pair)
    return EditPayload((FileEdit(path(fields) or "", pairs),)) if pairs else edit.edit(fields)


def _pair(fields: Fields) -> TextEdit | None:
    old, new = body(fields, "old"), body(fields, "new")
    if old is None and new is None:
        return None
    return TextEdit(old or "", new or "", flag(fields, "replace_all"))


def _append(fields: Fields) -> EditPayload:
    """Write to the end of a file: what it had stays."""
    added = TextEdit("", body(fields, "content") or "")
    return EditPayload((FileEdit(path(fields) or "", (added,)),))


def _swarm(fields: Fields) -> SubagentPayload:
    made = subagent.start(fields)
    return replace(made, prompt=made.prompt or text(fields, "prompt_template"))


def _as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _plain(name: str) -> ToolSpec:
    """A tool that is known and has no kind of its own."""
    return ToolSpec(ToolKind.UNKNOWN, name, _as_json)


def _named(family: str, name: str) -> ToolSpec:
    return replace(FAMILIES[family], canonical_name=name)


_SHELL = replace(FAMILIES["bash"], payload=_run)
_READ = replace(FAMILIES["read"], payload=_read)
_EDIT = replace(FAMILIES["edit"], payload=_replace)
_APPEND = replace(FAMILIES["edit"], canonical_name="Write", payload=_append)

SPECS: Mapping[str, ToolSpec] = {
    "Bash": _SHELL,
    "Shell": _SHELL,
    "PowerShell": _SHELL,
    "Read": _READ,
    "ReadFile": _READ,
    "ReadMediaFile": _READ,
    "Write": FAMILIES["write"],
    "WriteFile": FAMILIES["write"],
    "Edit": _EDIT,
    "StrReplaceFile": _EDIT,
    "PatchFile": FAMILIES["patch"],
    "Grep": FAMILIES["grep"],
    "Glob": FAMILIES["glob"],
    "FetchURL": FAMILIES["web_fetch"],
    "WebSearch": FAMILIES["web_search"],
    "SearchWeb": FAMILIES["web_search"],
    "TodoList": FAMILIES["todo_write"],
    "SetTodoList": FAMILIES["todo_write"],
    "Agent": FAMILIES["task"],
    "Task": FAMILIES["task"],
    "CreateSubagent": FAMILIES["task"],
    "AgentSwarm": replace(FAMILIES["task"], canonical_name="AgentSwarm", payload=_swarm),
    "TaskList": _named("output", "TaskList"),
    "TaskOutput": _named("output", "TaskOutput"),
    "TaskStop": _named("kill", "TaskStop"),
    "WaitFor": _named("output", "WaitFor"),
    "AskUserQuestion": FAMILIES["ask"],
    "EnterPlanMode": FAMILIES["plan_enter"],
    "ExitPlanMode": FAMILIES["plan"],
    "Think": FAMILIES["think"],
    **{
        name: _plain(name)
        for name in (
            "Skill", "CronCreate", "CronList", "CronDelete", "CreateGoal", "GetGoal", "UpdateGoal",
            "SetGoalBudget", "SendDMail",
        )
    },
}  # fmt: skip
"""The clients' own tools."""


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """Return the spec of a tool by its name; for two tools by their arguments too."""
    if name in ("Write", "WriteFile") and text(args, "mode") == "append":
        return _APPEND
    task = text(args, "task_id") or ""
    if name in ("TaskOutput", "TaskStop") and task.startswith("agent-"):
        return _named("message", name)
    return SPECS.get(name)
