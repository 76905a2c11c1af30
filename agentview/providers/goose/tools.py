"""Which tool a name means: `extension__tool`, or the tool alone in newer versions."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    Payload,
    SubagentPayload,
    TodosAction,
    TodosPayload,
    TodoStatus,
    UnknownPayload,
)
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import items, mapping, text
from agentview.normalize.json_values import Fields, changed
from agentview.normalize.tools import edit, subagent, todo
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import PayloadMaker, ToolSpec

_OWN = frozenset({
    "developer", "todo", "subagent", "dynamic_task", "platform", "computercontroller", "memory",
    "extensionmanager", "chatrecall", "skills", "summon", "analyze", "code_execution", "apps",
    "autovisualiser", "tutorial", "orchestrator",
})  # fmt: skip
"""Extensions that the client brings along."""
_EDITOR = {"view": "read", "create": "write", "write": "write"}


def _listed(fields: Fields) -> TodosPayload:
    """A list as Markdown: `- [x] text`."""
    words = text(fields, "content", "todos") or ""
    return TodosPayload(TodosAction.REPLACE, todo.checklist(words, TodoStatus.IN_PROGRESS))


def _edited(fields: Fields) -> EditPayload:
    """A text and what takes its place, or a diff."""
    if text(fields, "diff") is not None:
        return edit.patch(fields)
    pair = {
        "old_str": text(fields, "old_str", "before"),
        "new_str": text(fields, "new_str", "after"),
    }
    return edit.edit(changed(fields, pair))


def _started(fields: Fields) -> SubagentPayload:
    """One agent, or one for each of several tasks."""
    several = items(fields.get("task_parameters")) or items(fields.get("tasks"))
    made = subagent.start(mapping(several[0]) if len(several) == 1 else fields)
    said = [each for task in several if (each := text(mapping(task), "instructions", "prompt"))]
    return replace(made, prompt="\n\n".join(said)) if said else made


def _as_json(_fields: Fields) -> Payload:
    return UnknownPayload()


def _with(family: str, payload: PayloadMaker, name: str | None = None) -> ToolSpec:
    spec = FAMILIES[family]
    return replace(spec, payload=payload, canonical_name=name or spec.canonical_name)


_EDIT = _with("edit", _edited)
_TASK = _with("task", _started)
SPECS: Mapping[str, ToolSpec] = {
    "shell": FAMILIES["bash"],
    "text_editor": _EDIT,
    "edit": _EDIT,
    "write": FAMILIES["write"],
    "read": FAMILIES["read"],
    "read_image": FAMILIES["read"],
    "image_processor": FAMILIES["read"],
    "tree": FAMILIES["ls"],
    "list_files": FAMILIES["ls"],
    "glob": FAMILIES["glob"],
    "grep": FAMILIES["grep"],
    "analyze": FAMILIES["semantic"],
    "todo_write": _with("todo_write", _listed),
    "todo_read": FAMILIES["todo_read"],
    "web_scrape": FAMILIES["web_fetch"],
    "web_search": FAMILIES["web_search"],
    "create_task": _TASK,
    "execute_task": _TASK,
    "run_task": _TASK,
    "subagent": _TASK,
    "delegate": _TASK,
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool of the client's own; the shared rules know those of other servers."""
    extension, _, tool = name.rpartition("__")
    if extension and extension not in _OWN:
        return None
    if tool == "text_editor":
        return FAMILIES.get(_EDITOR.get(text(args, "command") or "", ""), _EDIT)
    spec = SPECS.get(tool)
    return spec or (ToolSpec(ToolKind.UNKNOWN, name, _as_json) if extension else None)
