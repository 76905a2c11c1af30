"""Which tool a name means, and what came back."""

from typing import Any

import pytest

from agentview.domain.tool_inputs import ReadPayload, WebFetchPayload
from agentview.domain.tool_results import (
    ChangeResult,
    PlanResult,
    ReadResult,
    ShellResult,
    TodosResult,
    WebFetchResult,
)
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin
from agentview.providers import map_tool_name_to_kind
from agentview.providers.gemini.qwen_code import PROVIDER
from tests.providers.gemini.qwen_code.log import answered, asked, bodies, joined_call, said

NAMES = {
    "edit": ("edit", "Edit"),
    "replace": ("edit", "Edit"),
    "write_file": ("write", "Write"),
    "read_file": ("read", "Read"),
    "read_many_files": ("read", "Read"),
    "grep_search": ("grep", "Grep"),
    "search_file_content": ("grep", "Grep"),
    "glob": ("glob", "Glob"),
    "run_shell_command": ("shell", "Bash"),
    "monitor": ("shell", "Bash"),
    "list_directory": ("ls", "LS"),
    "web_fetch": ("web_fetch", "WebFetch"),
    "web_search": ("web_search", "WebSearch"),
    "agent": ("subagent_task", "Task"),
    "task": ("subagent_task", "Task"),
    "create_sub_session": ("subagent_task", "Task"),
    "workflow": ("subagent_task", "workflow"),
    "exec": ("shell", "exec"),
    "structured_output": ("unknown", "structured_output"),
    "send_message": ("subagent_task", "send_message"),
    "list_agents": ("subagent_task", "list_agents"),
    "skill": ("skill", "skill"),
    "exit_plan_mode": ("plan", "ExitPlanMode"),
    "enter_plan_mode": ("plan", "EnterPlanMode"),
    "task_create": ("todos", "task_create"),
    "task_get": ("todos", "task_get"),
    "task_list": ("todos", "task_list"),
    "task_update": ("todos", "task_update"),
    "task_stop": ("shell", "task_stop"),
    "task_output": ("shell", "task_output"),
    "todo_write": ("todos", "TodoWrite"),
    "save_memory": ("memory", "save_memory"),
    "lsp": ("read_lints", "lsp"),
    "ask_user_question": ("ask", "AskUserQuestion"),
    "notebook_edit": ("notebook_edit", "notebook_edit"),
    "list_mcp_resources": ("mcp", "list_mcp_resources"),
    "read_mcp_resource": ("mcp", "read_mcp_resource"),
    "tool_search": ("tool_search", "tool_search"),
    "get_goal": ("goal", "get_goal"),
    "update_goal": ("goal", "update_goal"),
    "report_findings": ("review", "report_findings"),
    "cron_create": ("schedule", "cron_create"),
    "cron_list": ("schedule", "cron_list"),
    "cron_delete": ("schedule", "cron_delete"),
    "loop_wakeup": ("schedule", "loop_wakeup"),
    "mcp__docs__search": ("mcp", "mcp__docs__search"),
    # Names that no table has.
    "run_command": ("shell", "Bash"),
    "no_such_tool": ("unknown", "no_such_tool"),
}


@pytest.mark.parametrize(("name", "expected"), NAMES.items())
def test_names(name: str, expected: tuple[str, str]):
    kind, canonical = expected
    assert map_tool_name_to_kind("qwen_code", name) is ToolKind(kind)
    made = call(name, {})
    assert (made.kind, made.canonical_name) == (ToolKind(kind), canonical)
    assert (made.origin is ToolOrigin.MCP) == (kind == "mcp")


def call(name: str, args: Any) -> ToolCall:
    made = bodies(said("assistant", asked(name, args)))[0]
    assert isinstance(made, ToolCall)
    return made


def test_every_name_without_a_kind_is_known_as_such():
    plain = {name for name, kind in PROVIDER.reading.tool_kinds.items() if kind is ToolKind.UNKNOWN}
    assert {"record_artifact", "zoom_image"} <= plain
    assert set(PROVIDER.reading.tool_kinds) - set(NAMES) <= plain


def test_lines_are_counted_from_one():
    assert call("read_file", {"file_path": "a", "offset": 10, "limit": 3}).payload == (
        ReadPayload("a", 11, 3)
    )
    told = "Showing lines 11-12 of 40 total lines.\n\n---\n\nx\ny"
    answer = answered("read_file", "Read lines 11-12 of 40 from a", output=told)
    assert joined_call("read_file", {"file_path": "a", "offset": 10}, answer).result == (
        ReadResult("x\ny", 11, 2, 40, truncated=True)
    )


def test_a_tool_behind_the_bridge_is_the_one_that_it_calls():
    inner = {"name": "web_fetch", "arguments": {"url": "https://x.org/a", "prompt": "Read"}}
    made = call("tool_call", inner)
    assert made.payload == WebFetchPayload("https://x.org/a", "Read")
    told = "URL: https://x.org/a\nStatus: 200 OK | Content-Type: x | Size: 1,048 bytes\n\nA page."
    assert joined_call("tool_call", inner, answered("tool_call", output=told)).result == (
        WebFetchResult("https://x.org/a", 200, "OK", 1048, text="A page.")
    )
    assert call("tool_call", {}).kind is ToolKind.UNKNOWN


def test_a_command_has_its_recorded_end():
    shown = {"type": "shell_result", "exitCode": 3, "outcome": "failed", "output": "1\n2"}
    told = (
        "Command: x\nDirectory: (root)\nOutput: 1\n2\nError: (none)\nExit Code: 3\nSignal: (none)"
    )
    joined = joined_call("run_shell_command", {}, answered("run_shell_command", shown, error=told))
    assert joined.ok is False
    assert joined.result == ShellResult(output="1\n2", exit_code=3, status="failed")


def test_a_diff_that_was_left_out_is_not_shown_as_one():
    shown = {
        "fileDiff": "--- a\n+++ a\n@@ -1 +1 @@\n-Full diff omitted\n+Preview only",
        "fileName": "a",
        "filePath": "/w/a",
        "originalContent": "x",
        "newContent": "y",
        "truncatedForSession": True,
        "fileDiffTruncated": True,
        "originalContentTruncated": True,
    }
    found = joined_call("edit", {"file_path": "a"}, answered("edit", shown, output="ok")).result
    assert isinstance(found, ChangeResult)
    change = found.files[0]
    assert (change.hunks, change.before, change.after) == (None, None, "y")
    assert change.notes


def test_plans_and_lists():
    shown = {"type": "plan_summary", "message": "ok", "plan": "1. Sort"}
    assert joined_call(
        "exit_plan_mode", {"plan": "1. Sort"}, answered("exit_plan_mode", shown, output="ok")
    ).result == PlanResult(True, "1. Sort")
    listed = {"type": "todo_list", "todos": [{"id": "1", "content": "x", "status": "pending"}]}
    found = joined_call("todo_write", {}, answered("todo_write", listed, output="ok")).result
    assert isinstance(found, TodosResult)
    assert found.after is not None
    assert found.after[0].text == "x"
