"""Which tool a name means, with its namespace and its arguments."""

from pathlib import Path
from typing import Any

import pytest

from agentview.domain.tool_inputs import (
    AskPayload,
    DeletePayload,
    EditPayload,
    McpPayload,
    ReadPayload,
    ShellAction,
    ShellPayload,
    SubagentPayload,
    TodosPayload,
    WebFetchPayload,
    WritePayload,
)
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin
from agentview.providers.codex import PROVIDER
from tests.providers.codex.log import THREAD, bodies, called, finished, item, joined
from tests.providers.joined_log import calls, write

KINDS = {
    ToolKind.SHELL: "shell container.exec local_shell_call shell_command exec_command write_stdin "
    "exec wait unified_exec",
    ToolKind.EDIT: "apply_patch",
    ToolKind.TODOS: "update_plan",
    ToolKind.READ: "read_file view_image",
    ToolKind.LS: "list_dir",
    ToolKind.GREP: "grep_files",
    ToolKind.WEB_SEARCH: "web_search web_search_call",
    ToolKind.MCP: "mcp__tickets__find list_mcp_resources list_mcp_resource_templates "
    "read_mcp_resource",
    ToolKind.ASK: "request_user_input request_user_input_async",
    ToolKind.SUBAGENT_TASK: "spawn_agent send_input send_message followup_task assign_task "
    "resume_agent wait_agent list_agents interrupt_agent close_agent spawn_agents_on_csv "
    "report_agent_job_result",
    ToolKind.SKILL: "skill",
    ToolKind.TOOL_SEARCH: "tool_search tool_suggest",
    ToolKind.GOAL: "create_goal get_goal update_goal",
    ToolKind.UNKNOWN: "js_repl js js_reset test_sync_tool "
    "list_available_plugins_to_install request_plugin_install request_permissions imagegen "
    "clock.sleep clock.curr_time get_context_remaining new_context image_generation",
}
NAMES = [(name, kind) for kind, names in KINDS.items() for name in names.split()]
CANONICAL = {
    "shell": "Bash",
    "exec_command": "Bash",
    "apply_patch": "Patch",
    "update_plan": "TodoWrite",
    "read_file": "Read",
    "view_image": "Read",
    "list_dir": "LS",
    "grep_files": "Grep",
    "web_search": "WebSearch",
    "spawn_agent": "Task",
    "request_user_input": "AskUserQuestion",
    "mcp__tickets__find": "mcp__tickets__find",
    "write_stdin": "write_stdin",
}


def call(name: str, arguments: object = None, **fields: Any) -> ToolCall:
    body = bodies(called(name, {} if arguments is None else arguments, **fields))[0]
    assert isinstance(body, ToolCall)
    return body


def custom(name: str, text: str) -> ToolCall:
    record = item(type="custom_tool_call", name=name, input=text, call_id="call_1")
    body = bodies(record)[0]
    assert isinstance(body, ToolCall)
    return body


@pytest.mark.parametrize(("name", "kind"), NAMES)
def test_a_name_has_a_kind(name: str, kind: ToolKind):
    assert PROVIDER.reading.kind_of(name) is kind
    assert call(name).kind is kind


@pytest.mark.parametrize(("name", "canonical"), CANONICAL.items())
def test_a_name_has_a_name_for_exchange(name: str, canonical: str):
    assert call(name).canonical_name == canonical


def test_a_server_stands_in_the_namespace_or_in_the_name():
    for found in (call("find", namespace="mcp__tickets"), call("mcp__tickets__find")):
        assert found.kind is ToolKind.MCP
        assert found.origin is ToolOrigin.MCP
        assert found.provider_name == found.canonical_name == "mcp__tickets__find"
        assert found.payload == McpPayload("tickets", "find")


def test_a_namespace_of_the_client_is_no_part_of_the_name():
    assert call("spawn_agent", namespace="collaboration").provider_name == "spawn_agent"
    assert call("sleep", namespace="clock").provider_name == "clock.sleep"
    assert call("exec", namespace="mcp__box").kind is ToolKind.MCP


def test_a_patch_writes_edits_or_deletes():
    add = custom("apply_patch", "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch")
    assert add.kind is ToolKind.WRITE
    assert add.payload == WritePayload("a.txt", "one\ntwo")
    delete = custom("apply_patch", "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch")
    assert delete.kind is ToolKind.DELETE
    assert delete.payload == DeletePayload(("a.txt",))
    edit = custom("apply_patch", "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch")
    assert edit.kind is ToolKind.EDIT
    assert isinstance(edit.payload, EditPayload)
    assert edit.args_json.startswith("*** Begin Patch")
    assert edit.args is not None
    assert edit.args_error is None
    assert {add.canonical_name, delete.canonical_name, edit.canonical_name} == {"Patch"}


def test_commands_are_told_in_every_form():
    assert call("shell", {"command": ["bash", "-lc", "ls"]}).payload == ShellPayload("ls")
    assert call("shell", {"command": ["rg", "a b"]}).payload == ShellPayload("rg 'a b'")
    run = call("exec_command", {"cmd": "make", "workdir": "/w", "yield_time_ms": 9}).payload
    assert run == ShellPayload("make", cwd="/w")
    assert custom("shell", '{"command":["ls"]}').payload == ShellPayload("ls")


def test_writing_to_a_process_and_asking_for_its_output():
    poll = call("write_stdin", {"session_id": 7, "chars": ""}).payload
    assert poll == ShellPayload("", ShellAction.OUTPUT, task_id="7")
    typed = call("write_stdin", {"session_id": 7, "chars": "yes\n"}).payload
    assert typed == ShellPayload("yes\n", ShellAction.INPUT, task_id="7")
    both = call("unified_exec", {"input": ["yes\n"], "session_id": "7"}).payload
    assert both == typed
    assert call("unified_exec", {"input": ["bash", "-lc", "ls"]}).payload == ShellPayload("ls")


def test_waiting_is_for_a_script_or_for_agents():
    script = call("wait", {"cell_id": "5"})
    assert script.payload == ShellPayload("", ShellAction.OUTPUT, task_id="5")
    agents = call("wait", {"ids": ["a", "b"]})
    assert agents.kind is ToolKind.SUBAGENT_TASK
    assert agents.payload == SubagentPayload(recipient="a, b")


def test_a_script_is_what_its_only_call_is():
    one = custom("exec", 'const r = await tools.exec_command({cmd: "ls"}); text(r.output)')
    assert one.kind is ToolKind.SHELL
    assert one.payload == ShellPayload("ls")
    assert one.args_json.startswith("const r")
    plan = custom("exec", 'await tools.update_plan({plan: [{step: "a", status: "pending"}]})')
    assert plan.kind is ToolKind.TODOS
    assert isinstance(plan.payload, TodosPayload)
    server = custom("exec", "await tools.mcp__tickets__find({query: 'x'})")
    assert server.kind is ToolKind.MCP


def test_a_script_whose_call_has_a_record_of_its_own_is_shown_by_it(tmp_path: Path):
    patch = "*** Begin Patch\\n*** Delete File: a.py\\n*** End Patch"
    assert custom("exec", f'await tools.apply_patch("{patch}")').kind is ToolKind.SHELL
    script = 'text((await tools.exec_command({cmd: "ls"})).output)'
    ran = finished(type="CommandExecution", id=f"exec-{THREAD}", command=["ls"], status="completed")
    asked = item(type="custom_tool_call", name="exec", input=script, call_id="call_1")
    numbered = [{**record, "ordinal": place} for place, record in enumerate((asked, ran))]
    found = calls(joined(write(tmp_path / "a.jsonl", numbered)))
    nested = found[f"exec-{THREAD}"]
    assert (nested.payload, nested.via) == (ShellPayload("ls"), "script")
    assert nested.maker is not None
    assert (nested.maker.call_id, nested.maker.args) == ("call_1", {"input": script})
    assert nested.maker.is_container


def test_a_patch_is_one_also_as_the_arguments_of_a_function():
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"
    assert call("apply_patch", patch).payload == WritePayload("a.py", "x")


def test_what_is_executed_may_be_a_command():
    assert call("exec", {"cmd": "ls"}).payload == ShellPayload("ls")


def test_a_script_of_several_or_unknown_calls_is_a_script():
    for script in (
        "await Promise.all([tools.exec_command({cmd: 'a'}), tools.exec_command({cmd: 'b'})])",
        "for (const f of files) await tools.exec_command({cmd: 'cat ' + f})",
        "text('no tool')",
        "await tools.something_new({a: 1})",
        "not a script (",
    ):
        found = custom("exec", script)
        assert found.kind is ToolKind.SHELL
        assert found.payload == ShellPayload(script)
        assert found.canonical_name == "exec"


def test_a_new_tool_is_known_by_its_arguments():
    assert call("run_it", {"cmd": "ls", "workdir": "/w"}).kind is ToolKind.SHELL
    assert call("view_file", {"path": "a.py"}).kind is ToolKind.READ
    assert call("surprise", {"x": 1}).kind is ToolKind.UNKNOWN


def test_questions_may_have_only_a_title():
    payload = call("request_user_input_async", {"questions": [{"title": "Fine?"}]}).payload
    assert isinstance(payload, AskPayload)
    assert payload.questions[0].text == "Fine?"


def test_the_web_is_searched_or_a_page_is_opened():
    search = item(type="web_search_call", action={"type": "search", "query": "x"})
    page = item(type="web_search_call", action={"type": "open_page", "url": "https://e.org"})
    found = [bodies(record)[0] for record in (search, page)]
    assert [body.kind for body in found if isinstance(body, ToolCall)] == [
        ToolKind.WEB_SEARCH,
        ToolKind.WEB_FETCH,
    ]
    assert isinstance(found[1], ToolCall)
    assert found[1].payload == WebFetchPayload("https://e.org")


def test_arguments_that_are_broken_are_kept_as_they_are():
    broken = call("exec_command", '{"cmd": "echo hi",')
    assert broken.kind is ToolKind.SHELL
    assert broken.args is None
    assert broken.args_json == '{"cmd": "echo hi",'
    assert "not valid JSON" in (broken.args_error or "")


def test_an_image_is_read():
    assert call("view_image", {"path": "a.png"}).payload == ReadPayload("a.png")
