"""Every tool of the client has its kind, its canonical name and its payload."""

import pytest

from agentview.domain import tool_inputs as p
from agentview.domain.tools import ToolKind, ToolOrigin
from agentview.normalize.build import tool_call
from agentview.normalize.tools.mcp import named
from agentview.providers.claude.claude_code import PROVIDER
from agentview.providers.claude.shared.tools import SPECS

TABLE = [
    ("Read", ToolKind.READ, "Read"),
    ("NotebookRead", ToolKind.READ, "Read"),
    ("ReadNotebook", ToolKind.READ, "Read"),
    ("View", ToolKind.READ, "Read"),
    ("Replace", ToolKind.WRITE, "Write"),
    ("NotebookEditCell", ToolKind.NOTEBOOK_EDIT, "NotebookEdit"),
    ("GrepTool", ToolKind.GREP, "Grep"),
    ("GlobTool", ToolKind.GLOB, "Glob"),
    ("dispatch_agent", ToolKind.SUBAGENT_TASK, "Task"),
    ("Write", ToolKind.WRITE, "Write"),
    ("Edit", ToolKind.EDIT, "Edit"),
    ("MultiEdit", ToolKind.EDIT, "MultiEdit"),
    ("NotebookEdit", ToolKind.NOTEBOOK_EDIT, "NotebookEdit"),
    ("Bash", ToolKind.SHELL, "Bash"),
    ("PowerShell", ToolKind.SHELL, "Bash"),
    ("BashOutput", ToolKind.SHELL, "BashOutput"),
    ("KillBash", ToolKind.SHELL, "KillBash"),
    ("KillShell", ToolKind.SHELL, "KillShell"),
    ("TaskOutput", ToolKind.SHELL, "TaskOutput"),
    ("AgentOutputTool", ToolKind.SHELL, "AgentOutputTool"),
    ("TaskStop", ToolKind.SHELL, "TaskStop"),
    ("Monitor", ToolKind.SHELL, "Monitor"),
    ("Grep", ToolKind.GREP, "Grep"),
    ("Glob", ToolKind.GLOB, "Glob"),
    ("LS", ToolKind.LS, "LS"),
    ("LSP", ToolKind.READ_LINTS, "LSP"),
    ("WebFetch", ToolKind.WEB_FETCH, "WebFetch"),
    ("WebSearch", ToolKind.WEB_SEARCH, "WebSearch"),
    ("Task", ToolKind.SUBAGENT_TASK, "Task"),
    ("Agent", ToolKind.SUBAGENT_TASK, "Task"),
    ("SendMessage", ToolKind.SUBAGENT_TASK, "SendMessage"),
    ("SubagentHandback", ToolKind.SUBAGENT_TASK, "SubagentHandback"),
    ("TeamCreate", ToolKind.SUBAGENT_TASK, "TeamCreate"),
    ("TeamDelete", ToolKind.SUBAGENT_TASK, "TeamDelete"),
    ("Workflow", ToolKind.SUBAGENT_TASK, "Workflow"),
    ("TodoWrite", ToolKind.TODOS, "TodoWrite"),
    ("TaskCreate", ToolKind.TODOS, "TaskCreate"),
    ("TaskUpdate", ToolKind.TODOS, "TaskUpdate"),
    ("TaskGet", ToolKind.TODOS, "TaskGet"),
    ("TaskList", ToolKind.TODOS, "TaskList"),
    ("EnterPlanMode", ToolKind.PLAN, "EnterPlanMode"),
    ("ExitPlanMode", ToolKind.PLAN, "ExitPlanMode"),
    ("exit_plan_mode", ToolKind.PLAN, "ExitPlanMode"),
    ("AskUserQuestion", ToolKind.ASK, "AskUserQuestion"),
    ("ListMcpResourcesTool", ToolKind.MCP, "ListMcpResourcesTool"),
    ("ReadMcpResourceTool", ToolKind.MCP, "ReadMcpResourceTool"),
    ("ReadMcpResourceDir", ToolKind.MCP, "ReadMcpResourceDir"),
    ("ReadMcpResourceDirTool", ToolKind.MCP, "ReadMcpResourceDirTool"),
    ("RefreshMcpTools", ToolKind.MCP, "RefreshMcpTools"),
    ("mcp__github__create_issue", ToolKind.MCP, "mcp__github__create_issue"),
    ("ReportFindings", ToolKind.REVIEW, "ReportFindings"),
    ("PushNotification", ToolKind.SEND_MESSAGE, "PushNotification"),
    ("ProposeGoal", ToolKind.GOAL, "ProposeGoal"),
    ("Skill", ToolKind.SKILL, "Skill"),
    ("SlashCommand", ToolKind.SKILL, "SlashCommand"),
    ("ToolSearch", ToolKind.TOOL_SEARCH, "ToolSearch"),
    *[
        (name, ToolKind.SCHEDULE, name)
        for name in (
            "ScheduleWakeup",
            "CronCreate",
            "CronDelete",
            "CronList",
            "RemoteTrigger",
        )
    ],
    *[
        (name, ToolKind.UNKNOWN, name)
        for name in (
            "EnterWorktree",
            "ExitWorktree",
            "Artifact",
            "StructuredOutput",
            "SendFeedback",
            "ProposeSkills",
            "Projects",
            "ClaudeDesign",
            "ReadNotifications",
            "ListAgents",
            "ShowOnboardingRolePicker",
            "OfferChromeSetup",
        )
    ],
]


@pytest.mark.parametrize(("name", "kind", "canonical"), TABLE)
def test_kind_and_canonical_name(name: str, kind: ToolKind, canonical: str):
    spec = SPECS.get(name) or named(name)
    assert spec is not None
    assert (spec.kind, spec.canonical_name) == (kind, canonical)
    assert PROVIDER.reading.kind_of(name) is kind
    assert spec.origin is (ToolOrigin.MCP if kind is ToolKind.MCP else ToolOrigin.SYSTEM)


def test_the_table_above_is_the_whole_table():
    assert set(SPECS) == {name for name, _, _ in TABLE if not name.startswith("mcp__")}


def test_tools_that_the_client_never_had():
    assert PROVIDER.reading.kind_of("frobnicate") is ToolKind.UNKNOWN
    assert PROVIDER.reading.kind_of("run_shell_command") is ToolKind.SHELL


PAYLOADS: list[tuple[str, dict[str, object], p.Payload]] = [
    (
        "Read",
        {"file_path": "/r/a.py", "offset": 10, "limit": 5},
        p.ReadPayload("/r/a.py", 10, 5),
    ),
    ("NotebookRead", {"notebook_path": "/r/n.ipynb"}, p.ReadPayload("/r/n.ipynb")),
    (
        "Bash",
        {"command": "ls", "description": "List", "timeout": 5000, "run_in_background": True},
        p.ShellPayload("ls", description="List", timeout=5.0, background=True),
    ),
    (
        "BashOutput",
        {"bash_id": "bash_1", "filter": "x"},
        p.ShellPayload("", p.ShellAction.OUTPUT, task_id="bash_1"),
    ),
    ("KillShell", {"shell_id": "s"}, p.ShellPayload("", p.ShellAction.KILL, task_id="s")),
    (
        "TaskOutput",
        {"task_id": "t", "block": True, "timeout": 3000},
        p.ShellPayload("", p.ShellAction.OUTPUT, timeout=3.0, task_id="t"),
    ),
    ("TaskStop", {"task_id": "t"}, p.ShellPayload("", p.ShellAction.KILL, task_id="t")),
    (
        "Monitor",
        {"description": "d", "command": "tail -f x", "timeout_ms": 1000, "persistent": False},
        p.ShellPayload("tail -f x", p.ShellAction.WATCH, description="d", timeout=1.0),
    ),
    (
        "Grep",
        {"pattern": "x", "path": "src", "type": "py", "output_mode": "count", "multiline": True},
        p.GrepPayload("x", "src", "py", "count", multiline=True),
    ),
    ("Grep", {"pattern": "x", "include": "*.py"}, p.GrepPayload("x", include="*.py")),
    (
        "LSP",
        {"operation": "hover", "filePath": "/r/a.py", "line": 3, "character": 1},
        p.LintsPayload(("/r/a.py",), "hover"),
    ),
    (
        "Agent",
        {"description": "d", "prompt": "p", "subagent_type": "Explore", "name": "bob"},
        p.SubagentPayload("d", "p", "Explore", "bob"),
    ),
    (
        "Workflow",
        {"script": "export const meta = {}", "name": "review"},
        p.SubagentPayload("review", "export const meta = {}", background=True),
    ),
    (
        "SendMessage",
        {"to": "bob", "summary": "s", "message": "hello"},
        p.SubagentPayload("s", "hello", recipient="bob"),
    ),
    (
        "SendMessage",
        {"type": "broadcast", "recipient": "bob", "content": "hello"},
        p.SubagentPayload("broadcast", "hello", recipient="bob"),
    ),
    ("SubagentHandback", {"message": "All 3 pass."}, p.SubagentPayload(prompt="All 3 pass.")),
    (
        "TeamCreate",
        {"team_name": "crew", "description": "d"},
        p.SubagentPayload("d", agent_name="crew"),
    ),
    ("ReadMcpResourceTool", {"server": "s", "uri": "u"}, p.McpPayload("s", None, "u")),
    ("ListMcpResourcesTool", {}, p.McpPayload(None, None)),
    ("mcp__s__t", {"free": 1}, p.McpPayload("s", "t")),
    ("SlashCommand", {"command": "/init"}, p.SkillPayload("init")),
    ("SlashCommand", {"command": "/review src  deep"}, p.SkillPayload("review", "src  deep")),
    ("SlashCommand", {}, p.SkillPayload()),
    ("Skill", {"skill": "review", "args": "x"}, p.SkillPayload("review", "x")),
    (
        "ToolSearch",
        {"query": "select:Read", "max_results": 5},
        p.ToolSearchPayload("select:Read", 5),
    ),
    (
        "RemoteTrigger",
        {"action": "update", "trigger_id": "t1", "body": {"cron_expression": "0 9 * * 1"}},
        p.SchedulePayload(
            p.ScheduleAction.UPDATE,
            p.ScheduledJob(p.Timing(cron="0 9 * * 1", recurring=True), "t1"),
        ),
    ),
    # The model left an argument out, or gave it another type.
    ("Bash", {}, p.ShellPayload("")),
    ("Read", {"file_path": 12}, p.ReadPayload("12")),
    ("Glob", {"pattern": ["*.py", "*.js"]}, p.GlobPayload("*.py, *.js")),
    ("TodoWrite", {"todos": "many"}, p.TodosPayload(p.TodosAction.REPLACE)),
]


@pytest.mark.parametrize(("name", "args", "expected"), PAYLOADS)
def test_payloads(name: str, args: dict[str, object], expected: p.Payload):
    call = tool_call(call_id="t", name=name, arguments=args, spec=SPECS.get(name))
    assert call.payload == expected
    assert call.args_error is None
    assert call.args == args


def test_a_garbled_name_is_kept_to_the_letter():
    name = 'Task" >\n<parameter name="description'
    call = tool_call(call_id="t", name=name, arguments={}, spec=SPECS.get(name))
    assert call.provider_name == name
    assert call.kind is ToolKind.SUBAGENT_TASK
