"""Which tool is this: every tool of Claude Code, from 0.2 to 2.1.329."""

import re
from collections.abc import Mapping

from agentview.domain.tool_inputs import (
    McpPayload,
    ShellAction,
    SkillPayload,
    SubagentPayload,
    TodosAction,
    UnknownPayload,
)
from agentview.domain.tools import ToolKind, ToolOrigin
from agentview.normalize.json_fields import Fields, text
from agentview.normalize.tools import edit, execute, plan, read, search, subagent, todo, web
from agentview.normalize.tools.specs import PayloadMaker, ResultMaker, ToolSpec
from agentview.providers._kit.tool_table import tools
from agentview.providers.claude.shared import (
    results_files,
    results_search,
    results_shell,
    results_tasks,
)

_SCRIPT_HEAD = 2_000
_SCRIPT_NAME = re.compile(r"\bmeta\s*=\s*\{[^}]*?\bname:\s*['\"]([^'\"\n]{1,100})['\"]")
"""The name that a workflow script gives itself in its `meta`."""


def _workflow(fields: Fields) -> SubagentPayload:
    script = text(fields, "script")
    named = _SCRIPT_NAME.search(script[:_SCRIPT_HEAD]) if script is not None else None
    return SubagentPayload(
        description=text(fields, "name", "scriptPath") or (named[1] if named is not None else None),
        prompt=script or text(fields, "args"),
        background=True,
    )


def _team(fields: Fields) -> SubagentPayload:
    return SubagentPayload(
        description=text(fields, "description"), agent_name=text(fields, "team_name", "name")
    )


def _slash_command(fields: Fields) -> SkillPayload:
    """A command of the project or the person, as `/name arguments`; the Skill tool follows it."""
    name, _, arguments = (text(fields, "command") or "").strip().partition(" ")
    return SkillPayload(name.removeprefix("/") or None, arguments.strip() or None)


def _resource(fields: Fields) -> McpPayload:
    return McpPayload(server=text(fields, "server"), tool=None, uri=text(fields, "uri"))


def _shown_as_json(_fields: Fields) -> UnknownPayload:
    return UnknownPayload()


def _shell(name: str, action: ShellAction, result: ResultMaker) -> ToolSpec:
    return ToolSpec(ToolKind.SHELL, name, execute.acting(action), result)


def _task(name: str, action: TodosAction, result: ResultMaker) -> ToolSpec:
    return ToolSpec(ToolKind.TODOS, name, todo.acting(action), result)


def _agent(
    name: str, payload: PayloadMaker = subagent.start, result: ResultMaker = results_tasks.agent
) -> ToolSpec:
    return ToolSpec(ToolKind.SUBAGENT_TASK, name, payload, result)


def _mcp(name: str) -> ToolSpec:
    return ToolSpec(ToolKind.MCP, name, _resource, origin=ToolOrigin.MCP)


_BASH = ToolSpec(ToolKind.SHELL, "Bash", execute.run, results_shell.run)
_READ = ToolSpec(ToolKind.READ, "Read", read.payload, results_files.read_file)
_EXIT_PLAN = ToolSpec(ToolKind.PLAN, "ExitPlanMode", plan.propose, results_tasks.plan_decided)

_WRITE = ToolSpec(ToolKind.WRITE, "Write", edit.write, results_files.write_file)
_NOTEBOOK = ToolSpec(
    ToolKind.NOTEBOOK_EDIT, "NotebookEdit", edit.notebook, results_files.edit_notebook
)
_GREP = ToolSpec(ToolKind.GREP, "Grep", search.grep, results_search.grep)
_GLOB = ToolSpec(ToolKind.GLOB, "Glob", search.glob, results_search.glob)

_WITHOUT_FORM = (
    "Artifact",
    "ClaudeDesign",
    "EnterWorktree",
    "ExitWorktree",
    "ListAgents",
    "OfferChromeSetup",
    "Projects",
    "ProposeSkills",
    "ReadNotifications",
    "SendFeedback",
    "ShowOnboardingRolePicker",
    "StructuredOutput",
)
"""Tools that are known and have no kind of their own: shown as JSON."""

SPECS: Mapping[str, ToolSpec] = {
    "Read": _READ,
    "NotebookRead": _READ,
    "View": _READ,
    "ReadNotebook": _READ,
    "Write": _WRITE,
    "Replace": _WRITE,
    "Edit": ToolSpec(ToolKind.EDIT, "Edit", edit.edit, results_files.edit_file),
    "MultiEdit": ToolSpec(ToolKind.EDIT, "MultiEdit", edit.edit, results_files.edit_file),
    "NotebookEdit": _NOTEBOOK,
    "NotebookEditCell": _NOTEBOOK,
    "Bash": _BASH,
    "PowerShell": _BASH,
    "BashOutput": _shell("BashOutput", ShellAction.OUTPUT, results_shell.task_output),
    "TaskOutput": _shell("TaskOutput", ShellAction.OUTPUT, results_shell.task_output),
    "AgentOutputTool": _shell("AgentOutputTool", ShellAction.OUTPUT, results_shell.task_output),
    "KillBash": _shell("KillBash", ShellAction.KILL, results_shell.stopped),
    "KillShell": _shell("KillShell", ShellAction.KILL, results_shell.stopped),
    "TaskStop": _shell("TaskStop", ShellAction.KILL, results_shell.stopped),
    "Monitor": _shell("Monitor", ShellAction.WATCH, results_shell.monitor),
    "Grep": _GREP,
    "GrepTool": _GREP,
    "Glob": _GLOB,
    "GlobTool": _GLOB,
    "LS": ToolSpec(ToolKind.LS, "LS", search.ls, results_search.ls),
    "LSP": ToolSpec(ToolKind.READ_LINTS, "LSP", search.lints, results_search.lsp),
    "WebFetch": ToolSpec(ToolKind.WEB_FETCH, "WebFetch", web.fetch, results_search.web_fetch),
    "WebSearch": ToolSpec(ToolKind.WEB_SEARCH, "WebSearch", web.search, results_search.web_search),
    "Task": _agent("Task"),
    "Agent": _agent("Task"),
    "dispatch_agent": _agent("Task"),
    "Workflow": _agent("Workflow", _workflow, results_tasks.workflow),
    "SendMessage": _agent("SendMessage", subagent.message, results_tasks.message),
    "SubagentHandback": _agent("SubagentHandback", subagent.message, results_tasks.message),
    "SlashCommand": ToolSpec(ToolKind.SKILL, "SlashCommand", _slash_command),
    "TeamCreate": _agent("TeamCreate", _team, results_tasks.message),
    "TeamDelete": _agent("TeamDelete", _team, results_tasks.message),
    "TodoWrite": ToolSpec(ToolKind.TODOS, "TodoWrite", todo.replace, todo.result),
    "TaskCreate": _task("TaskCreate", TodosAction.CREATE, results_tasks.task_created),
    "TaskUpdate": _task("TaskUpdate", TodosAction.UPDATE, results_tasks.task_updated),
    "TaskGet": _task("TaskGet", TodosAction.GET, results_tasks.task_got),
    "TaskList": _task("TaskList", TodosAction.LIST, results_tasks.task_list),
    "EnterPlanMode": ToolSpec(
        ToolKind.PLAN, "EnterPlanMode", plan.enter, results_tasks.plan_decided
    ),
    "ExitPlanMode": _EXIT_PLAN,
    "exit_plan_mode": _EXIT_PLAN,
    "AskUserQuestion": ToolSpec(ToolKind.ASK, "AskUserQuestion", plan.ask, results_tasks.answered),
    "ListMcpResourcesTool": _mcp("ListMcpResourcesTool"),
    "ReadMcpResourceTool": _mcp("ReadMcpResourceTool"),
    "ReadMcpResourceDir": _mcp("ReadMcpResourceDir"),
    "ReadMcpResourceDirTool": _mcp("ReadMcpResourceDirTool"),
    "RefreshMcpTools": _mcp("RefreshMcpTools"),
    **tools(
        skill="Skill",
        tool_search="ToolSearch",
        schedule="RemoteTrigger",
        schedule_create="CronCreate ScheduleWakeup",
        schedule_cancel="CronDelete",
        schedule_list="CronList",
        send_message="PushNotification",
        goal_set="ProposeGoal",
        review="ReportFindings",
    ),
    **{name: ToolSpec(ToolKind.UNKNOWN, name, _shown_as_json) for name in _WITHOUT_FORM},
}
"""Every tool by the name the client gave it; tools of MCP servers are reported by their prefix."""
