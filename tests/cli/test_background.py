"""Work in the background: it runs until its end is reported, and the end is told once."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import FIRST, CommandLine
from tests.cli.follower import Follower

_AGENT = ("Agent", {"status": "async_launched", "agentId": "a1"}, "Async agent launched.")
_SHELL = ("Bash", {"stdout": "", "backgroundTaskId": "b1"}, "Command running in background: b1")
_WORDS = ("Agent", None, "Async agent launched successfully.\nagentId: a1 (internal ID)")
_WORKFLOW = ("Workflow", {"status": "remote_launched", "runId": "w1"}, "Workflow launched")
LAUNCHES = pytest.mark.parametrize("launch", [_AGENT, _SHELL, _WORDS, _WORKFLOW], ids=str)


def _launched(log: ClaudeLog, launch: tuple[str, Any, str]) -> list[bytes]:
    name, structured, words = launch
    arguments = {"command": "make"} if name == "Bash" else {"prompt": "Look", "description": "x"}
    begun = [log.prompt("Go"), log.call("t1", name, **arguments)]
    return [*begun, log.result("t1", words, structured), log.text("It is under way.")]


def _ended(log: ClaudeLog, status: str, words: str = "All is well.") -> list[bytes]:
    text = (
        f"<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t1</tool-use-id>\n"
        f"<status>{status}</status>\n<summary>The work {status}</summary>\n"
        f"<result>{words}</result>\n</task-notification>"
    )
    queued = log.record("queue-operation", operation="enqueue", content=text)
    return [queued, log.prompt(text), log.text("It came back.")]


def _lines(agentview: CommandLine, path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in agentview.ok("events", str(path)).splitlines()]


def _call(lines: list[dict[str, Any]]) -> dict[str, Any]:
    (call,) = {line["id"]: line for line in lines if line["type"] == "tool_call"}.values()
    return call


def _next_call(follower: Follower) -> dict[str, Any]:
    (line,) = follower.take(1)
    return line if line["type"] == "tool_call" else _next_call(follower)


@pytest.mark.slow
@LAUNCHES
def test_it_runs_until_its_end_is_reported(
    agentview: CommandLine, tmp_path: Path, launch: tuple[str, Any, str]
) -> None:
    log = ClaudeLog(FIRST)
    path = write(tmp_path / f"{FIRST}.jsonl", _launched(log, launch))
    call = _call(_lines(agentview, path))
    assert (call["state"], call["ok"], call["ended"]) == ("input-available", None, None)
    assert "no end recorded" in agentview.ok("cat", str(path), "--detail", "title")
    with path.open("ab") as file:
        file.writelines(_ended(log, "completed"))
    lines = _lines(agentview, path)
    call = _call(lines)
    assert (call["state"], call["ok"]) == ("output-available", True)
    assert call["ended"] is not None
    assert call["reported"] == "The work completed\nAll is well."
    assert [line for line in lines if line["type"] == "notification"] == []
    assert agentview.ok("cat", str(path), "--detail", "full").count("All is well.") == 1


@pytest.mark.slow
@LAUNCHES
def test_work_that_failed_is_a_problem(
    agentview: CommandLine, tmp_path: Path, launch: tuple[str, Any, str]
) -> None:
    log = ClaudeLog(FIRST)
    records = [*_launched(log, launch), *_ended(log, "failed", "Disk full")]
    path = write(tmp_path / f"{FIRST}.jsonl", records)
    call = _call(_lines(agentview, path))
    assert (call["state"], call["error"]) == ("output-error", "The work failed")
    titles = agentview.ok("cat", str(path), "--detail", "title").splitlines()
    assert sum("✗" in title for title in titles) == 1


def test_the_end_comes_as_a_revision(agentview: CommandLine, tmp_path: Path) -> None:
    log = ClaudeLog(FIRST)
    path = write(tmp_path / f"{FIRST}.jsonl", _launched(log, _AGENT))
    with Follower(agentview, str(path)) as follower:
        before = _next_call(follower)
        with path.open("ab") as file:
            file.writelines(_ended(log, "completed"))
        after = _next_call(follower)
    assert (after["id"], after["revision"]) == (before["id"], before["revision"] + 1)
    assert (before["state"], after["state"]) == ("input-available", "output-available")


def test_what_a_monitor_sees_is_no_end(agentview: CommandLine, tmp_path: Path) -> None:
    log = ClaudeLog(FIRST)
    seen = (
        "<task-notification>\n<task-id>m1</task-id>\n<tool-use-id>t1</tool-use-id>\n"
        "<summary>Monitor event</summary>\n<event>line two</event>\n</task-notification>"
    )
    records = [
        log.call("t1", "Monitor", command="tail -f x", description="x"),
        log.result("t1", "Monitor started (task m1, timeout 1000ms).", {"taskId": "m1"}),
        log.prompt(seen),
    ]
    lines = _lines(agentview, write(tmp_path / f"{FIRST}.jsonl", records))
    assert _call(lines)["state"] == "input-available"
    (event,) = [line for line in lines if line["type"] == "notification"]
    assert event["detail"] == "line two"
