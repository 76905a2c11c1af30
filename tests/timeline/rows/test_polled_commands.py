"""A command that runs on is one row, from its start through the calls that act on it to its end."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from agentview.domain.events import Notification
from agentview.domain.session import SessionRef
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolState
from agentview.providers import load_provider
from agentview.sessions.following.live_session import open_tail
from tests.claude_log import ClaudeLog
from tests.claude_log import write as write_claude
from tests.providers.joined_log import joined, shown

META = ("session_meta", {"id": "s1", "cwd": "/w/shop", "cli_version": "0.171.0"})
RUNS = "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 4242\nOutput:\n"
EXITED = "Chunk ID: b\nWall time: 1.0 seconds\nProcess exited with code {}\nOutput:\n"


def codex(folder: Path, records: Sequence[tuple[str, object]]) -> Path:
    log = folder / "rollout-2026-01-02T03-04-05-s1.jsonl"
    lines = (
        orjson.dumps({"timestamp": f"2026-01-02T03:04:{at:02}Z", "type": name, "payload": payload})
        for at, (name, payload) in enumerate(records)
    )
    log.write_bytes(b"\n".join(lines) + b"\n")
    return log


def made(call_id: str, name: str, output: str, **arguments: Any) -> list[tuple[str, object]]:
    call = {"type": "function_call", "name": name, "call_id": call_id}
    given = orjson.dumps(arguments).decode()
    result = {"type": "function_call_output", "call_id": call_id, "output": output}
    return [("response_item", {**call, "arguments": given}), ("response_item", result)]


def only_call(provider: str, log: Path, *, backward: bool) -> ToolCall:
    store = joined(load_provider(provider), log, backward=backward)
    calls = [each.body for each in shown(store) if isinstance(each.body, ToolCall)]
    assert len(calls) == 1
    return calls[0]


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize(
    ("code", "state"), [(0, ToolState.OUTPUT_AVAILABLE), (2, ToolState.OUTPUT_ERROR)]
)
def test_polls_of_codex_are_parts_of_their_command(
    tmp_path: Path, code: int, state: ToolState, *, backward: bool
) -> None:
    records = [
        META,
        *made("c1", "exec_command", f"{RUNS}one\n", cmd="make all", yield_time_ms=1000),
        *made("c2", "write_stdin", f"{RUNS}two\n", session_id=4242, chars=""),
        *made("c3", "write_stdin", f"{EXITED.format(code)}three\n", session_id=4242, chars="y\n"),
    ]
    call = only_call("codex", codex(tmp_path, records), backward=backward)
    result = call.result
    assert isinstance(result, ShellResult)
    assert (call.call_id, call.state, call.ok) == ("c1", state, code == 0)
    assert (result.output, result.exit_code) == ("one\ntwo\nthree\n", code)
    assert [poll.call_id for poll in call.polls] == ["c2", "c3"]
    assert not result.launched


@pytest.mark.parametrize("backward", [False, True])
def test_a_command_of_codex_without_an_end_runs_on(tmp_path: Path, *, backward: bool) -> None:
    records = [
        META,
        *made("c1", "exec_command", f"{RUNS}one\n", cmd="make all"),
        *made("c2", "write_stdin", f"{RUNS}two\n", session_id=4242, chars=""),
        ("event_msg", {"type": "task_complete", "turn_id": "t"}),
    ]
    call = only_call("codex", codex(tmp_path, records), backward=backward)
    assert (call.state, call.ok) == (ToolState.INPUT_AVAILABLE, None)
    assert isinstance(call.result, ShellResult)
    assert call.result.output == "one\ntwo\n"


def test_a_command_that_codex_leaves_behind_has_not_succeeded(tmp_path: Path) -> None:
    item = {"id": "i0", "type": "command_execution", "command": "sleep 9", "exit_code": None}
    started = {**item, "aggregated_output": "", "status": "in_progress"}
    done = {**item, "aggregated_output": "", "status": "completed"}
    records = [
        {"type": "thread.started", "thread_id": "019f0045-0000-7000-8000-000000000001"},
        {"type": "item.started", "item": started},
        {"type": "item.completed", "item": done},
        {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}},
    ]
    log = tmp_path / "run.jsonl"
    log.write_bytes(b"\n".join(map(orjson.dumps, records)) + b"\n")
    call = only_call("codex", log, backward=False)
    assert call.ok is None


def claude(tmp_path: Path, *acts: tuple[str, str]) -> Path:
    """A log of a background command, and calls on it with their results."""
    log = ClaudeLog()
    began = "Command running in background with ID: b1. Output is being written to: /tmp/b1.output"
    records = [
        log.prompt("Build"),
        log.call("c1", "Bash", command="make all", run_in_background=True),
        log.result("c1", began, {"stdout": "", "stderr": "", "backgroundTaskId": "b1"}),
    ]
    for number, (name, said) in enumerate(acts):
        key = "shell_id" if name == "KillShell" else "task_id"
        records.append(log.call(f"p{number}", name, **{key: "b1"}))
        records.append(log.result(f"p{number}", said))
    return write_claude(tmp_path / "log.jsonl", records)


def told(status: str, output: str, code: int | None = None) -> str:
    ended = "" if code is None else f"<exit_code>{code}</exit_code>\n\n"
    head = f"<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n{ended}"
    return f"{head}<status>{status}</status>\n\n<output>\n{output}\n</output>"


@pytest.mark.parametrize("backward", [False, True])
def test_the_output_of_a_background_command_of_claude_grows(
    tmp_path: Path, *, backward: bool
) -> None:
    grown = ("TaskOutput", told("running", "one"))
    runs = only_call("claude_code", claude(tmp_path, grown), backward=backward)
    assert (runs.state, runs.ok) == (ToolState.INPUT_AVAILABLE, None)
    over = ("TaskOutput", told("completed", "one\ntwo", 0))
    ended = only_call("claude_code", claude(tmp_path, grown, over), backward=backward)
    assert isinstance(ended.result, ShellResult)
    assert (ended.result.output, ended.result.exit_code, ended.ok) == ("one\ntwo", 0, True)


def test_a_background_command_that_was_killed_has_ended(tmp_path: Path) -> None:
    killed = ("KillShell", '{"message":"Successfully killed shell: b1","shell_id":"b1"}')
    call = only_call("claude_code", claude(tmp_path, killed), backward=False)
    assert (call.state, call.ok) == (ToolState.OUTPUT_AVAILABLE, None)


def note(task: str, status: str | None, words: str, call_id: str | None = None) -> str:
    tags = {"task-id": task, "tool-use-id": call_id, "status": status, "summary": words}
    inner = "\n".join(f"<{tag}>{text}</{tag}>" for tag, text in tags.items() if text)
    return f"<task-notification>\n{inner}\n</task-notification>"


def test_an_end_that_names_no_call_is_found_by_the_task(tmp_path: Path) -> None:
    path = claude(tmp_path)
    running = joined(load_provider("claude_code"), path)
    assert [running.activity(row).body for row in running.running()] == [
        each.body for each in shown(running) if isinstance(each.body, ToolCall)
    ]
    log = ClaudeLog(began=1_795_000_000.0)
    with path.open("ab") as file:
        file.write(log.prompt(note("b1", None, "Monitor event")))
        file.write(log.prompt(note("b1", "completed", "Background command done (exit code 0)")))
    store = joined(load_provider("claude_code"), path)
    (call,) = [each for each in shown(store) if isinstance(each.body, ToolCall)]
    assert isinstance(call.body, ToolCall)
    assert (call.body.state, call.body.ok) == (ToolState.OUTPUT_AVAILABLE, True)
    assert call.outcome is not None
    assert call.outcome.text.startswith("Background command done")
    assert store.running() == []
    texts = [each.body.text for each in shown(store) if isinstance(each.body, Notification)]
    assert texts == ["Monitor event"]


def test_a_session_counts_what_runs(tmp_path: Path) -> None:
    records = [
        META,
        *made("c1", "exec_command", f"{RUNS}one\n", cmd="make all"),
        *made("c2", "exec_command", f"{RUNS.replace('4242', '17')}one\n", cmd="serve"),
        *made("c3", "write_stdin", f"{EXITED.format(0)}three\n", session_id=4242, chars=""),
    ]
    log = codex(tmp_path, records)
    session = open_tail(SessionRef("codex", "s1", str(log)), live=True)
    try:
        assert session.header().running == 1
        (row,) = session.store.running()
        body = session.store.activity(row).body
        assert isinstance(body, ToolCall)
        assert body.call_id == "c2"
    finally:
        session.close()
