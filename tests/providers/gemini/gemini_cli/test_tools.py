"""Which tool a name means, and what came back, in every form that it is recorded in."""

from typing import Any

import pytest

from agentview.domain.activity import Activity
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    AskPayload,
    FileOperation,
    McpPayload,
    ReadPayload,
    SubagentPayload,
    TodosPayload,
    TodoStatus,
)
from agentview.domain.tool_results import (
    AskResult,
    ChangeResult,
    MatchResult,
    PathsResult,
    PlanResult,
    ReadResult,
    Result,
    ShellResult,
    SubagentResult,
    TodosResult,
    WebFetchResult,
    WebSearchResult,
)
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin, ToolState
from agentview.providers import map_tool_name_to_kind
from agentview.providers.gemini.gemini_cli import PROVIDER
from tests.providers.gemini.gemini_cli.log import bodies, call, model, response

NAMES = {
    "read_file": ("read", "Read"),
    "read_many_files": ("read", "Read"),
    "write_file": ("write", "Write"),
    "replace": ("edit", "Edit"),
    "run_shell_command": ("shell", "Bash"),
    "grep_search": ("grep", "Grep"),
    "search_file_content": ("grep", "Grep"),
    "glob": ("glob", "Glob"),
    "list_directory": ("ls", "LS"),
    "web_fetch": ("web_fetch", "WebFetch"),
    "google_web_search": ("web_search", "WebSearch"),
    "save_memory": ("memory", "save_memory"),
    "write_todos": ("todos", "TodoWrite"),
    "tracker_create_task": ("todos", "tracker_create_task"),
    "tracker_update_task": ("todos", "tracker_update_task"),
    "tracker_get_task": ("todos", "tracker_get_task"),
    "tracker_list_tasks": ("todos", "tracker_list_tasks"),
    "tracker_add_dependency": ("todos", "tracker_add_dependency"),
    "tracker_visualize": ("todos", "tracker_visualize"),
    "enter_plan_mode": ("plan", "EnterPlanMode"),
    "exit_plan_mode": ("plan", "ExitPlanMode"),
    "invoke_agent": ("subagent_task", "Task"),
    "delegate_to_agent": ("subagent_task", "Task"),
    "codebase_investigator": ("subagent_task", "Task"),
    "complete_task": ("unknown", "complete_task"),
    "activate_skill": ("skill", "activate_skill"),
    "ask_user": ("ask", "AskUserQuestion"),
    "update_topic": ("unknown", "update_topic"),
    "get_internal_docs": ("unknown", "get_internal_docs"),
    "list_mcp_resources": ("mcp", "list_mcp_resources"),
    "read_mcp_resource": ("mcp", "read_mcp_resource"),
    "list_background_processes": ("shell", "list_background_processes"),
    "read_background_output": ("shell", "read_background_output"),
    "mcp_docs_search": ("mcp", "mcp_docs_search"),
    "docs__search": ("mcp", "mcp__docs__search"),
    # Names that no table has.
    "run_command": ("shell", "Bash"),
    "find_files": ("glob", "Glob"),
    "no_such_tool": ("unknown", "no_such_tool"),
}


@pytest.mark.parametrize(("name", "expected"), NAMES.items())
def test_names(name: str, expected: tuple[str, str]):
    kind, canonical = expected
    assert map_tool_name_to_kind("gemini_cli", name) is ToolKind(kind)
    made = asked(name, {})
    assert (made.kind, made.canonical_name) == (ToolKind(kind), canonical)


def test_every_name_of_the_table_is_tested():
    assert set(PROVIDER.reading.tool_kinds) - set(NAMES) == {
        "edit",
        "cli_help",
        "generalist",
        "browser_agent",
    }


def asked(name: str, args: Any, **fields: Any) -> ToolCall:
    """The call as a message has it."""
    made = bodies(model("g", "", [call("c", name, args, **fields)]))[1]
    assert isinstance(made, ToolCall)
    return made


def done(name: str, args: Any, output: str | None = None, **fields: Any) -> ToolCall:
    """The call joined with its outcome."""
    _, made, outcome = bodies(model("g", "", [call("c", name, args, output, **fields)]))
    assert isinstance(made, ToolCall)
    assert isinstance(outcome, ToolResult)
    return PROVIDER.reading.attach_result(made, outcome)


def result(name: str, args: Any, output: str | None = None, **fields: Any) -> Result | None:
    return done(name, args, output, **fields).result


def test_what_the_client_calls_a_tool_names_its_server():
    made = asked("mcp_my_docs_find_page", {}, displayName="find_page (my docs MCP Server)")
    assert (made.kind, made.origin) == (ToolKind.MCP, ToolOrigin.MCP)
    assert made.payload == McpPayload("my docs", "find_page")
    assert made.canonical_name == "mcp__my docs__find_page"


def test_payloads_of_both_ages():
    assert asked("read_file", {"absolute_path": "/a", "offset": 10, "limit": 5}).payload == (
        ReadPayload("/a", 11, 5)
    )
    assert asked("read_file", {"file_path": "a", "start_line": 3, "end_line": 7}).payload == (
        ReadPayload("a", 3, 5)
    )
    assert asked("read_many_files", {"include": ["a", "b"]}).payload == ReadPayload("a, b")
    agent = asked("codebase_investigator", {"objective": "Look"}).payload
    assert agent == SubagentPayload(prompt="Look", agent_type="codebase_investigator")
    todos = asked("write_todos", {"todos": [{"description": "One", "status": "in_progress"}]})
    assert isinstance(todos.payload, TodosPayload)
    assert todos.payload.items[0].status is TodoStatus.IN_PROGRESS
    questions = [{"question": "Which?", "options": [{"label": "A"}]}]
    assert isinstance(asked("ask_user", {"questions": questions}).payload, AskPayload)


SHELL = (
    "<untrusted_context>\nOutput: a\nb\nExit Code: 3\nProcess Group PGID: 9\n</untrusted_context>"
)
OLD_SHELL = (
    "Command: a\nDirectory: (root)\nOutput: a\nb\nError: (none)\nExit Code: 3\nSignal: (none)\n"
    "Background PIDs: (none)\nProcess Group PGID: 9"
)
PTY_SHELL = OLD_SHELL.replace("Signal: (none)", "Signal: 0")


HOOKED_SHELL = f"{SHELL}\n\n<hook_context>mind</hook_context>"


@pytest.mark.parametrize("output", [SHELL, OLD_SHELL, PTY_SHELL])
def test_a_command_has_its_output_and_exit_code(output: str):
    found = result("run_shell_command", {"command": "a"}, output, resultDisplay="a\nb")
    assert found == ShellResult(output="a\nb", exit_code=3)
    assert result("run_shell_command", {"command": "a"}, output) == found


FIRST_SHELL = (
    "Command: a\nDirectory: (root)\nStdout: a\nb\nStderr: no c\nno d\nError: (none)\n"
    "Exit Code: 3\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 9"
)


def test_a_command_of_the_first_versions_told_its_errors_apart():
    found = result("run_shell_command", {"command": "a"}, FIRST_SHELL)
    assert found == ShellResult(output="a\nb", stderr="no c\nno d", exit_code=3)
    empty = "Command: a\nStdout: (empty)\nStderr: (empty)\nExit Code: 0"
    assert result("run_shell_command", {}, empty) == ShellResult(output="", exit_code=0)


def test_what_a_hook_adds_stands_behind_the_output():
    found = result("run_shell_command", {}, HOOKED_SHELL)
    assert found == ShellResult(output="a\nb\n\n<hook_context>mind</hook_context>", exit_code=3)


CANCELLED = "Command was cancelled by user before it could complete."
TIMED_OUT = (
    "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without "
    "output. Below is the output before it was cancelled:\none\ntwo"
)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (f"{CANCELLED} There was no output before it was cancelled.", {"interrupted": True}),
        (f"<untrusted_context>\n{CANCELLED}\n</untrusted_context>", {"interrupted": True}),
        (TIMED_OUT, {"timed_out": True, "output": "one\ntwo"}),
        ("Output: x\nSignal: SIGKILL", {"status": "signal SIGKILL", "output": "x"}),
    ],
)
def test_a_command_that_was_stopped_has_failed(output: str, expected: dict[str, object]):
    made = done("run_shell_command", {"command": "a"}, output)
    assert made.state is ToolState.OUTPUT_ERROR
    assert {key: getattr(made.result, key) for key in expected} == expected


def test_words_of_an_output_are_not_taken_for_the_clients():
    output = "Output: Exit Code: 4\nmore"
    assert result("run_shell_command", {}, output) == ShellResult(output="Exit Code: 4\nmore")


def test_coloured_cells_become_coloured_text_without_padding():
    def cell(text: str, **style: Any) -> dict[str, Any]:
        return {"text": text, "bold": False, "fg": "", "bg": "", **style}

    lines = [[cell("red", fg="#ff0000"), cell(" plain   ")], [cell("   ")], [cell("b", bold=True)]]
    found = result("run_shell_command", {}, "Output: x", resultDisplay=[*lines, [cell("  ")]])
    assert isinstance(found, ShellResult)
    assert found.output == "\x1b[38;2;255;0;0mred\x1b[0m plain\n\n\x1b[1mb\x1b[0m"


def test_an_output_that_is_too_large_names_its_file():
    output = (
        "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: "
        "/h/tool-outputs/session-s/x.txt\n<untrusted_context>\nOutput: 1\n2\n</untrusted_context>"
    )
    found = result("run_shell_command", {}, output, resultDisplay="1\n2")
    assert found == ShellResult(output="1\n2", spill_path="/h/tool-outputs/session-s/x.txt")


@pytest.mark.parametrize(
    "masked",
    [
        "{}\n\nOutput too large. Full output available at: /h/x.txt",
        "Output too large. Showing all. For full output see: /h/x.txt\n{}",
    ],
)
def test_what_is_left_of_an_output_is_shown_where_no_more_is_known(masked: str):
    left = masked.format("Output: 1\n...\n9\nExit Code: 2")
    output = f"<tool_output_masked>\n{left}\n</tool_output_masked>"
    found = result("run_shell_command", {}, output, resultDisplay="short")
    assert found == ShellResult(output="1\n...\n9", exit_code=2, spill_path="/h/x.txt")
    whole = "\n".join(map(str, range(1, 10)))
    found = result("run_shell_command", {}, output, resultDisplay=whole)
    assert found == ShellResult(output=whole, exit_code=2, spill_path="/h/x.txt")


DIFF = "Index: a.py\n===\n--- a.py\tCurrent\n+++ a.py\tProposed\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"


def test_a_changed_file_has_its_hunks_and_both_texts():
    shown = {
        "fileDiff": DIFF,
        "fileName": "a.py",
        "filePath": "/w/a.py",
        "originalContent": "x\ny\n",
        "newContent": "x\nz\n",
        "diffStat": {"model_added_lines": 1, "user_added_lines": 0},
        "isNewFile": False,
    }
    found = result("replace", {"file_path": "a.py"}, "ok", resultDisplay=shown)
    assert isinstance(found, ChangeResult)
    change = found.files[0]
    assert (change.path, change.operation) == ("/w/a.py", FileOperation.UPDATE)
    assert change.hunks is not None
    assert change.hunks[0].lines == (" x", "-y", "+z")
    assert (change.before, change.after, found.by_person) == ("x\ny\n", "x\nz\n", False)
    created = {**shown, "isNewFile": True, "diffStat": {"user_added_lines": 2}}
    found = result("write_file", {"file_path": "a.py"}, "ok", resultDisplay=created)
    assert isinstance(found, ChangeResult)
    assert (found.files[0].operation, found.by_person) == (FileOperation.CREATE, True)


def test_a_file_that_is_cut_says_which_lines_it_shows():
    output = (
        "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 100-101 of 3001 "
        "total lines.\nAction: Read on.\n\n--- FILE CONTENT (truncated) ---\na\nb"
    )
    assert result("read_file", {"file_path": "a"}, output) == ReadResult(
        "a\nb", 100, 2, 3001, truncated=True
    )
    assert result("read_file", {"file_path": "a"}, "x\n", resultDisplay="") == ReadResult("x\n")


def test_an_image_is_the_result_of_reading_it():
    image = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    told = [response("c", "read_file", output="Binary content provided (1 item(s))."), image]
    found = result("read_file", {"file_path": "a.png"}, result=told)
    assert isinstance(found, ReadResult)
    assert (found.content, len(found.media)) == (None, 1)


def test_matches_as_shown_and_as_told():
    told = (
        'Found 2 matches for pattern "x" in path:\n---\nFile: a.py\nL2: x = 1\nL3- y\nL9:   x\n---'
    )
    found = result("grep_search", {"pattern": "x"}, told)
    assert isinstance(found, MatchResult)
    assert [(m.path, m.line, m.text, m.context) for m in found.matches] == [
        ("a.py", 2, "x = 1", False),
        ("a.py", 3, "y", True),
        ("a.py", 9, "  x", False),
    ]
    assert (found.match_count, found.file_count) == (2, 1)
    shown = {
        "summary": "Found 2 matches (limited)",
        "matches": [{"filePath": "a.py", "lineNumber": 2, "line": "  x = 1"}],
    }
    found = result("grep_search", {"pattern": "x"}, told, resultDisplay=shown)
    assert isinstance(found, MatchResult)
    assert (found.matches[0].text, found.truncated) == ("  x = 1", True)


def test_listings():
    told = 'Found 3 file(s) matching "*" within /w, sorted:\n/w/a.py\n/w/b.py'
    assert result("glob", {"pattern": "*"}, told) == PathsResult(
        ("/w/a.py", "/w/b.py"), count=3, truncated=True
    )
    listing = "Directory listing for /w:\n[DIR] docs\na.py (1,234 bytes)\n\n(1 ignored)"
    expected = PathsResult(("docs/", "a.py"), count=2)
    assert result("list_directory", {"dir_path": "."}, listing) == expected
    shown = {"summary": "Found 2 item(s).", "files": ["[DIR] docs", "a.py"]}
    assert result("list_directory", {}, listing, resultDisplay=shown) == expected


def test_lists_of_things_to_do():
    shown = {"todos": [{"description": "One", "status": "completed"}]}
    found = result("write_todos", {"todos": []}, "ok", resultDisplay=shown)
    assert isinstance(found, TodosResult)
    assert found.after is not None
    assert found.after[0].status is TodoStatus.COMPLETED


def test_an_agent_says_how_it_ended():
    told = "Subagent 'x' finished.\nTermination Reason: GOAL\nResult:\nAll good."
    assert result("invoke_agent", {}, told) == SubagentResult(status="GOAL", text="All good.")
    shown = {"isSubagentProgress": True, "state": "completed", "terminateReason": "TIMEOUT"}
    found = result("invoke_agent", {}, told, resultDisplay={**shown, "result": "Late."})
    assert found == SubagentResult(status="TIMEOUT", text="Late.")


def test_answers_pages_and_searches():
    questions: list[dict[str, Any]] = [{"question": "Which?", "options": []}]
    found = result("ask_user", {"questions": questions}, '{"answers": {"0": "A"}}')
    assert isinstance(found, AskResult)
    assert [(each.question, each.answer) for each in found.answers] == [("Which?", "A")]
    page = result("web_fetch", {"prompt": "Read http://x.org/a please"}, "Short.")
    assert page == WebFetchResult("http://x.org/a", text="Short.")
    told = "Results:\n\nYes [1].\n\nSources:\n[1] A page (https://a.org/x)"
    search = result("google_web_search", {"query": "x"}, told)
    assert isinstance(search, WebSearchResult)
    assert [(hit.title, hit.url) for hit in search.hits] == [("A page", "https://a.org/x")]


SHAPES: tuple[object, ...] = (
    "",
    "text",
    None,
    [],
    {},
    [1],
    {"brand": "new"},
    [[{"text": 1}]],
    {"todos": 3},
    7,
    True,
)


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
@pytest.mark.parametrize("name", list(NAMES))
def test_any_shape_of_what_was_shown_is_read(name: str, shape: object):
    joined = done(name, {}, "x", resultDisplay=shape)
    assert [getattr(block, "text", None) for block in joined.output] == ["x"]
    assert Activity(joined, ()).body is joined


@pytest.mark.parametrize(
    ("told", "approved"),
    [("Plan approved. Go on.", True), ("Plan rejected. User feedback: Less.", False)],
)
def test_a_plan_that_was_sent_back_is_not_approved(told: str, approved: bool):
    made = done("exit_plan_mode", {"plan_path": "plans/a.md"}, told)
    assert made.result == PlanResult(approved, path="plans/a.md")
