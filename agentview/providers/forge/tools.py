"""Which tool a name means; names with a prefix are those of 2025."""

from collections.abc import Mapping

from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tools import Payload
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, changed, items_of, text_of
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

_OPTIONS = tuple(f"option{at}" for at in range(1, 6))


def _question(fields: Fields) -> Payload:
    """A question, whose options are arguments of their own."""
    options = list(filter(None, (text(fields, key) for key in _OPTIONS)))
    return FAMILIES["ask"].payload(changed(fields, {"options": options}))


def _tasks(fields: Fields) -> Payload:
    """Work of an agent, which may be several tasks."""
    tasks = filter(None, map(text_of, items_of(fields.get("tasks"))))
    return SubagentPayload(prompt="\n\n".join(tasks), agent_type=text(fields, "agent_id"))


_TOOLS: Mapping[str, ToolSpec] = {
    **tools(
        read="read",
        write="write",
        grep="fs_search",
        delete="remove",
        bash="shell",
        web_fetch="fetch",
        web_search="websearch",
        skill="skill",
        todo_write="todo_write",
        plain="undo sem_search todo_read attempt_completion",
    ),
    "patch": tool("edit", keys={"search": "old_text", "content": "new_text"}),
    "multi_patch": tool("edit"),
    "plan": tool("plan", keys={"content": "plan"}),
    "followup": tool("ask", payload=_question),
    "task": tool("task", payload=_tasks),
}

_BEFORE: Mapping[str, str] = {
    "fs_read": "read",
    "fs_create": "write",
    "fs_search": "fs_search",
    "fs_remove": "remove",
    "fs_patch": "patch",
    "fs_undo": "undo",
    "process_shell": "shell",
    "net_fetch": "fetch",
    "followup": "followup",
    "plan_create": "plan",
    "attempt_completion": "attempt_completion",
}

SPECS: Mapping[str, ToolSpec] = {
    **_TOOLS,
    **{name.capitalize(): _TOOLS[name] for name in ("read", "write", "task")},
    **{f"forge_tool_{name}": _TOOLS[now] for name, now in _BEFORE.items()},
}
