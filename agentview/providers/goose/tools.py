"""Which tool a name means: `extension__tool`, or the tool alone in newer versions."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    SubagentPayload,
    TodoStatus,
)
from agentview.normalize.json_fields import items, mapping, text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import edit, subagent, todo
from agentview.normalize.tools.registry import FAMILIES, editor_family
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

_OWN = frozenset({
    "developer", "todo", "subagent", "dynamic_task", "platform", "computercontroller", "memory",
    "extensionmanager", "chatrecall", "skills", "summon", "analyze", "code_execution", "apps",
    "autovisualiser", "tutorial", "orchestrator",
})  # fmt: skip
"""Extensions that the client brings along."""


def _edited(fields: Fields) -> EditPayload:
    return (edit.patch if text(fields, "diff") is not None else edit.edit)(fields)


def _started(fields: Fields) -> SubagentPayload:
    """One agent, or one for each of several tasks."""
    several = items(fields.get("task_parameters")) or items(fields.get("tasks"))
    made = subagent.start(mapping(several[0]) if len(several) == 1 else fields)
    said = [each for task in several if (each := text(mapping(task), "instructions", "prompt"))]
    return replace(made, prompt="\n\n".join(said)) if said else made


_EDIT = tool("edit", keys={"before": "old_str", "after": "new_str"}, payload=_edited)
SPECS: Mapping[str, ToolSpec] = {
    **tools(
        bash="shell",
        write="write",
        read="read read_image image_processor",
        ls="tree list_files",
        glob="glob",
        grep="grep",
        semantic="analyze",
        todo_read="todo_read",
        web_fetch="web_scrape",
        web_search="web_search",
        skill="loadSkill load_skill",
        memory_save="remember_memory",
        memory_search="retrieve_memories chatrecall",
        memory_remove="remove_memory_category remove_specific_memory",
    ),
    **dict.fromkeys(("text_editor", "edit"), _EDIT),
    "todo_write": tool(
        "todo_write", payload=todo.ticked(TodoStatus.IN_PROGRESS, "content", "todos")
    ),
    **dict.fromkeys(
        ("create_task", "execute_task", "run_task", "subagent", "delegate"),
        tool("task", payload=_started),
    ),
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool of the client's own; the shared rules know those of other servers."""
    extension, _, name_alone = name.rpartition("__")
    if extension and extension not in _OWN:
        return None
    if name_alone == "text_editor":
        family = editor_family(args)
        return _EDIT if family == "edit" else FAMILIES[family]
    spec = SPECS.get(name_alone)
    return spec or (tool("think", name) if extension else None)
