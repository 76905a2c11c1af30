"""What Kimi CLI and Kimi Code print as JSON: each call with its result, failures, retries."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Notification,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import ReadResult, ShellResult
from agentview.domain.tools import Denial, DeniedBy, ToolKind, ToolState
from agentview.providers import load_provider, recognise
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

CLI, CODE = (load_provider(name) for name in ("kimi_cli", "kimi_code"))
FOLDERS = [sample_sessions_dir() / name / "printed" for name in ("kimi_cli", "kimi_code")]
LOGS = [path for folder in FOLDERS for path in sorted(folder.glob("*.jsonl"))]
each_log = pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")


def provider_of(path: Path):
    return load_provider(path.parts[-3])


@each_log
def test_each_call_is_shown_with_its_result(path: Path):
    lines = [line for line in path.read_text().split("\n") if line.startswith("{")]
    records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    asked = [call["id"] for each in records for call in each.get("tool_calls") or ()]
    answered = {each["tool_call_id"] for each in records if each["role"] == "tool"}
    made = calls(joined(provider_of(path), path))
    assert list(made) == asked
    # Nothing is printed of how a command in the background ended.
    ended = {own for own in answered if not getattr(made[own].result, "launched", False)}
    waiting = (ToolState.INPUT_AVAILABLE, ToolState.ABANDONED)
    assert {own for own, call in made.items() if call.state not in waiting} == ended
    assert len(answered) - len(ended) <= 2


@each_log
def test_a_beginning_is_recognised(path: Path):
    data = path.read_bytes()
    for size in (len(data), data.index(b"\n", data.index(b"\n") + 1) + 1):
        assert recognise(data[:size], Path("out.jsonl")) is provider_of(path)


def test_results_of_the_command_line_have_their_outcomes():
    made = list(calls(joined(CLI, FOLDERS[0] / "tools.jsonl")).values())
    shells = [call.result for call in made if isinstance(call.result, ShellResult)]
    assert {0, 3, 7} <= {each.exit_code for each in shells}
    assert sum(each.timed_out for each in shells) == 1
    failed = {call.provider_name for call in made if call.ok is False}
    assert {"Grep", "Shell", "no_such_tool"} <= failed
    view = next(call.result for call in made if isinstance(call.result, ReadResult))
    assert (view.start, view.line_count, view.total_lines) == (1, 26, 26)
    assert "<system>" not in "".join(each.output or "" for each in shells)


def test_what_no_word_says_of_an_outcome_is_unknown():
    made = calls(joined(CODE, FOLDERS[1] / "tools.jsonl")).values()
    assert {call.ok for call in made} == {None, False}
    shells = [call for call in made if isinstance(call.result, ShellResult)]
    codes = [(call.ok, getattr(call.result, "exit_code", None)) for call in shells]
    assert (False, 3) in codes
    assert (None, 0) not in codes
    wrong = [call for call in made if call.provider_name == "no_such_tool"]
    assert [call.ok for call in wrong] == [False]
    assert ToolKind.SUBAGENT_TASK in {call.kind for call in made}


def test_a_request_that_failed_is_the_state():
    path = FOLDERS[0] / "errors.jsonl"
    info = CLI.info(CLI.discovery.ref(path))
    body = shown(joined(CLI, path))[-1].body
    assert isinstance(body, Notification)
    assert (body.topic, body.text[:15]) == (Topic.API_ERROR, "Error code: 400")
    assert info.state is SessionState.FAILED


def test_a_retry_is_no_failure():
    bodies = [each.body for each in shown(joined(CODE, FOLDERS[1] / "errors.jsonl"))]
    retries = [body for body in bodies if isinstance(body, Notification)]
    assert [body.text for body in retries] == ["500 mock error", "503 mock error"]
    assert not any(body.failed for body in retries)
    info = CODE.info(CODE.discovery.ref(FOLDERS[1] / "tools.jsonl"))
    assert info.client_version == "2.1.0"


def decoded(record: dict[str, Any]) -> list[Event]:
    data = json.dumps(record).encode()
    return CLI.decode(data, SourceRef("x", 0, len(data)), CLI.discovery.ref(LOGS[0]))


def test_a_refusal_is_one():
    said = "<system>ERROR: The tool call is rejected by the user. Reason: later</system>"
    (event,) = decoded({"role": "tool", "tool_call_id": "c1", "content": said})
    assert isinstance(event.body, ToolResult)
    assert event.body.denial == Denial(DeniedBy.PERSON, "later")


def test_other_messages_are_not_claimed():
    call = {"id": "c1", "function": {"name": "bash", "arguments": "{}"}}
    others: list[dict[str, Any]] = [
        {"role": "assistant", "content": "Hi."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "ok", "tool_call_id": "c1"},
        {"role": {}, "content": []},
    ]
    for record in others:
        head = json.dumps(record).encode() + b"\n"
        assert CLI.discovery.probe(head, Path("x")) == 0.0
        assert CODE.discovery.probe(head, Path("x")) == 0.0


def test_what_the_model_is_sent_is_recognised_by_its_roles():
    call = {"id": "c1", "function": {"name": "ReadFile", "arguments": "{}"}}
    context = [
        {"role": "_system_prompt", "content": "You are an agent."},
        {"role": "_checkpoint", "id": 0},
        {"role": "assistant", "content": "", "tool_calls": [call]},
    ]
    head = b"".join(json.dumps(each).encode() + b"\n" for each in context)
    assert recognise(head, Path("unnamed")) is CLI


def test_a_context_is_a_session_where_there_is_no_wire(tmp_path: Path):
    folder = tmp_path / "0cc1" / "49c25e39-13e5-4a55-8da7-fab156ddd0cf"
    folder.mkdir(parents=True)
    data = (FOLDERS[0] / "context.jsonl").read_bytes()
    for name in ("context.jsonl", "context_1.jsonl"):
        (folder / name).write_bytes(data)
    assert [ref.path for ref in CLI.scan(tmp_path)] == [str(folder / "context.jsonl")]
    assert CLI.discovery.ref(folder / "context.jsonl").session_id == folder.name
    (folder / "wire.jsonl").write_text('{"type":"metadata","protocol_version":"1.10"}\n')
    assert [ref.path for ref in CLI.scan(tmp_path)] == [str(folder / "wire.jsonl")]


def test_a_context_begins_with_what_was_compacted():
    bodies = [each.body for each in shown(joined(CLI, FOLDERS[0] / "context.jsonl"))]
    attached, summary = bodies[:2]
    assert isinstance(attached, Attachment)
    assert isinstance(summary, Compaction)
    assert (summary.summary or "").startswith("The user asked for scripted work.")
    assert sum(isinstance(body, User) for body in bodies) == 1


def test_settings_alone_are_a_log_that_begins():
    record = {"type": "config.update", "cwd": "/home/dev/shop", "modelAlias": "k2"}
    assert recognise(json.dumps(record).encode() + b"\n", Path("wire.jsonl")) is CODE
