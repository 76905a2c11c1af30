"""Calls and failures of `events` against those counted here from the bare files.

No code is shared with the program: a call is what its format says that it is, by its own id. A call
on a process that an earlier one began is a part of that row, so a call is found by its record.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

import agentview.cli
from tests.facts.bare_logs import Record, numbered_records, part

ROOT = Path(__file__).parents[3] / "sample_sessions"


class Counted(NamedTuple):
    """What a log has, by the ids of the calls."""

    calls: dict[str, int]
    """The line of each, 1-based; the first of an id counts."""
    failed: frozenset[str] = frozenset()


def parts(record: Record, name: str) -> list[Record]:
    found = record.get(name)
    listed = cast("list[Any]", found) if isinstance(found, list) else []
    return [cast("Record", each) for each in listed if isinstance(each, dict)]


def named(calls: dict[str, int], name: object, line: int) -> None:
    if isinstance(name, str) and name:
        calls.setdefault(name, line)


def claude(path: Path) -> Counted:
    calls: dict[str, int] = {}
    failed: set[str] = set()
    for line, record in numbered_records(path):
        for block in parts(part(record, "message"), "content"):
            kind = str(block.get("type"))
            if record.get("type") == "assistant" and kind in ("tool_use", "server_tool_use"):
                named(calls, block.get("id"), line)
            elif record.get("type") == "user" and kind == "tool_result" and block.get("is_error"):
                failed.add(str(block.get("tool_use_id")))
    return Counted(calls, frozenset(failed))


def codex(path: Path) -> Counted:
    """Of a thread that was forked, without the calls that it repeats of the other one."""
    calls: dict[str, int] = {}
    repeated: dict[str, int] = {}
    for line, record in numbered_records(path):
        item = part(record, "payload")
        if record.get("type") == "response_item" and item.get("type") in (
            "function_call",
            "custom_tool_call",
            "local_shell_call",
        ):
            named(calls, item.get("call_id"), line)
        if record.get("type") == "session_meta" and (other := item.get("forked_from_id")):
            for log in path.parent.glob(f"*{other}.jsonl"):
                repeated |= codex(log).calls
    return Counted({name: line for name, line in calls.items() if name not in repeated})


def pi(path: Path) -> Counted:
    calls: dict[str, int] = {}
    failed: set[str] = set()
    for line, record in numbered_records(path):
        if record.get("type") != "message":
            continue
        message = part(record, "message")
        for block in parts(message, "content"):
            if block.get("type") == "toolCall":
                named(calls, block.get("id"), line)
        if message.get("role") == "toolResult" and message.get("isError"):
            failed.add(str(message.get("toolCallId")))
    return Counted(calls, frozenset(failed))


def copilot(path: Path) -> Counted:
    calls: dict[str, int] = {}
    failed: set[str] = set()
    for line, record in numbered_records(path):
        data = part(record, "data")
        if record.get("type") == "assistant.message":
            for call in parts(data, "toolRequests"):
                named(calls, call.get("toolCallId"), line)
        elif record.get("type") == "tool.execution_start":
            named(calls, data.get("toolCallId"), line)
        elif record.get("type") == "tool.execution_complete" and data.get("success") is False:
            failed.add(str(data.get("toolCallId")))
    return Counted(calls, frozenset(failed))


def gemini(path: Path) -> Counted:
    calls: dict[str, int] = {}
    failed: dict[str, bool] = {}
    for line, record in numbered_records(path):
        for message in (record, *parts(part(record, "$set"), "messages")):
            for call in parts(message, "toolCalls"):
                named(calls, call.get("id"), line)
                failed[str(call.get("id"))] = call.get("status") in ("error", "cancelled")
    return Counted(calls, frozenset(name for name, wrong in failed.items() if wrong))


def qwen(path: Path) -> Counted:
    calls: dict[str, int] = {}
    for line, record in numbered_records(path):
        for piece in parts(part(record, "message"), "parts"):
            named(calls, part(piece, "functionCall").get("id"), line)
    return Counted(calls)


def chat(path: Path) -> Counted:
    calls: dict[str, int] = {}
    for line, record in numbered_records(path):
        for call in parts(record, "tool_calls"):
            named(calls, call.get("id"), line)
    return Counted(calls)


COUNTERS: dict[str, Callable[[Path], Counted]] = {
    "claude_code": claude,
    "claude_stream": claude,
    "codex": codex,
    "copilot": copilot,
    "gemini_cli": gemini,
    "pi": pi,
    "qwen_code": qwen,
    "vibe": chat,
    "vibe_2": chat,
}
LOGS = [
    (name, path)
    for name in COUNTERS
    for path in sorted((ROOT / name).rglob("*.jsonl"))
    if COUNTERS[name](path).calls
]


@pytest.mark.parametrize(
    ("name", "path"), LOGS, ids=[path.relative_to(ROOT).as_posix() for _, path in LOGS]
)
def test_no_call_or_failure_is_lost(
    name: str, path: Path, capsysbinary: pytest.CaptureFixture[bytes]
):
    counted = COUNTERS[name](path)
    assert agentview.cli.main(["events", "--all", str(path), "--provider", name]) == 0
    lines = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    calls = [line for line in lines if line["type"] == "tool_call"]
    by_id: dict[str, list[Record]] = {}
    for call in calls:
        by_id.setdefault(call["call_id"], []).append(call)
    shown = {
        record["line"]
        for call in calls
        for record in call["records"]
        if Path(record["file"]).name == path.name
    }
    assert {line for id_, line in counted.calls.items() if id_ not in by_id} <= shown
    for id_ in counted.failed & by_id.keys():
        assert any(call["ok"] is False for call in by_id[id_]), id_


SCRIPTED = [path for name, path in LOGS if name == "codex" and path.parent.name == "code_mode"]


@pytest.mark.parametrize("path", SCRIPTED, ids=[path.parent.name + path.stem for path in SCRIPTED])
def test_a_script_of_codex_counts_by_its_calls(
    path: Path, capsysbinary: pytest.CaptureFixture[bytes]
):
    """A script counts unless calls of its own are recorded behind it; a wait for one does not."""
    calls = nested = 0
    empty = False
    own_lines = {*codex(path).calls.values()}
    for at, record in numbered_records(path):
        if at < min(own_lines):
            continue
        payload = part(record, "payload")
        made = str(part(payload, "item").get("id")).startswith("exec-")
        if made:
            calls -= empty
            nested, empty = nested + 1, False
        if payload.get("type") in ("function_call", "custom_tool_call") and at in own_lines:
            waits = payload.get("name") == "wait" and "cell_id" in str(payload.get("arguments"))
            calls += not waits
            if payload.get("name") == "exec":
                empty = True
    assert agentview.cli.main(["events", str(path), "--provider", "codex"]) == 0
    lines = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    own = [
        line
        for line in lines
        if line["type"] == "tool_call" and Path(line["records"][0]["file"]).name == path.name
    ]
    assert len(own) == calls + nested


def test_the_samples_have_calls_and_failures():
    assert len(LOGS) > 60
    assert sum(len(COUNTERS[name](path).calls) for name, path in LOGS) > 600
    assert sum(len(COUNTERS[name](path).failed) for name, path in LOGS) > 30
