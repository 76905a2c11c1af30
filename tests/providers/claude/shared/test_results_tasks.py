"""Results of agents, todo lists, plans and questions."""

import pytest

from agentview.domain.content import TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import TodoItem, TodoStatus
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    PlanResult,
    Result,
    SubagentResult,
    TodosResult,
    ToolSearchResult,
)
from agentview.domain.tools import Denial, DeniedBy
from agentview.providers.claude.shared.tools import SPECS
from tests.providers.claude.shared.joined import Fields, joined

AGENT: Fields = {"description": "d", "prompt": "p", "subagent_type": "Explore"}
SAID: list[object] = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
FIGURES: Fields = {"totalDurationMs": 1500, "totalTokens": 20, "totalToolUseCount": 3}

RESULTS: list[tuple[str, Fields, object, str, Result | None]] = [
    (
        "Task",
        AGENT,
        {"content": SAID, **FIGURES},
        "",
        SubagentResult("completed", None, "one\ntwo", 3, 20, 1.5),
    ),
    (
        "Agent",
        AGENT,
        {"status": "completed", "agentId": "a1", "content": SAID, "resolvedModel": "m", **FIGURES},
        "",
        SubagentResult("completed", "a1", "one\ntwo", 3, 20, 1.5, "m"),
    ),
    (
        "Agent",
        AGENT,
        {"isAsync": True, "status": "async_launched", "agentId": "a1", "outputFile": "/t/a1"},
        "Async agent launched successfully.\nagentId: a1",
        SubagentResult("async_launched", "a1"),
    ),
    (
        "Agent",
        AGENT,
        {"status": "remote_launched", "taskId": "t1", "sessionUrl": "https://x"},
        "",
        SubagentResult("remote_launched", "t1"),
    ),
    (
        "Agent",
        AGENT,
        None,
        "Async agent launched successfully. (internal)\nagentId: a1 (internal ID)\nMore.",
        SubagentResult("async_launched", "a1"),
    ),
    ("Task", AGENT, None, "only words", SubagentResult(text="only words")),
    ("Agent", AGENT, {"isAsync": False}, "only words", SubagentResult(text="only words")),
    ("Agent", AGENT, {"isAsync": False}, "", None),
    (
        "Workflow",
        {"script": "s"},
        {"status": "async_launched", "runId": "wf_1", "taskId": "t1", "summary": "s"},
        "",
        SubagentResult("async_launched", "wf_1", "s"),
    ),
    (
        "Workflow",
        {"script": "s"},
        None,
        "Workflow launched in background. Task ID: t1\nSummary: s",
        SubagentResult("async_launched", "t1"),
    ),
    (
        "SendMessage",
        {"to": "bob"},
        {"success": True, "message": "sent to bob"},
        "",
        SubagentResult(text="sent to bob"),
    ),
    (
        "SendMessage",
        {"to": "bob"},
        None,
        '{"success":false,"message":"no bob"}',
        SubagentResult("failed", text="no bob"),
    ),
    (
        "TodoWrite",
        {"todos": [{"content": "c", "status": "completed", "activeForm": "a"}]},
        {
            "oldTodos": [],
            "newTodos": [{"content": "c", "status": "pending", "id": "1", "priority": "high"}],
        },
        "",
        TodosResult((), (TodoItem("c", TodoStatus.PENDING, "1", priority="high"),)),
    ),
    (
        "TodoWrite",
        {"todos": [{"content": "c", "status": "completed"}]},
        None,
        "Todos have been modified successfully.",
        TodosResult(None, (TodoItem("c", TodoStatus.COMPLETED),)),
    ),
    (
        "TaskCreate",
        {"subject": "s"},
        {"task": {"id": "1", "subject": "s", "description": "d"}},
        "",
        TodosResult(after=(TodoItem("s", TodoStatus.PENDING, "1", note="d"),)),
    ),
    (
        "TaskCreate",
        {"subject": "s"},
        None,
        "Task #1 created successfully: s: t",
        TodosResult(after=(TodoItem("s: t", TodoStatus.PENDING, "1"),)),
    ),
    (
        "TaskUpdate",
        {"taskId": "1", "status": "completed"},
        {
            "success": True,
            "taskId": "1",
            "updatedFields": ["status"],
            "statusChange": {"from": "in_progress", "to": "completed"},
        },
        "",
        TodosResult(
            (TodoItem("", TodoStatus.IN_PROGRESS, "1"),),
            (TodoItem("", TodoStatus.COMPLETED, "1"),),
        ),
    ),
    (
        "TaskUpdate",
        {"taskId": "1", "status": "deleted"},
        None,
        "Updated task #1 deleted",
        TodosResult(None, (TodoItem("", TodoStatus.DELETED, "1"),)),
    ),
    ("TaskUpdate", {"taskId": "1"}, {"success": False, "error": "Task not found"}, "", None),
    (
        "TaskGet",
        {"taskId": "3"},
        {"task": {"id": "3", "subject": "s", "status": "pending", "blockedBy": ["1"]}},
        "",
        TodosResult(after=(TodoItem("s", TodoStatus.PENDING, "3", note="blocked by 1"),)),
    ),
    (
        "TaskGet",
        {"taskId": "3"},
        None,
        "Task #3: s\nStatus: in_progress\nDescription: d\nmore",
        TodosResult(after=(TodoItem("s", TodoStatus.IN_PROGRESS, "3", note="d\nmore"),)),
    ),
    ("TaskGet", {"taskId": "3"}, {"task": None}, "Task not found", None),
    (
        "TaskList",
        {},
        {"tasks": [{"id": "1", "subject": "s", "status": "pending", "owner": "bob"}]},
        "",
        TodosResult(after=(TodoItem("s", TodoStatus.PENDING, "1", note="owner: bob"),)),
    ),
    (
        "TaskList",
        {},
        None,
        "#1 [in_progress] s\n#2 [pending] t",
        TodosResult(
            after=(
                TodoItem("s", TodoStatus.IN_PROGRESS, "1"),
                TodoItem("t", TodoStatus.PENDING, "2"),
            )
        ),
    ),
    ("TaskList", {}, None, "No tasks found", TodosResult(after=())),
    ("TaskList", {}, None, "odd words", None),
    ("EnterPlanMode", {}, {"message": "Entered plan mode."}, "Entered…", PlanResult()),
    (
        "ExitPlanMode",
        {"plan": "# P"},
        {"plan": "# P", "isAgent": False, "filePath": "/p.md"},
        "User has approved your plan.",
        PlanResult(True, "# P", "/p.md"),
    ),
    (
        "ExitPlanMode",
        {},
        {"plan": "# P", "isAgent": True, "awaitingLeaderApproval": True},
        "Your plan has been submitted.",
        PlanResult(None, "# P"),
    ),
    ("exit_plan_mode", {"plan": "# P"}, None, "User has approved your plan.", PlanResult(True)),
    (
        "AskUserQuestion",
        {"questions": [{"question": "Which?"}]},
        {"questions": [], "answers": {"Which?": "A, B", "Why?": "so"}},
        "",
        AskResult((AskAnswer("Which?", "A, B"), AskAnswer("Why?", "so"))),
    ),
    (
        "AskUserQuestion",
        {},
        {"questions": [], "answers": {}, "response": "neither"},
        "",
        AskResult((AskAnswer("", "neither"),)),
    ),
    (
        "AskUserQuestion",
        {},
        None,
        'User has answered your questions: "Which?"="A", "Why?"="so". You can now continue',
        AskResult((AskAnswer("Which?", "A"), AskAnswer("Why?", "so"))),
    ),
    ("AskUserQuestion", {}, None, "odd words", None),
    ("Skill", {"skill": "s"}, {"success": True, "commandName": "s"}, "Launching", None),
    (
        "ToolSearch",
        {"query": "x"},
        {"matches": ["NotebookEdit"], "query": "x", "total_deferred_tools": 7},
        "",
        ToolSearchResult(("NotebookEdit",), 7),
    ),
    ("ToolSearch", {"query": "x"}, None, "No matching deferred tools found", None),
    ("mcp__s__t", {}, [{"type": "text", "text": "x"}], "x", None),
]


@pytest.mark.parametrize(("name", "args", "structured", "content", "expected"), RESULTS)
def test_results(
    name: str, args: Fields, structured: object, content: str, expected: Result | None
):
    assert joined(name, args, structured, content or None).result == expected


def test_an_agent_whose_figures_stand_in_the_last_block():
    figures = "<usage>total_tokens: 20\ntool_uses: 3\nduration_ms: 1500</usage>"
    blocks = (TextBlock("one"), TextBlock("agentId: a1 (for resuming)\n" + figures))
    result = joined("Task", AGENT, None, blocks).result
    assert result == SubagentResult("completed", "a1", "one", 3, 20, 1.5)


def test_a_plan_that_was_refused():
    call = joined(
        "ExitPlanMode",
        {"plan": "# P"},
        "User rejected tool use",
        "The user doesn't want to proceed with this tool use.",
        ok=False,
        denial=Denial(DeniedBy.PERSON, "smaller steps"),
    )
    assert call.result == PlanResult(False, "smaller steps")


@pytest.mark.parametrize(
    "name", ["Task", "Workflow", "SendMessage", "TaskCreate", "TaskUpdate", "TaskList"]
)
def test_calls_that_failed(name: str):
    error = "Error: No such tool available"
    text = f"<tool_use_error>{error}</tool_use_error>"
    assert joined(name, {"taskId": "1"}, error, text, ok=False).result is None


ODD: list[object] = [
    None,
    "",
    "text",
    7,
    [],
    [1],
    {},
    {"task": 3},
    {"task": {"id": []}},
    {"content": {}},
    {"file": []},
    {"type": "image", "file": {"dimensions": 3}},
    {"type": "parts", "file": {}, "pages": [1, {}]},
    {"type": "notebook", "file": {"cells": [{}]}},
    {"structuredPatch": [3]},
    {"results": [3, {"content": 3}]},
    {"mode": [], "filenames": 3},
    {"mode": "content", "content": 3},
    {"stdout": 3, "isImage": True},
    {"statusChange": {"from": 3}},
    {"tasks": [3]},
    {"answers": []},
]


@pytest.mark.parametrize("name", [name for name, spec in SPECS.items() if spec.result])
def test_no_odd_result_raises(name: str):
    make = SPECS[name].result
    assert make is not None
    call = joined(name, {})
    for structured in ODD:
        for output in ((), (TextBlock(""),), (TextBlock("words"),)):
            for ok in (True, False, None):
                found = make(call, ToolResult("t", ok, output, structured=structured))
                assert found is None or isinstance(found, Result)
