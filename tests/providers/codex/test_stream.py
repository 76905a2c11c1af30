"""What `codex exec --json` prints: items that begin, go on and end are one row."""

import json
from pathlib import Path
from typing import Any

from agentview.domain.events import (
    Level,
    Message,
    Notification,
    TokenUsage,
    ToolCall,
    ToolProgress,
    ToolResult,
    Topic,
)
from agentview.domain.session import Stream, StreamKind
from agentview.domain.tool_inputs import TodosPayload, TodoStatus, WebSearchPayload
from agentview.domain.tool_results import ChangeResult
from agentview.domain.tools import ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.providers.codex.probing import probe_head
from tests.providers.codex.log import SAMPLES, Record, bodies, events, joined
from tests.providers.joined_log import calls, shown, write

THREAD = {"type": "thread.started", "thread_id": "019cb1a0-1111-7aaa-8bbb-0123456789ab"}


def line(step: str, **fields: Any) -> Record:
    return {"type": f"item.{step}", "item": {"id": "item_1", **fields}}


def test_a_command_runs_and_ends(tmp_path: Path):
    command = {"type": "command_execution", "command": "/bin/bash -lc 'cat a.py'"}
    began = line("started", **command, aggregated_output="", exit_code=None, status="in_progress")
    more = line("updated", **command, aggregated_output="x", exit_code=None, status="in_progress")
    ended = line("completed", **command, aggregated_output="x = 1", exit_code=0, status="completed")
    assert bodies(more)[1] == ToolProgress("item_1", "x")
    running = calls(joined(write(tmp_path / "a.jsonl", [THREAD, began, more])))["item_1"]
    assert running.state is ToolState.INPUT_AVAILABLE
    done = calls(joined(write(tmp_path / "b.jsonl", [THREAD, began, more, ended])))["item_1"]
    assert (done.ok, done.kind) == (True, ToolKind.SHELL)
    assert done.reading is not None
    assert done.reading.kind is ToolKind.READ
    only_end = calls(joined(write(tmp_path / "c.jsonl", [THREAD, ended])))["item_1"]
    assert only_end.ok is True


def test_a_command_that_was_declined():
    ended = line("completed", type="command_execution", command="rm x", status="declined")
    result = bodies(ended)[1]
    assert isinstance(result, ToolResult)
    assert result.ok is False


def test_the_newest_list_counts(tmp_path: Path):
    def todo(step: str, *done: bool) -> Record:
        items = [{"text": f"step {i}", "completed": flag} for i, flag in enumerate(done)]
        return line(step, type="todo_list", items=items)

    records = [todo("started", False, False), todo("updated", True, False)]
    for more in ([], [todo("completed", True, True)]):
        store = joined(write(tmp_path / "a.jsonl", [THREAD, *records, *more]))
        payload = calls(store)["item_1"].payload
        assert isinstance(payload, TodosPayload)
        assert len(shown(store)) == 1
        last = TodoStatus.COMPLETED if more else TodoStatus.PENDING
        assert [item.status for item in payload.items] == [TodoStatus.COMPLETED, last]


def test_files_that_change_have_no_diff(tmp_path: Path):
    changes = [{"path": "/w/a.py", "kind": "update"}, {"path": "/w/b.py", "kind": "add"}]
    record = line("completed", type="file_change", changes=changes, status="completed")
    call = calls(joined(write(tmp_path / "a.jsonl", [THREAD, record])))["item_1"]
    assert call.kind is ToolKind.EDIT
    assert isinstance(call.result, ChangeResult)
    assert [(file.path, file.hunks) for file in call.result.files] == [
        ("/w/a.py", None),
        ("/w/b.py", None),
    ]


def test_a_server_answers():
    record = line(
        "completed",
        type="mcp_tool_call",
        server="tickets",
        tool="find",
        arguments={"q": "x"},
        result=None,
        error={"message": "no such ticket"},
        status="failed",
    )
    call, result = bodies(record)
    assert isinstance(call, ToolCall)
    assert call.canonical_name == "mcp__tickets__find"
    assert isinstance(result, ToolResult)
    assert (result.ok, result.error) == (False, "no such ticket")


def test_an_agent_is_started():
    record = line(
        "completed",
        type="collab_tool_call",
        tool="spawn_agent",
        receiver_thread_ids=["t-9"],
        prompt="Count lines.",
        status="completed",
    )
    assert events(record)[1].child == Stream(StreamKind.SUBAGENT, "t-9")


def test_what_is_searched_for_is_known_at_the_end(tmp_path: Path):
    began = line("started", type="web_search", query="", action={"type": "other"})
    ended = line("completed", type="web_search", query="x", action={"type": "search", "query": "x"})
    call = calls(joined(write(tmp_path / "a.jsonl", [THREAD, began, ended])))["item_1"]
    assert call.payload == WebSearchPayload("x")
    assert call.state is ToolState.OUTPUT_AVAILABLE


def test_turns_have_their_tokens_and_errors():
    usage = {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 7}
    ended = bodies({"type": "turn.completed", "usage": usage})
    assert isinstance(ended[1], TokenUsage)
    assert ended[1].usage == Usage(40, 60, None, 7, None)
    failed = bodies({"type": "turn.failed", "error": {"message": "npm is missing"}})
    assert failed[0] == Notification(Topic.API_ERROR, "npm is missing", Level.ERROR)
    retry = bodies({"type": "error", "message": "Reconnecting... 1/2"})[0]
    assert isinstance(retry, Notification)
    assert retry.level is Level.WARNING


def test_texts():
    assert bodies(line("completed", type="agent_message", text="Hi")) == [Message("Hi")]
    note = bodies(line("completed", type="error", message="Cut"))[0]
    assert note == Notification(Topic.SYSTEM, "Cut", Level.WARNING)


def test_the_stream_of_the_first_clients_is_read():
    store = joined(SAMPLES / "printed" / "older.jsonl")
    found = calls(store)
    assert [call.kind for call in found.values()] == [
        ToolKind.SHELL, ToolKind.EDIT, ToolKind.MCP, ToolKind.WEB_SEARCH, ToolKind.SHELL,
    ]  # fmt: skip
    assert [found[f"call_{number}"].ok for number in (1, 2, 3, 4)] == [True, True, False, False]
    assert (store.summary.turns, store.summary.problems) == (1, 2)
    assert store.summary.text("cwd") == "/home/dev/garden"
    assert store.summary.tokens["output"] == 25


def test_usage_at_the_end_of_a_turn_is_of_the_whole_thread(tmp_path: Path):
    def ended(given: int, said: int) -> Record:
        counts = {"input_tokens": given, "cached_input_tokens": 0, "output_tokens": said}
        return {"type": "turn.completed", "usage": counts}

    store = joined(write(tmp_path / "a.jsonl", [THREAD, ended(100, 10), THREAD, ended(300, 25)]))
    assert (store.summary.tokens["input_uncached"], store.summary.tokens["output"]) == (300, 25)


def test_a_plan_and_questions_are_calls(tmp_path: Path):
    asked = {"type": "request_user_input", "call_id": "c", "questions": [{"question": "Which?"}]}
    plan = line("completed", type="plan", text="1. Sort")
    found = calls(joined(write(tmp_path / "a.jsonl", [THREAD, plan, asked])))
    assert [call.kind for call in found.values()] == [ToolKind.PLAN, ToolKind.ASK]


def test_items_without_an_id_are_the_clients_all_the_same():
    item = {"type": "item.completed", "item": {"type": "agent_message", "text": "Done"}}
    assert bodies(item) == [Message("Done")]
    assert probe_head(json.dumps(item).encode()) > 0.5
    assert probe_head(b'{"type":"thread.started"}\n') > 0


def test_what_does_not_say_how_it_ended_has_not_failed(tmp_path: Path):
    items: list[Record] = [
        {"id": "a", "type": "command_execution", "command": "ls", "aggregated_output": "x"},
        {"id": "b", "type": "file_change", "changes": [{"path": "a.py", "kind": "modify"}]},
        {"id": "c", "type": "mcp_tool_call", "tool": "find", "result": {"content": []}},
    ]
    records: list[Record] = [{"type": "item.completed", "item": item} for item in items]
    found = calls(joined(write(tmp_path / "a.jsonl", [THREAD, *records])))
    assert ToolState.OUTPUT_ERROR not in {call.state for call in found.values()}
    assert found["c"].provider_name == "find"


def test_an_error_that_ends_a_turn_stands_once(tmp_path: Path):
    error = {"type": "error", "message": "No route"}
    failed = {"type": "turn.failed", "error": {"message": "No route"}}
    for records in ([THREAD, error, failed], [THREAD, failed]):
        notes = [a.body for a in shown(joined(write(tmp_path / "a.jsonl", records)))]
        assert [n.text for n in notes if isinstance(n, Notification)] == ["No route", "Turn failed"]
