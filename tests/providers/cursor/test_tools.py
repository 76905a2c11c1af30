"""Which tool a name means in each spelling, what it asks for, and what it brings back."""

from typing import Any

import pytest

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    EditPayload,
    GlobPayload,
    McpPayload,
    NotebookEditPayload,
    ReadPayload,
    SubagentPayload,
    TodosAction,
    TodosPayload,
    WebSearchPayload,
    WritePayload,
)
from agentview.domain.tool_results import (
    ChangeResult,
    LintsResult,
    MatchResult,
    PathsResult,
    ReadResult,
    ShellResult,
    SubagentResult,
    TodosResult,
    WebSearchResult,
)
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolOrigin, ToolState
from agentview.providers import map_tool_name_to_kind
from agentview.providers.cursor.cursor import PROVIDER
from agentview.providers.cursor.shared import tools
from tests.providers.cursor.log import SAMPLES, Record, bodies, joined
from tests.providers.joined_log import calls

KINDS = {
    ToolKind.READ: "readToolCall read Read ReadFile read_file read_file_v2",
    ToolKind.WRITE: "writeToolCall write Write write_file",
    ToolKind.EDIT: "editToolCall edit Edit StrReplace MultiStrReplace ApplyPatch "
    "applyAgentDiffToolCall applyAgentDiff ApplyAgentDiff edit_file edit_file_v2 search_replace "
    "apply_patch reapply",
    ToolKind.DELETE: "deleteToolCall delete Delete delete_file",
    ToolKind.SHELL: "shellToolCall shell Shell Bash writeShellStdinToolCall "
    "writeShellStdin WriteShellStdin awaitToolCall await Await AwaitShell "
    "run_terminal_cmd run_terminal_command run_terminal_command_v2 write_shell_stdin await_task",
    ToolKind.GREP: "grepToolCall grep Grep rg grep_search ripgrep_search ripgrep_raw_search",
    ToolKind.GLOB: "globToolCall glob Glob file_search glob_file_search",
    ToolKind.LS: "lsToolCall ls Ls LS list_dir list_dir_v2",
    ToolKind.SEM_SEARCH: "semSearchToolCall semSearch SemSearch SemanticSearch codebase_search "
    "semantic_search_full read_semsearch_files",
    ToolKind.READ_LINTS: "readLintsToolCall readLints ReadLints read_lints",
    ToolKind.MCP: "mcpToolCall mcp Mcp mcp__weather__forecast FetchMcpResource "
    "getMcpToolsToolCall getMcpTools GetMcpTools CallMcpTool ListMcpResources call_mcp_tool "
    "get_mcp_tools list_mcp_resources read_mcp_resource playwright-browser_navigate "
    "mcp-weather-rain",
    ToolKind.TODOS: "updateTodosToolCall updateTodos UpdateTodos TodoWrite readTodosToolCall "
    "todo_write",
    ToolKind.PLAN: "createPlanToolCall createPlan CreatePlan create_plan",
    ToolKind.SUBAGENT_TASK: "taskToolCall task Task Agent task_v2",
    ToolKind.WEB_FETCH: "webFetchToolCall webFetch WebFetch fetchToolCall web_fetch",
    ToolKind.WEB_SEARCH: "webSearchToolCall webSearch WebSearch exaSearchToolCall web_search",
    ToolKind.NOTEBOOK_EDIT: "editNotebookToolCall editNotebook EditNotebook edit_notebook",
    ToolKind.ASK: "askQuestionToolCall AskQuestion ask_question",
    ToolKind.UNKNOWN: "generateImageToolCall generateImage recordScreenToolCall recordScreen "
    "generate_image CallDynamicTool update_current_step "
    "compostToolCall switchModeToolCall",
}
NAMES = [(name, kind) for kind, names in KINDS.items() for name in names.split()]

CANONICAL = {
    "readToolCall": "Read",
    "shellToolCall": "Bash",
    "StrReplace": "Edit",
    "MultiStrReplace": "MultiEdit",
    "ApplyPatch": "Patch",
    "semSearchToolCall": "CodeSearch",
    "updateTodosToolCall": "TodoWrite",
    "createPlanToolCall": "ExitPlanMode",
    "taskToolCall": "Task",
    "LS": "LS",
    "fetchToolCall": "WebFetch",
    "compostToolCall": "compost",
    "SwitchMode": "SwitchMode",
}


@pytest.mark.parametrize(("name", "kind"), NAMES)
def test_every_spelling_has_its_kind(name: str, kind: ToolKind):
    assert map_tool_name_to_kind("cursor", name) is kind


def test_the_table_of_kinds_leaves_no_known_tool_out():
    assert set(tools.SPECS) - {name for name, _ in NAMES} == {
        "GenerateImage", "RecordScreen", "UpdateCurrentStep",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "canonical"), CANONICAL.items())
def test_canonical_names(name: str, canonical: str):
    assert call(name, {}).canonical_name == canonical


def test_a_tool_that_a_call_names_in_its_arguments():
    made = call("CallDynamicTool", {
        "toolName": "WebSearch", "namespace": "cursor", "arguments": {"search_term": "pears"}
    })  # fmt: skip
    assert made.kind is ToolKind.WEB_SEARCH
    assert made.payload == WebSearchPayload("pears")


def record(name: str, args: object, result: object = None, **fields: Any) -> Record:
    inner: dict[str, object] = {"args": args}
    if result is not None:
        inner["result"] = result
    wrapped = {name: inner}
    subtype = "started" if result is None else "completed"
    return {
        "type": "tool_call",
        "subtype": subtype,
        "call_id": "call_1\nfc_1",
        "tool_call": wrapped,
        "session_id": "s",
        **fields,
    }


def call(name: str, args: object) -> ToolCall:
    found = bodies(record(name, args))[0]
    assert isinstance(found, ToolCall)
    return found


def answered(name: str, args: object, result: object) -> ToolCall:
    asked, outcome = bodies(record(name, args, result))
    assert isinstance(asked, ToolCall)
    assert isinstance(outcome, ToolResult)
    return PROVIDER.reading.attach_result(asked, outcome)


PAYLOADS: list[tuple[str, dict[str, object], object]] = [
    ("readToolCall", {"path": "a", "offset": 3, "limit": 4}, ReadPayload("a", 3, 4)),
    ("writeToolCall", {"path": "a", "contents": "x"}, WritePayload("a", "x")),
    ("globToolCall", {"globPattern": "*.py", "targetDirectory": "d"}, GlobPayload("*.py", "d")),
    (
        "mcpToolCall",
        {"providerIdentifier": "weather", "toolName": "forecast", "args": {"days": 2}},
        McpPayload("weather", "forecast"),
    ),
    (
        "taskToolCall",
        {"description": "d", "prompt": "p", "subagentType": {"explore": {}}, "model": "m"},
        SubagentPayload("d", "p", "explore", model="m"),
    ),
    (
        "editNotebookToolCall",
        {"targetNotebook": "n.ipynb", "cellIdx": 2, "newString": "1", "isNewCell": True},
        NotebookEditPayload("n.ipynb", "1", "2", mode="insert"),
    ),
]


@pytest.mark.parametrize(("name", "args", "payload"), PAYLOADS)
def test_payloads(name: str, args: dict[str, object], payload: object):
    assert call(name, args).payload == payload


EDITS = {
    "strReplace": ("Edit", {"oldText": "a", "newText": "b", "replaceAll": True}),
    "multiStrReplace": ("MultiEdit", {"edits": [{"oldText": "a", "newText": "b"}]}),
    "applyPatch": ("Patch", {"patchContent": "*** Begin Patch\n*** Update File: p\n@@\n-a\n+b"}),
}


@pytest.mark.parametrize("form", EDITS)
def test_each_form_of_an_edit(form: str):
    canonical, inner = EDITS[form]
    made = call("editToolCall", {"path": "p", form: inner})
    assert made.canonical_name == canonical
    assert isinstance(made.payload, EditPayload)
    assert made.payload.files[0].path == "p"
    assert [(edit.old, edit.new) for edit in made.payload.files[0].edits] == [("a", "b")]


def test_an_mcp_call_is_named_by_its_server_and_tool():
    made = call("mcpToolCall", {"providerIdentifier": "weather", "toolName": "forecast"})
    assert made.canonical_name == "mcp__weather__forecast"
    assert made.origin is ToolOrigin.MCP


def test_a_call_shaped_as_a_function_is_read():
    made, _ = bodies(
        record("function", None, {"success": {"content": "x"}})
        | {"tool_call": {"function": {"name": "read_file", "arguments": '{"path": "a"}'}}}
    )
    assert isinstance(made, ToolCall)
    assert made.kind is ToolKind.READ
    assert made.args_json == '{"path": "a"}'


def test_the_arguments_are_the_exact_text():
    raw = (
        b'{"type":"tool_call","subtype":"started","call_id":"c","session_id":"s",'
        b'"tool_call":{"shellToolCall":{"args":{"command":"a\\u0062",  "timeout": 1e3}}}}'
    )
    made = bodies(raw)[0]
    assert isinstance(made, ToolCall)
    assert made.args_json == '{"command":"a\\u0062",  "timeout": 1e3}'
    assert made.args == {"command": "ab", "timeout": 1000.0}


REFUSALS: dict[str, tuple[dict[str, str], DeniedBy, str | None]] = {
    "rejected": ({"command": "x", "reason": "User said no"}, DeniedBy.PERSON, "User said no"),
    "rejectedByPolicy": ({}, DeniedBy.UNKNOWN, None),
    "permissionDenied": ({"error": "not allowed"}, DeniedBy.RULE, "not allowed"),
}


@pytest.mark.parametrize("variant", REFUSALS)
def test_a_refused_call_is_denied(variant: str):
    inner, by, words = REFUSALS[variant]
    made = answered("shellToolCall", {"command": "x"}, {variant: inner})
    assert made.state is ToolState.OUTPUT_DENIED
    assert made.denial is not None
    assert (made.denial.by, made.denial.words) == (by, words)


FAILURES = {
    "error": ({"errorMessage": "gone"}, "gone"),
    "failure": ({"exitCode": 2, "stderr": "no rule"}, "no rule"),
    "timeout": ({"timeoutMs": 5}, "timeout"),
    "fileNotFound": ({"path": "a"}, "fileNotFound"),
    "spawnError": ({"error": "no shell"}, "no shell"),
}


@pytest.mark.parametrize("variant", FAILURES)
def test_a_failed_call_says_why(variant: str):
    inner, error = FAILURES[variant]
    made = answered("shellToolCall", {"command": "x"}, {variant: inner})
    assert (made.state, made.ok, made.error) == (ToolState.OUTPUT_ERROR, False, error)
    if variant == "timeout":
        assert isinstance(made.result, ShellResult)
        assert made.result.timed_out


def test_a_failed_command_keeps_its_streams():
    made = answered(
        "shellToolCall",
        {"command": "x"},
        {"failure": {"exitCode": 2, "stdout": "a", "stderr": "b"}},
    )
    assert made.result == ShellResult(stdout="a", stderr="b", exit_code=2)


def test_output_that_is_not_told_apart():
    made = answered(
        "shellToolCall",
        {"command": "x"},
        {"success": {"exitCode": 0, "stdout": "", "stderr": "", "interleavedOutput": "ab"}},
    )
    assert made.result == ShellResult(output="ab", exit_code=0)


def test_results_of_all_kinds_are_typed():
    found = calls(joined(SAMPLES / "tools.jsonl"))
    by_name: dict[str, list[ToolCall]] = {}
    for each in found.values():
        by_name.setdefault(each.provider_name, []).append(each)
    read = by_name["readToolCall"][0].result
    assert isinstance(read, ReadResult)
    assert (read.content, read.total_lines) == ("", 0)
    files, counts = (each.result for each in by_name["grepToolCall"])
    assert isinstance(files, MatchResult)
    assert ([match.path for match in files.matches], files.truncated) == (
        ["plan.md", "README.md"],
        True,
    )
    assert isinstance(counts, MatchResult)
    assert [match.count for match in counts.matches] == [2, 1]
    assert by_name["globToolCall"][0].result == PathsResult(("beds.py", "test_beds.py"), 2)
    assert by_name["lsToolCall"][0].result == PathsResult(
        ("seeds/", "seeds/peas.csv", "beds.py", "plan.md")
    )
    lints = by_name["readLintsToolCall"][0].result
    assert isinstance(lints, LintsResult)
    assert (lints.diagnostics[0].line, lints.diagnostics[0].severity) == (6, "warning")
    agent = by_name["taskToolCall"][0].result
    assert isinstance(agent, SubagentResult)
    assert (agent.text, agent.call_count, agent.duration) == ("There are 14 lines.", 1, 4.21)
    web = by_name["webSearchToolCall"][0].result
    assert isinstance(web, WebSearchResult)
    assert web.hits[0].url == "https://example.org/peas"
    assert by_name["deleteToolCall"][0].result is not None


def test_diffs_come_with_headers_as_pieces_or_as_whole_files():
    demo = calls(joined(SAMPLES / "demo.jsonl"))
    edit = next(each for each in demo.values() if each.kind is ToolKind.EDIT)
    assert isinstance(edit.result, ChangeResult)
    change = edit.result.files[0]
    assert change.hunks is not None
    assert (change.hunks[0].old_start, "+ROWS = 6" in change.hunks[0].lines) == (1, True)
    assert (change.before or "").replace("4", "6") == change.after
    piece = answered("editToolCall", {"path": "p"}, {"success": {"diffString": " a\n-b\n+c"}})
    assert isinstance(piece.result, ChangeResult)
    assert piece.result.files[0].hunks is not None
    assert piece.result.files[0].hunks[0].old_start == 0
    whole = answered(
        "editToolCall",
        {"path": "p"},
        {
            "success": {
                "diffString": "-b\n+c",
                "beforeFullFileContent": "b",
                "afterFullFileContent": "c",
            }
        },
    )
    assert isinstance(whole.result, ChangeResult)
    assert (whole.result.files[0].hunks, whole.result.files[0].after) == (None, "c")


def test_a_list_that_is_merged_is_updated_and_shows_all_of_it():
    todos = [{"id": "1", "content": "Sow", "status": "TODO_STATUS_COMPLETED"}]
    made = answered(
        "updateTodosToolCall", {"todos": todos, "merge": True}, {"success": {"todos": todos * 2}}
    )
    assert isinstance(made.payload, TodosPayload)
    assert made.payload.action is TodosAction.UPDATE
    assert isinstance(made.result, TodosResult)
    assert len(made.result.after or ()) == 2
