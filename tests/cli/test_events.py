"""`agentview events`: what is on its lines, and that the lines are always the same."""

import json
import subprocess
import time
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, Self

import pytest
from jsonschema import Draft202012Validator

from agentview.paths import sample_sessions_dir
from agentview.providers import HEAD_BYTES, recognise
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine, Printed

SAMPLES = [
    path
    for path in sorted(sample_sessions_dir().rglob("*.jsonl"))
    if recognise(path.read_bytes()[:HEAD_BYTES], path) is not None
]
BOM = b"\xef\xbb\xbf"


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def shown(text: str) -> list[dict[str, Any]]:
    """The events that say something to a reader."""
    return [event for event in events(text) if event["type"] not in ("hidden", "token_usage")]


class Validator:
    """What the schema says of a line."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._validator: Any = Draft202012Validator(schema)

    def errors(self, event: object) -> list[str]:
        return [error.message for error in self._validator.iter_errors(event)]


def place(event: dict[str, Any]) -> tuple[str, int, int]:
    source = event["source"]
    return source["file"], source["offset"], source["length"]


@pytest.fixture(scope="module")
def validators() -> dict[str, Validator]:
    """A validator for each type of line, and the whole schema under an empty name."""
    done = subprocess.run(
        CommandLine(Path.cwd(), Path.cwd()).command("events", "--schema"),
        capture_output=True,
        check=True,
    )
    schema = json.loads(done.stdout)
    Draft202012Validator.check_schema(schema)
    found = {"": Validator(schema)}
    for reference in schema["oneOf"]:
        name = reference["$ref"].removeprefix("#/$defs/")
        line = schema["$defs"][name]
        kind = line["properties"]["type"]["const"]
        found[kind] = Validator({"$defs": schema["$defs"], **line})
    return found


def test_the_schema_has_a_type_for_every_line_and_is_strict(
    validators: dict[str, Validator],
):
    assert {"tool_call", "tool_result", "user", "message", "hidden", "unparsed"} <= set(validators)
    for kind, validator in validators.items():
        assert validator.errors({"v": 1, "type": kind})
        assert validator.errors({})


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_line_of_a_sample_is_of_the_schema_and_every_record_in_a_line(
    printed: Printed, validators: dict[str, Validator], path: Path
):
    found = events(printed("events", "--no-subagents", str(path)))
    for event in found:
        assert validators[event["type"]].errors(event) == []
    assert validators[""].errors(found[0]) == []
    data = path.read_bytes()
    covered = sorted({place(event)[1:] for event in found})
    lines = {event["source"]["line"] for event in found}
    position = 0
    for offset, length in covered:
        assert data[position:offset].strip() in (b"", BOM)
        position = max(position, offset + length)
    assert data[position:].strip() == b""
    assert len(lines) <= len([line for line in data.split(b"\n") if line.strip()])
    for event in found:
        _, offset, _ = place(event)
        assert event["source"]["line"] == data[:offset].count(b"\n") + 1


def test_it_is_the_same_on_each_run_and_from_a_pipe(agentview: CommandLine, tmp_path: Path):
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 5))
    once = agentview.ok("events", str(path))
    assert agentview.ok("events", str(path)) == once
    piped = agentview.ok("events", "-", stdin=path.read_bytes())
    assert piped.replace('"file":"-"', f'"file":"{path}"') == once


def test_a_call_and_its_result_are_two_lines_that_know_the_tool(
    agentview: CommandLine, tmp_path: Path
):
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 1))
    found = events(agentview.ok("events", str(path)))
    call = next(event for event in found if event["type"] == "tool_call")
    result = next(event for event in found if event["type"] == "tool_result")
    assert call["kind"] == result["kind"] == "shell"
    assert call["call_id"] == result["call_id"] == "toolu_0"
    assert call["provider_name"] == result["provider_name"] == "Bash"
    assert call["state"] == "input-available"
    assert call["args"] == {"command": "echo 0", "description": "Say it"}
    assert json.loads(call["args_json"]) == call["args"]
    assert call["payload"]["type"] == "shell"
    assert call["payload"]["command"] == "echo 0"
    assert call["result"] is None
    assert result["state"] == "output-available"
    assert result["result"]["type"] == "shell"
    assert result["result"]["stdout"].startswith("línea 0 ✅")
    assert result["time"] == "2026-11-21T10:00:03.000Z"


def test_a_result_before_its_call_is_joined_too(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    prompt, call = log.prompt("Go"), log.call("toolu_1", "Bash", command="true")
    result, answer = log.result("toolu_1", "done"), log.text("Done.")
    path = write(tmp_path / "log.jsonl", [prompt, result, answer, call])
    found = shown(agentview.ok("events", str(path)))
    kinds = [event["type"] for event in found if event["type"].startswith("tool_")]
    assert kinds == ["tool_call", "tool_result"]
    assert found[-1]["kind"] == "shell"
    assert found[-1]["source"]["line"] == 2


def test_a_result_without_a_call_has_no_kind(
    agentview: CommandLine, validators: dict[str, Validator], tmp_path: Path
):
    log = ClaudeLog()
    path = write(tmp_path / "log.jsonl", [log.prompt("Go"), log.result("toolu_x", "done")])
    last = events(agentview.ok("events", str(path)))[-1]
    assert (last["type"], last["kind"], last["call_id"]) == ("tool_result", None, "toolu_x")
    assert last["state"] == "output-available"
    assert last["output"] == [{"type": "text", "text": "done"}]
    assert validators["tool_result"].errors(last) == []


def test_what_no_encoding_has_comes_out_as_valid_json(
    agentview: CommandLine, validators: dict[str, Validator], tmp_path: Path
):
    log = ClaudeLog()
    record = log.prompt("@").replace(b'"@"', rb'"lone \ud83d surrogate \u0000 \u001b[2J"')
    call = log.call("c", "Mystery", n=1).replace(b'"n": 1', b'"n": 123456789012345678901234567890')
    path = write(tmp_path / "log.jsonl", [record, call])
    output = agentview.ok("events", str(path))
    assert "\x1b" not in output
    found = shown(output)
    assert found[0]["text"] == "lone \ufffd surrogate \x00 \x1b[2J"
    assert "123456789012345678901234567890" in found[1]["args_json"]
    assert [validators[event["type"]].errors(event) for event in found] == [[], []]


def test_damage_is_told_with_its_place(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    before, after = log.prompt("One"), log.prompt("Two")
    path = write(tmp_path / "log.jsonl", [before, b'{"half": \xff\n', b"\r\n\n", after, b'{"to'])
    found = shown(agentview.ok("events", str(path)))
    assert [event["type"] for event in found] == ["user", "unparsed", "user", "unparsed"]
    assert [event["source"]["line"] for event in found] == [1, 2, 5, 6]
    assert found[1]["source"]["offset"] == len(before)
    assert found[3]["excerpt"] == '{"to'


def test_agents_of_the_session_are_included_unless_left_out(agentview: CommandLine, tmp_path: Path):
    path = write(tmp_path / f"{SESSION}.jsonl", conversation(ClaudeLog(), 1))
    agent = conversation(ClaudeLog(agent="a1"), 1)
    write(tmp_path / SESSION / "subagents" / "agent-a1.jsonl", agent)
    found = events(agentview.ok("events", str(path)))
    streams = [event["stream"] for event in found]
    assert {"kind": "subagent", "id": "a1"} in streams
    assert [s["kind"] for s in streams] == sorted(s["kind"] for s in streams)
    alone = events(agentview.ok("events", "--no-subagents", str(path)))
    assert alone == [event for event in found if event["stream"]["kind"] == "main"]


def test_an_oversize_record_is_named_and_its_neighbours_are_whole(
    agentview: CommandLine, tmp_path: Path
):
    log = ClaudeLog()
    records = [log.prompt("Before"), log.prompt("x" * (17 << 20)), log.prompt("After")]
    path = write(tmp_path / "log.jsonl", records)
    found = shown(agentview.ok("events", str(path)))
    assert [event["type"] for event in found] == ["user", "unparsed", "user"]
    assert place(found[1])[1:] == (len(records[0]), len(records[1]) - 1)
    assert (found[0]["text"], found[2]["text"]) == ("Before", "After")


class Follower:
    """`agentview events --follow` while a test writes."""

    def __init__(self, agentview: CommandLine, *arguments: str) -> None:
        self.process = subprocess.Popen(
            agentview.command("events", "--follow", *arguments),
            stdout=subprocess.PIPE,
            cwd=agentview.cwd,
            env=agentview.environment,
        )
        self._lines: Queue[bytes] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()
        self.seen: list[dict[str, Any]] = []

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def take(self, count: int) -> list[dict[str, Any]]:
        """The next `count` events; waits for them."""
        new = [json.loads(self._lines.get(timeout=10)) for _ in range(count)]
        self.seen += new
        return new

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(timeout=10)
        self._reader.join(timeout=10)


def test_following_gives_the_events_of_the_whole_file_however_it_is_cut(
    agentview: CommandLine, tmp_path: Path
):
    records = conversation(ClaudeLog(), 6)
    data = b"".join(records)
    whole = events(agentview.ok("events", str(write(tmp_path / "log.jsonl", records))))
    path = write(tmp_path / "log.jsonl", [records[0]])
    first = len([event for event in whole if event["source"]["line"] == 1])
    position = len(records[0])
    with Follower(agentview, str(path)) as follower, path.open("ab", buffering=0) as file:
        follower.take(first)
        # Cuts in the middle of records and of characters.
        for step in (1, 97, 7, 501, 3, 64, 1024, len(data)):
            file.write(data[position : position + step])
            position += step
            time.sleep(0.02)
        follower.take(len(whole) - first)
    assert follower.seen == whole


def test_following_tells_that_a_file_was_replaced(
    agentview: CommandLine, validators: dict[str, Validator], tmp_path: Path
):
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 2))
    total = len(agentview.ok("events", str(path)).splitlines())
    with Follower(agentview, str(path)) as follower:
        follower.take(total)
        other = write(tmp_path / "other", [ClaudeLog().prompt("Anew")])
        other.replace(path)
        reset, first = follower.take(2)
    assert (reset["type"], reset["source"]["file"]) == ("reset", str(path))
    assert validators["reset"].errors(reset) == []
    assert (first["text"], first["source"]["line"]) == ("Anew", 1)


def test_following_finds_agents_that_start_later(agentview: CommandLine, tmp_path: Path):
    path = write(tmp_path / f"{SESSION}.jsonl", [ClaudeLog().text("Go")])
    log = ClaudeLog(agent="a1")
    with Follower(agentview, str(path)) as follower:
        follower.take(2)
        child = write(tmp_path / SESSION / "subagents" / "agent-a1.jsonl", [log.text("Looking.")])
        first, _ = follower.take(2)
        with child.open("ab") as file:
            file.write(log.text("Found it."))
        second, _ = follower.take(2)
    assert first["stream"] == second["stream"] == {"kind": "subagent", "id": "a1"}
    assert (first["text"], second["text"]) == ("Looking.", "Found it.")
