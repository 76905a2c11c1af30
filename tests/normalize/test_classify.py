"""Tools that no table knows: by the naming convention, by words of the name, by arguments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.tool_inputs import McpPayload, UnknownPayload
from agentview.domain.tools import ToolKind, ToolOrigin
from agentview.normalize.build import tool_call
from agentview.normalize.classify import classify
from agentview.normalize.tools.mcp import split_name
from agentview.providers import map_tool_name_to_kind

BY_NAME = [
    ("read_file", ToolKind.READ, "Read"),
    ("readToolCall", ToolKind.READ, "Read"),
    ("view", ToolKind.READ, "Read"),
    ("view_image", ToolKind.READ, "Read"),
    ("read_many_files", ToolKind.READ, "Read"),
    ("write_file", ToolKind.WRITE, "Write"),
    ("write_to_file", ToolKind.WRITE, "Write"),
    ("create", ToolKind.WRITE, "Write"),
    ("create_file", ToolKind.WRITE, "Write"),
    ("str_replace", ToolKind.EDIT, "Edit"),
    ("replace", ToolKind.EDIT, "Edit"),
    ("replace_in_file", ToolKind.EDIT, "Edit"),
    ("edit_file", ToolKind.EDIT, "Edit"),
    ("StrReplace", ToolKind.EDIT, "Edit"),
    ("search_replace", ToolKind.EDIT, "Edit"),
    ("multiedit", ToolKind.EDIT, "MultiEdit"),
    ("apply_patch", ToolKind.EDIT, "Patch"),
    ("ApplyPatch", ToolKind.EDIT, "Patch"),
    ("apply_diff", ToolKind.UNKNOWN, "apply_diff"),
    ("rename_file", ToolKind.EDIT, "rename_file"),
    ("delete_file", ToolKind.DELETE, "Delete"),
    ("Delete", ToolKind.DELETE, "Delete"),
    ("delete_memory", ToolKind.MEMORY, "delete_memory"),
    ("EditNotebook", ToolKind.NOTEBOOK_EDIT, "EditNotebook"),
    ("run_shell_command", ToolKind.SHELL, "Bash"),
    ("execute_command", ToolKind.SHELL, "Bash"),
    ("exec_command", ToolKind.SHELL, "Bash"),
    ("shell", ToolKind.SHELL, "Bash"),
    ("Execute", ToolKind.SHELL, "Bash"),
    ("powershell", ToolKind.SHELL, "Bash"),
    ("run_terminal_cmd", ToolKind.SHELL, "Bash"),
    ("functions.shell", ToolKind.SHELL, "Bash"),
    ("write_stdin", ToolKind.SHELL, "write_stdin"),
    ("read_powershell", ToolKind.SHELL, "read_powershell"),
    ("kill_terminal", ToolKind.SHELL, "kill_terminal"),
    ("grep", ToolKind.GREP, "Grep"),
    ("rg", ToolKind.GREP, "Grep"),
    ("grep_search", ToolKind.GREP, "Grep"),
    ("search_files", ToolKind.GREP, "Grep"),
    ("search_file_content", ToolKind.GREP, "Grep"),
    ("glob", ToolKind.GLOB, "Glob"),
    ("file_search", ToolKind.GLOB, "Glob"),
    ("find_by_name", ToolKind.GLOB, "Glob"),
    ("glob_file_search", ToolKind.GLOB, "Glob"),
    ("ls", ToolKind.LS, "LS"),
    ("list_dir", ToolKind.LS, "LS"),
    ("list_directory", ToolKind.LS, "LS"),
    ("codebase_search", ToolKind.SEM_SEARCH, "CodeSearch"),
    ("SemanticSearch", ToolKind.SEM_SEARCH, "CodeSearch"),
    ("read_lints", ToolKind.READ_LINTS, "read_lints"),
    ("ReadLints", ToolKind.READ_LINTS, "ReadLints"),
    ("fetch_url", ToolKind.WEB_FETCH, "WebFetch"),
    ("webfetch", ToolKind.WEB_FETCH, "WebFetch"),
    ("web_fetch", ToolKind.WEB_FETCH, "WebFetch"),
    ("google_web_search", ToolKind.WEB_SEARCH, "WebSearch"),
    ("websearch", ToolKind.WEB_SEARCH, "WebSearch"),
    ("todo_write", ToolKind.TODOS, "TodoWrite"),
    ("todowrite", ToolKind.TODOS, "TodoWrite"),
    ("write_todos", ToolKind.TODOS, "TodoWrite"),
    ("updateTodosToolCall", ToolKind.TODOS, "TodoWrite"),
    ("update_plan", ToolKind.TODOS, "TodoWrite"),
    ("todoread", ToolKind.TODOS, "TodoRead"),
    ("task_create", ToolKind.TODOS, "task_create"),
    ("spawn_agent", ToolKind.SUBAGENT_TASK, "Task"),
    ("collaboration::spawn_agent", ToolKind.SUBAGENT_TASK, "Task"),
    ("task", ToolKind.SUBAGENT_TASK, "Task"),
    ("delegate_to_agent", ToolKind.SUBAGENT_TASK, "Task"),
    ("task_complete", ToolKind.UNKNOWN, "task_complete"),
    ("CreatePlan", ToolKind.PLAN, "ExitPlanMode"),
    ("plan_enter", ToolKind.PLAN, "EnterPlanMode"),
    ("ask_user", ToolKind.ASK, "AskUserQuestion"),
    ("request_user_input", ToolKind.ASK, "AskUserQuestion"),
    ("think", ToolKind.UNKNOWN, "Reasoning"),
    ("list_mcp_resources", ToolKind.MCP, "list_mcp_resources"),
    ("create_issue", ToolKind.UNKNOWN, "create_issue"),
    ("list_issues", ToolKind.UNKNOWN, "list_issues"),
    ("search_issues", ToolKind.UNKNOWN, "search_issues"),
    ("read_page", ToolKind.UNKNOWN, "read_page"),
    ("update_profile", ToolKind.UNKNOWN, "update_profile"),
    ("report_intent", ToolKind.UNKNOWN, "report_intent"),
    ("skill", ToolKind.SKILL, "skill"),
    ("load_skill", ToolKind.SKILL, "load_skill"),
    ("skills.list", ToolKind.SKILL, "skills.list"),
    ("delete_skill_tree", ToolKind.UNKNOWN, "delete_skill_tree"),
    ("ToolSearch", ToolKind.TOOL_SEARCH, "ToolSearch"),
    ("tool_search_tool_bm25", ToolKind.TOOL_SEARCH, "tool_search_tool_bm25"),
    ("functions.find_tools", ToolKind.TOOL_SEARCH, "functions.find_tools"),
    ("", ToolKind.UNKNOWN, ""),
    ("日本", ToolKind.UNKNOWN, "日本"),
]


@pytest.mark.parametrize(("name", "kind", "canonical"), BY_NAME)
def test_by_name(name: str, kind: ToolKind, canonical: str):
    spec = classify(name, {})
    assert (spec.kind, spec.canonical_name) == (kind, canonical)


@pytest.mark.parametrize(
    "name",
    [
        "get_file_url",
        "get_files_changed",
        "list_merge_request_files",
        "get_user_file_permissions",
        "delete_file_version",
        "run_sql_command",
        "update_file_permissions",
        "search_user_files",
        "create_file_request",
        "fetch_url_metadata",
        "create_plan_subscription",
        "enter_plan_details",
        "delete_directory_user",
        "move_file_cabinet",
        "list_files_shared",
        "process_output_format",
        "terminate_process_order",
        "insert_file_row",
        "todo_comments",
        "find_file_owner",
        "todo_app_deploy",
        "lint_report",
        "run_agent_evaluation",
        "ask_user_survey",
        "patch_file_release",
        "web_search_ads",
        "get_shell_price",
        "cat_facts",
        "view_invoice",
        "open_pull_request",
        "book_hotel",
    ],
)
def test_a_name_that_may_mean_something_else_is_not_guessed(name: str):
    spec = classify(name, {})
    assert (spec.kind, spec.canonical_name) == (ToolKind.UNKNOWN, name)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ReadFileLines", ToolKind.READ),
        ("read_text_file_from_workspace", ToolKind.READ),
        ("editTextFile", ToolKind.EDIT),
        ("writeFile2", ToolKind.WRITE),
        ("grepFiles", ToolKind.GREP),
        ("searchFilesByRegex", ToolKind.GREP),
        ("list_directory_tree", ToolKind.LS),
        ("runTerminalCommandInBackground", ToolKind.SHELL),
        ("semanticCodeSearch", ToolKind.SEM_SEARCH),
        ("launch_sub_agent", ToolKind.SUBAGENT_TASK),
        ("searchTheWeb", ToolKind.WEB_SEARCH),
    ],
)
def test_a_new_name_of_a_known_thing_is_useful(name: str, kind: ToolKind):
    assert classify(name, {}).kind is kind


@pytest.mark.parametrize(
    ("name", "args", "kind"),
    [
        ("my_search_tool", {}, ToolKind.SEM_SEARCH),
        ("my-search-tool", {"query": "x"}, ToolKind.SEM_SEARCH),
        ("mySearchTool", {"pattern": "x"}, ToolKind.GREP),
        ("my_search_tool", {"flight": "x"}, ToolKind.UNKNOWN),
        ("read_things", {}, ToolKind.READ),
        ("ReadThings", {"path": "a"}, ToolKind.READ),
        ("read_things", {"ids": [1]}, ToolKind.UNKNOWN),
        ("write_document", {"path": "a"}, ToolKind.WRITE),
        ("read_write_data", {}, ToolKind.UNKNOWN),
        ("research_items", {}, ToolKind.UNKNOWN),
        ("search_flights", {}, ToolKind.UNKNOWN),
        ("spread_data", {}, ToolKind.UNKNOWN),
    ],
)
def test_a_verb_in_a_vague_name_is_a_guess(name: str, args: dict[str, object], kind: ToolKind):
    spec = classify(name, args)
    assert (spec.kind, spec.canonical_name) == (kind, name)
    assert spec.inferred is (kind is not ToolKind.UNKNOWN)
    made = tool_call(call_id="c", name=name, arguments=args, spec=None)
    assert (made.kind, made.inferred) == (spec.kind, spec.inferred)


def test_a_provider_that_is_not_known_has_the_shared_rules():
    assert map_tool_name_to_kind("langchain", "x") is ToolKind.UNKNOWN
    assert map_tool_name_to_kind("langchain", "read_file") is ToolKind.READ


def test_arguments_tell_what_a_name_does_not():
    args: dict[str, object] = {"command": "select 1", "timeout": 5}
    assert classify("run_sql_command", {}).kind is ToolKind.UNKNOWN
    assert classify("run_sql_command", args).kind is ToolKind.SHELL
    patch: dict[str, object] = {"path": "a", "old_string": "x", "new_string": "y"}
    assert classify("insert_file_row", patch).kind is ToolKind.EDIT


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("mcp__github__create_issue", ("github", "create_issue")),
        ("mcp__my_server__a__b", ("my_server", "a__b")),
        ("mcp__apps__github::_fetch", ("apps", "github::_fetch")),
        ("mcp__github", ("github", None)),
        ("github__create_issue", ("github", "create_issue")),
        ("linear-server__get", ("linear-server", "get")),
        ("mcp_github_list_issues", (None, "github_list_issues")),
        ("create_issue", None),
        ("__init__", None),
        ("a__", None),
        ("__b", None),
        ("functions__read_file", None),
        ("web__run", None),
        ("two words__b", None),
        ("mcp", None),
    ],
)
def test_names_of_servers_and_their_tools(name: str, parts: tuple[str | None, str | None] | None):
    assert split_name(name) == parts


def test_a_tool_of_a_server():
    spec = classify("github__create_issue", {"title": "x"})
    assert (spec.kind, spec.origin) == (ToolKind.MCP, ToolOrigin.MCP)
    assert spec.canonical_name == "mcp__github__create_issue"
    assert spec.payload({"title": "x"}) == McpPayload("github", "create_issue")
    # Nothing tells where the name of the server ends.
    assert classify("mcp_my_server_get", {}).canonical_name == "mcp_my_server_get"


def test_a_tool_that_takes_server_and_tool_as_arguments():
    args = {"server_name": "github", "tool_name": "get_issue", "arguments": "{}"}
    assert classify("use_mcp_tool", args).payload(args) == McpPayload("github", "get_issue")


BY_ARGUMENTS: list[tuple[dict[str, object], ToolKind]] = [
    ({"file_path": "a", "old_string": "x", "new_string": "y"}, ToolKind.EDIT),
    ({"path": "a", "oldText": "x", "newText": "y"}, ToolKind.EDIT),
    ({"filePath": "a", "edits": []}, ToolKind.EDIT),
    ({"path": "a", "content": "x"}, ToolKind.WRITE),
    ({"path": "a", "offset": 1, "limit": 2}, ToolKind.READ),
    ({"command": "ls", "timeout": 5}, ToolKind.SHELL),
    ({"cmd": ["ls"]}, ToolKind.SHELL),
    ({"todos": []}, ToolKind.TODOS),
    ({"url": "https://x", "prompt": "p"}, ToolKind.WEB_FETCH),
    ({"pattern": "x", "output_mode": "content", "path": "a"}, ToolKind.GREP),
    ({"patch": "*** Begin Patch"}, ToolKind.EDIT),
    ({"path": "a", "oldStr": "x", "newStr": "y", "reason": "r"}, ToolKind.EDIT),
    ({"command": "ls", "explanation": "e", "is_background": False}, ToolKind.SHELL),
    ({"url": "https://x", "max_length": 5}, ToolKind.WEB_FETCH),
    ({"url": "https://x", "body": "b"}, ToolKind.UNKNOWN),
    ({"path": "a"}, ToolKind.UNKNOWN),
    ({"query": "x"}, ToolKind.UNKNOWN),
    ({"pattern": "x"}, ToolKind.UNKNOWN),
    ({"command": "go", "room": "kitchen"}, ToolKind.UNKNOWN),
    ({"title": "t", "content": "x"}, ToolKind.UNKNOWN),
    ({}, ToolKind.UNKNOWN),
]


@pytest.mark.parametrize(
    ("name", "args", "kind"),
    [
        ("shell_v2", {"command": "ls", "sandboxed": True}, ToolKind.SHELL),
        ("read_v2", {"path": "a"}, ToolKind.READ),
        ("webSearchV3", {"query": "q"}, ToolKind.WEB_SEARCH),
        ("edit-beta", {"path": "a", "old": "x", "new": "y"}, ToolKind.EDIT),
        ("grep2", {"pattern": "x"}, ToolKind.GREP),
        ("v2", {}, ToolKind.UNKNOWN),
    ],
)
def test_an_edition_is_no_part_of_a_name(name: str, args: dict[str, object], kind: ToolKind):
    assert classify(name, args).kind is kind


@pytest.mark.parametrize(("args", "kind"), BY_ARGUMENTS)
def test_by_arguments(args: dict[str, object], kind: ToolKind):
    assert classify("frobnicate", args).kind is kind


@pytest.mark.parametrize(
    ("name", "args", "kind"),
    [
        ("str_replace_based_edit_tool", {"command": "view", "path": "a"}, ToolKind.READ),
        ("str_replace_editor", {"command": "create", "path": "a"}, ToolKind.WRITE),
        ("str_replace_editor", {"command": "insert", "path": "a"}, ToolKind.EDIT),
        ("fetch", {"url": "https://x"}, ToolKind.WEB_FETCH),
        ("fetch", {"query": "x"}, ToolKind.WEB_SEARCH),
        ("search", {"pattern": "x"}, ToolKind.GREP),
        ("search", {"query": "x"}, ToolKind.SEM_SEARCH),
    ],
)
def test_a_name_that_the_arguments_make_clear(name: str, args: dict[str, object], kind: ToolKind):
    assert classify(name, args).kind is kind


def test_text_behind_a_name_does_no_harm():
    name = 'Task" >\n<parameter name="description'
    spec = classify(name, {})
    assert (spec.kind, spec.canonical_name) == (ToolKind.SUBAGENT_TASK, "Task")
    assert classify('"><script>', {}).kind is ToolKind.UNKNOWN


def test_an_unknown_tool_has_no_form():
    spec = classify("frobnicate", {"a": 1})
    assert spec.payload({"a": 1}) == UnknownPayload()
    assert spec.canonical_name == "frobnicate"


@given(st.text(), st.dictionaries(st.text(), st.none()))
def test_nothing_raises(name: str, args: dict[str, object]):
    assert classify(name, args).kind in ToolKind
