"""Envelopes of the second version: what is written is what their reader reads back."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from agentview.domain.events import ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers import load_provider, recognise
from agentview.reports.export.encoding import to_json_line
from agentview.reports.export.happier_trace import RAW_CHARS, RAW_DEPTH, RAW_ITEMS, HappyLines, cut
from agentview.reports.export.joined import JoinedLines
from agentview.reports.export.log_feed import SessionFeed
from agentview.system.paths import sample_sessions_dir

READER = SessionRef("happier", "s", "x")
SAMPLES = (
    "claude_code/tools",
    "claude_code/newer_tools",
    "claude_code/denied",
    "codex/demo",
    "acp/demo",
    "acp/refused",
    "happier/demo",
)
_CHANGES = (ToolKind.WRITE, ToolKind.EDIT)
_SHARED = frozenset(ToolKind) - {ToolKind.UNKNOWN, ToolKind.NOTEBOOK_EDIT, ToolKind.READ_LINTS}


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_written_is_read_back(name: str):
    provider = load_provider(name.partition("/")[0])
    ref = provider.discovery.ref(sample_sessions_dir() / f"{name}.jsonl")
    reader = load_provider("happier").reading
    seen = 0
    lines = HappyLines()
    printed = SessionFeed(provider, ref, JoinedLines(provider), subagents=False).read()
    for line, made in [(each, made) for each in printed for made in lines.envelopes(each)]:
        record = orjson.dumps(made)
        body = reader.decode(
            record, SourceRef("x", 0, len(record)), SessionRef("happier", "s", "x")
        )[0].body
        seen += 1
        assert isinstance(body, ToolCall | ToolResult)
        assert body.call_id == line["call_id"]
        if isinstance(body, ToolResult):
            failed = line["state"] in (ToolState.OUTPUT_ERROR, ToolState.OUTPUT_DENIED)
            assert not failed or body.ok is False
            continue
        assert body.canonical_name == (line["canonical_name"] or line["provider_name"])
        assert body.provider_name == line["provider_name"]
        if line["kind"] in _SHARED and body.canonical_name in reader.tool_kinds:
            # A patch that adds one file may count as writing it.
            changes = body.kind in _CHANGES and line["kind"] in _CHANGES
            assert changes or body.kind == line["kind"]
    assert seen > 0


def test_the_command_writes_lines_that_are_recognised():
    log = sample_sessions_dir() / "claude_code" / "tools.jsonl"
    command = [sys.executable, "-m", "agentview", "events", "--happy", str(log)]
    done = subprocess.run(command, capture_output=True, check=True)
    found = recognise(done.stdout[:65_536], log)
    assert found is not None
    assert found.name == "happier"
    for line in done.stdout.splitlines():
        payload = orjson.loads(line)["payload"]
        told = payload.get("input", payload.get("output"))
        assert set(told["_happy"]) == {
            "v",
            "protocol",
            "provider",
            "rawToolName",
            "canonicalToolName",
        }
        assert "_raw" in told


def test_a_large_value_is_cut():
    assert cut("x" * (RAW_CHARS + 1)) == "x" * RAW_CHARS + "…"
    assert len(cut(list(range(RAW_ITEMS + 9)))) == RAW_ITEMS  # pyright: ignore[reportArgumentType]
    deep: object = "end"
    for _ in range(RAW_DEPTH + 500):
        deep = [deep]
    assert orjson.dumps(cut(deep)).count(b"[") == RAW_DEPTH
    assert cut({"a": 1, "b": None}) == {"a": 1, "b": None}


def happy(path: Path) -> list[dict[str, Any]]:
    """The envelopes of a log."""
    provider = recognise(path.read_bytes()[:65_536], path)
    assert provider is not None
    form, made = JoinedLines(provider), HappyLines()
    printed = SessionFeed(provider, provider.discovery.ref(path), form, subagents=False).read()
    return [orjson.loads(to_json_line(each)) for line in printed for each in made.envelopes(line)]


def trace(path: Path, *payloads: dict[str, object], provider: str = "opencode") -> Path:
    """A trace of one agent with these payloads."""
    records = [
        {
            "v": 1,
            "ts": 1769335045695 + number,
            "direction": "outbound",
            "sessionId": "s1",
            "protocol": "acp",
            "provider": provider,
            "kind": payload["type"],
            "payload": payload,
        }
        for number, payload in enumerate(payloads)
    ]
    path.write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in records))
    return path


def call(call_id: str, name: str, **fields: object) -> dict[str, object]:
    return {"type": "tool-call", "callId": call_id, "name": name, "input": fields, "id": "i"}


def test_agent_and_protocol_are_those_of_the_trace():
    path = sample_sessions_dir() / "happier" / "demo.jsonl"
    records = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    told = {
        each["payload"].get("callId") or each["payload"].get("id"): each
        for each in records
        if each["kind"] == "tool-call"
    }
    found = happy(path)
    assert len({(each["provider"], each["protocol"]) for each in found}) > 3
    for each in found:
        payload = each["payload"]
        own = payload.get("input", payload.get("output"))["_happy"]
        record = told.get(payload["callId"])
        if record is not None:
            names = {"protocol": record["protocol"], "provider": record["provider"]}
            assert {key: each[key] for key in names} == {key: own[key] for key in names} == names


@pytest.mark.parametrize(
    ("name", "agent", "protocol"),
    [
        ("claude_code/tools", "claude", "claude"),
        ("codex/demo", "codex", "codex"),
        ("gemini_cli/demo", "gemini", "acp"),
    ],
)
def test_logs_of_clients_are_named_as_others_name_them(name: str, agent: str, protocol: str):
    found = happy(sample_sessions_dir() / f"{name}.jsonl")
    assert {(each["provider"], each["protocol"]) for each in found} == {(agent, protocol)}


def test_the_words_of_a_failure_may_be_a_message(tmp_path: Path):
    failure = {"ok": False, "message": "boom failed"}
    result: dict[str, object] = {"type": "tool-result", "callId": "c1", "output": failure}
    path = trace(tmp_path / "t.jsonl", call("c1", "execute", command="false"), result)
    _, answered = happy(path)
    output = answered["payload"]["output"]
    assert output["errorMessage"] == "boom failed"
    assert output["_raw"] == failure


def test_a_text_is_its_own_raw_form(tmp_path: Path):
    result: dict[str, object] = {"type": "tool-result", "callId": "c1", "output": "done"}
    path = trace(tmp_path / "t.jsonl", call("c1", "execute", command="true"), result)
    assert happy(path)[1]["payload"]["output"]["_raw"] == "done"


PLACES = [{"path": "/w/a.py"}]
TODOS = [{"content": "Look", "status": "pending"}]
SHAPES = {
    "a file in the locations": (
        call("read_file-1", "read", locations=PLACES, _acp={"kind": "read", "rawInput": []}),
        ("Read", "file_path", "/w/a.py"),
    ),
    "an own tool over a server": (
        call("c1", "mcp__happy__change_title", title="Sums"),
        ("change_title", "title", "Sums"),
    ),
    "a name that is the id": (
        call("call_5d96", "call_5d96", todos=TODOS),
        ("TodoWrite", "todos", TODOS),
    ),
    "no name": (call("call_5d97", "other", todos=TODOS), ("TodoWrite", "todos", TODOS)),
    "todos over write": (
        call("write_todos-1", "write", todos=TODOS),
        ("TodoWrite", "todos", TODOS),
    ),
    "a task": (
        call("c2", "Task", description="Count", prompt="Count"),
        ("Task", "operation", "run"),
    ),
    "a task that is made": (
        call("c3", "TaskCreate", subject="Count"),
        ("Task", "operation", "create"),
    ),
}


@pytest.mark.parametrize("what", SHAPES)
def test_arguments_have_the_names_that_readers_know(what: str, tmp_path: Path):
    payload, (name, key, value) = SHAPES[what]
    (made,) = happy(trace(tmp_path / "t.jsonl", payload))
    assert made["payload"]["name"] == name
    assert made["payload"]["input"][key] == value
    assert made["payload"]["input"]["_raw"] == payload["input"]


def test_an_envelope_that_is_read_and_written_stays_the_same(tmp_path: Path):
    first = happy(sample_sessions_dir() / "claude_code" / "tools.jsonl")
    path = tmp_path / "again.jsonl"
    path.write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in first))
    again = happy(path)
    assert [each["payload"].get("input") for each in again] == [
        each["payload"].get("input") for each in first
    ]
