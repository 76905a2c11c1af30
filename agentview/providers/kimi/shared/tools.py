"""Which tool a name means: those of Kimi Code, and by their older names those of Kimi CLI."""

from collections.abc import Mapping

from agentview.domain.tool_inputs import (
    EditPayload,
)
from agentview.normalize.json_fields import (
    Fields,
    items,
    text,
)
from agentview.normalize.json_values import changed
from agentview.normalize.tools import edit
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools


def _replace(fields: Fields) -> EditPayload:
    """Replace texts: one pair `{old, new}`, or a list of them."""
    given = fields.get("edit")
    return edit.edit(changed(fields, {"edits": items(given) or [given]}) if given else fields)


_APPEND = tool("edit", "Write", keys={"content": "new_string"})
"""To write to the end of a file: what it had stays."""

SPECS: Mapping[str, ToolSpec] = {
    **tools(
        write="Write WriteFile",
        patch="PatchFile",
        grep="Grep",
        glob="Glob",
        web_fetch="FetchURL",
        web_search="WebSearch SearchWeb",
        todo_write="TodoList SetTodoList",
        task="Agent Task CreateSubagent",
        output="TaskList TaskOutput WaitFor",
        kill="TaskStop",
        ask="AskUserQuestion",
        plan_enter="EnterPlanMode",
        plan="ExitPlanMode",
        think="Think",
        skill="Skill",
        schedule_create="CronCreate",
        schedule_list="CronList",
        schedule_cancel="CronDelete",
        goal_set="CreateGoal",
        goal_get="GetGoal",
        goal_update="UpdateGoal SetGoalBudget",
        plain="SendDMail",
    ),
    **dict.fromkeys(
        ("Bash", "Shell", "PowerShell"), tool("bash", keys={"timeout": "timeout_seconds"})
    ),
    **dict.fromkeys(
        ("Read", "ReadFile", "ReadMediaFile"),
        tool("read", keys={"line_offset": "offset", "n_lines": "limit"}),
    ),
    **dict.fromkeys(("Edit", "StrReplaceFile"), tool("edit", payload=_replace)),
    "AgentSwarm": tool("task", "AgentSwarm", keys={"prompt_template": "prompt"}),
}
"""The clients' own tools."""


ARGUED = frozenset({"Write", "WriteFile", "TaskOutput", "TaskStop"})
"""Tools whose arguments have a say in what they are."""


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """Return the spec of a tool by its name; for two tools by their arguments too."""
    if name in ("Write", "WriteFile") and text(args, "mode") == "append":
        return _APPEND
    task = text(args, "task_id") or ""
    if name in ("TaskOutput", "TaskStop") and task.startswith("agent-"):
        return tool("message", name)
    return SPECS.get(name)
