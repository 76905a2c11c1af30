"""The families of tools that agents have in common: one spec for each, without any provider."""

from collections.abc import Mapping

from agentview.domain.tool_inputs import (
    GoalAction,
    MemoryAction,
    ScheduleAction,
    ShellAction,
    TodosAction,
    UnknownPayload,
)
from agentview.domain.tools import ToolKind, ToolOrigin
from agentview.normalize.json_fields import Fields, text
from agentview.normalize.tools import (
    edit,
    execute,
    mcp,
    memory,
    plan,
    read,
    reports,
    schedule,
    search,
    subagent,
    todo,
    tool_use,
    web,
)
from agentview.normalize.tools.specs import ToolSpec


def _thought(_fields: Fields) -> UnknownPayload:
    return UnknownPayload()


FAMILIES: Mapping[str, ToolSpec] = {
    "bash": ToolSpec(ToolKind.SHELL, "Bash", execute.run, execute.result),
    "output": ToolSpec(ToolKind.SHELL, "", execute.acting(ShellAction.OUTPUT), execute.result),
    "input": ToolSpec(ToolKind.SHELL, "", execute.acting(ShellAction.INPUT), execute.result),
    "kill": ToolSpec(ToolKind.SHELL, "", execute.acting(ShellAction.KILL), execute.result),
    "read": ToolSpec(ToolKind.READ, "Read", read.payload, read.result),
    "write": ToolSpec(ToolKind.WRITE, "Write", edit.write),
    "edit": ToolSpec(ToolKind.EDIT, "Edit", edit.edit),
    "multi_edit": ToolSpec(ToolKind.EDIT, "MultiEdit", edit.edit),
    "patch": ToolSpec(ToolKind.EDIT, "Patch", edit.patch),
    "diff": ToolSpec(ToolKind.EDIT, "Diff", edit.patch),
    "rename": ToolSpec(ToolKind.EDIT, "", edit.rename),
    "delete": ToolSpec(ToolKind.DELETE, "Delete", edit.delete),
    "notebook": ToolSpec(ToolKind.NOTEBOOK_EDIT, "", edit.notebook),
    "grep": ToolSpec(ToolKind.GREP, "Grep", search.grep, search.grep_result),
    "glob": ToolSpec(ToolKind.GLOB, "Glob", search.glob, search.paths_result),
    "ls": ToolSpec(ToolKind.LS, "LS", search.ls, search.paths_result),
    "semantic": ToolSpec(ToolKind.SEM_SEARCH, "CodeSearch", search.semantic, search.search_result),
    "lints": ToolSpec(ToolKind.READ_LINTS, "", search.lints, search.lints_result),
    "web_fetch": ToolSpec(ToolKind.WEB_FETCH, "WebFetch", web.fetch, web.fetch_result),
    "web_search": ToolSpec(ToolKind.WEB_SEARCH, "WebSearch", web.search, web.search_result),
    "todo_write": ToolSpec(ToolKind.TODOS, "TodoWrite", todo.replace, todo.result),
    "todo_read": ToolSpec(ToolKind.TODOS, "TodoRead", todo.acting(TodosAction.LIST), todo.result),
    "todo_create": ToolSpec(ToolKind.TODOS, "", todo.acting(TodosAction.CREATE), todo.result),
    "todo_update": ToolSpec(ToolKind.TODOS, "", todo.acting(TodosAction.UPDATE), todo.result),
    "todo_get": ToolSpec(ToolKind.TODOS, "", todo.acting(TodosAction.GET), todo.result),
    "todo_list": ToolSpec(ToolKind.TODOS, "", todo.acting(TodosAction.LIST), todo.result),
    "task": ToolSpec(ToolKind.SUBAGENT_TASK, "Task", subagent.start, subagent.result),
    "message": ToolSpec(ToolKind.SUBAGENT_TASK, "", subagent.message, subagent.result),
    "plan": ToolSpec(ToolKind.PLAN, "ExitPlanMode", plan.propose),
    "plan_enter": ToolSpec(ToolKind.PLAN, "EnterPlanMode", plan.enter),
    "ask": ToolSpec(ToolKind.ASK, "AskUserQuestion", plan.ask),
    "skill": ToolSpec(ToolKind.SKILL, "", tool_use.skill),
    "tool_search": ToolSpec(ToolKind.TOOL_SEARCH, "", tool_use.search, tool_use.search_result),
    "memory": ToolSpec(ToolKind.MEMORY, "", memory.acting(), memory.result),
    **{
        f"memory_{action}": ToolSpec(ToolKind.MEMORY, "", memory.acting(action), memory.result)
        for action in MemoryAction
    },
    "schedule": ToolSpec(ToolKind.SCHEDULE, "", schedule.acting(), schedule.result),
    **{
        f"schedule_{action}": ToolSpec(
            ToolKind.SCHEDULE, "", schedule.acting(action), schedule.result
        )
        for action in ScheduleAction
    },
    "goal": ToolSpec(ToolKind.GOAL, "", reports.pursuing(), reports.goal_result),
    **{
        f"goal_{action}": ToolSpec(ToolKind.GOAL, "", reports.pursuing(action), reports.goal_result)
        for action in GoalAction
    },
    "send_message": ToolSpec(ToolKind.SEND_MESSAGE, "", reports.send_message),
    "speak": ToolSpec(ToolKind.SEND_MESSAGE, "", reports.speak),
    "review": ToolSpec(ToolKind.REVIEW, "", reports.review),
    "topic": ToolSpec(ToolKind.UNKNOWN, "", reports.topic),
    "think": ToolSpec(ToolKind.UNKNOWN, "Reasoning", _thought),
    "mcp": ToolSpec(ToolKind.MCP, "", mcp.payload, origin=ToolOrigin.MCP),
}
"""Specs by family; an empty canonical name stands for the provider's own name."""


def editor_family(args: Fields) -> str:
    return _COMMANDS.get(text(args, "command") or "", "edit")


_COMMANDS = {"view": "read", "create": "write", "write": "write"}
