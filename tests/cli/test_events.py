"""`agentview events`: what is on its lines, and that the lines are always the same."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agentview.api import line_schema, validate_line
from agentview.providers import load_provider, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.reports.export.encoding import to_json_line
from agentview.reports.export.joined import JoinedLines
from agentview.reports.export.log_feed import LogFeed, SessionFeed
from agentview.sources.line_splitter import cut_lines
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine, Printed
from tests.cli.follower import Follower, latest

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


def validate(event: dict[str, Any]) -> None:
    """Raises pydantic.ValidationError for what is no line."""
    validate_line(json.dumps(event))


def place(event: dict[str, Any]) -> tuple[str, int, int]:
    """Where the record of a line is: its only one, or its first one."""
    source = event["source"] if "source" in event else event["records"][0]
    return source["file"], source["offset"], source["length"]


def assert_covered(data: bytes, places: list[tuple[int, int]]) -> None:
    """Nothing but white space is between the records."""
    position = 0
    for offset, length in sorted(set(places)):
        assert data[position:offset].strip() in (b"", BOM)
        position = max(position, offset + length)
    assert data[position:].strip() == b""


def test_the_schema_is_that_of_the_models(printed: Printed):
    schema = json.loads(printed("events", "--schema"))
    assert schema == line_schema()
    Draft202012Validator.check_schema(schema)


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_record_of_a_sample_is_in_a_line_of_its_own(printed: Printed, path: Path):
    found = events(printed("events", "--no-subagents", "--records", str(path)))
    for event in found:
        validate(event)
    data = path.read_bytes()
    assert_covered(data, [place(event)[1:] for event in found])
    for event in found:
        _, offset, _ = place(event)
        assert event["source"]["line"] == data[:offset].count(b"\n") + 1


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_record_of_a_sample_is_part_of_a_joined_line(printed: Printed, path: Path):
    found = events(printed("events", "--no-subagents", "--all", str(path)))
    for event in found:
        validate(event)
        assert event["revision"] == 1
        assert (event["status"] == "active") <= ("replaced_by" not in event)
    data = path.read_bytes()
    places = [record for event in found for record in event["records"]]
    assert_covered(data, [(record["offset"], record["length"]) for record in places])
    for record in places:
        assert record["line"] == data[: record["offset"]].count(b"\n") + 1
    ids = [event["id"] for event in found]
    assert len(ids) == len(set(ids))
    # What does not count is left out, and nothing else.
    active = [event for event in found if event["status"] == "active"]
    assert events(printed("events", "--no-subagents", str(path))) == active


@pytest.mark.slow
def test_it_is_the_same_on_each_run_and_from_a_pipe(agentview: CommandLine, tmp_path: Path):
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 5))
    once = agentview.ok("events", str(path))
    assert agentview.ok("events", str(path)) == once
    piped = agentview.ok("events", "-", stdin=path.read_bytes())
    assert piped.replace('"file":"-"', f'"file":"{path}"') == once


def test_a_call_is_one_line_with_its_result(agentview: CommandLine, tmp_path: Path):
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 1))
    found = events(agentview.ok("events", str(path)))
    assert [event["type"] for event in found].count("tool_result") == 0
    (call,) = [event for event in found if event["type"] == "tool_call"]
    assert call["kind"] == "shell"
    assert call["call_id"] == "toolu_0"
    assert call["provider_name"] == "Bash"
    assert call["args"] == {"command": "echo 0", "description": "Say it"}
    assert json.loads(call["args_json"]) == call["args"]
    assert call["payload"]["type"] == "shell"
    assert call["payload"]["command"] == "echo 0"
    assert call["state"] == "output-available"
    assert call["result"]["type"] == "shell"
    assert call["result"]["stdout"].startswith("línea 0 ✅")
    assert call["ended"] == "2026-11-21T10:00:03.000Z"
    assert call["duration"] == 1.0
    data = path.read_bytes().splitlines()
    numbers: list[int] = [record["line"] for record in call["records"]]
    assert len(numbers) == 2
    assert all(b"toolu_0" in data[number - 1] for number in numbers)


def test_records_are_printed_as_they_were_read(agentview: CommandLine, tmp_path: Path):
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 1))
    found = events(agentview.ok("events", "--records", str(path)))
    call = next(event for event in found if event["type"] == "tool_call")
    result = next(event for event in found if event["type"] == "tool_result")
    assert call["state"] == "input-available"
    assert call["result"] is None
    assert call["kind"] == result["kind"] == "shell"
    assert call["provider_name"] == result["provider_name"] == "Bash"
    assert result["state"] == "output-available"
    assert result["time"] == "2026-11-21T10:00:03.000Z"


@pytest.mark.slow
def test_a_result_before_its_call_is_joined_too(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    prompt, call = log.prompt("Go"), log.call("toolu_1", "Bash", command="true")
    result, answer = log.result("toolu_1", "done"), log.text("Done.")
    path = write(tmp_path / "log.jsonl", [prompt, result, answer, call])
    found = shown(agentview.ok("events", str(path)))
    assert [event["type"] for event in found] == ["user", "message", "tool_call"]
    assert found[-1]["state"] == "output-available"
    assert [record["line"] for record in found[-1]["records"]] == [2, 4]
    records = shown(agentview.ok("events", "--records", str(path)))
    assert [event["type"] for event in records][-2:] == ["tool_call", "tool_result"]
    assert records[-1]["kind"] == "shell"
    assert records[-1]["source"]["line"] == 2


@pytest.mark.slow
def test_a_result_without_a_call_has_no_kind(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    path = write(tmp_path / "log.jsonl", [log.prompt("Go"), log.result("toolu_x", "done")])
    for options in ((), ("--records",)):
        last = events(agentview.ok("events", *options, str(path)))[-1]
        assert (last["type"], last["kind"], last["call_id"]) == ("tool_result", None, "toolu_x")
        assert last["state"] == "output-available"
        assert last["output"] == [{"type": "text", "text": "done"}]
        validate(last)


def test_what_does_not_count_says_why_and_what_does(agentview: CommandLine, tmp_path: Path):
    path = sample_sessions_dir() / "gemini_cli" / "history.jsonl"
    found = events(agentview.ok("events", "--all", str(path)))
    assert {event["status"] for event in found} >= {"active", "abandoned"}
    ids = {event["id"] for event in found if event["status"] == "active"}
    for event in found:
        assert event["status"] != "superseded" or event["replaced_by"] in ids


def test_what_no_encoding_has_comes_out_as_valid_json(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    record = log.prompt("@").replace(b'"@"', rb'"lone \ud83d surrogate \u0000 \u001b[2J"')
    call = log.call("c", "Mystery", n=1).replace(b'"n": 1', b'"n": 123456789012345678901234567890')
    path = write(tmp_path / "log.jsonl", [record, call])
    output = agentview.ok("events", str(path))
    assert "\x1b" not in output
    found = shown(output)
    assert found[0]["text"] == "lone \ufffd surrogate \x00 \x1b[2J"
    assert "123456789012345678901234567890" in found[1]["args_json"]
    for event in found:
        validate(event)


def test_damage_is_told_with_its_place(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    before, after = log.prompt("One"), log.prompt("Two")
    path = write(tmp_path / "log.jsonl", [before, b'{"half": \xff\n', b"\r\n\n", after, b'{"to'])
    found = shown(agentview.ok("events", str(path)))
    assert [event["type"] for event in found] == ["user", "unparsed", "user", "unparsed"]
    assert [event["records"][0]["line"] for event in found] == [1, 2, 5, 6]
    assert found[1]["records"][0]["offset"] == len(before)
    assert found[3]["excerpt"] == '{"to'


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_what_cannot_be_read_is_abandoned_with_its_branch(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    first, broken, second = log.prompt("One"), log.prompt("Two"), log.prompt("Three")
    record = json.loads(broken)
    del record["message"]
    again = json.loads(second) | {"parentUuid": None}
    lines = [json.dumps(each).encode() + b"\n" for each in (record, again)]
    path = write(tmp_path / "log.jsonl", [first, *lines, log.text("Answered")])
    found = shown(agentview.ok("events", "--all", str(path)))
    assert [(each["type"], each["status"]) for each in found] == [
        ("user", "abandoned"),
        ("unparsed", "abandoned"),
        ("user", "active"),
        ("message", "active"),
    ]
    rows = agentview.ok("cat", "--detail", "title", "--plain", "--no-pager", str(path))
    assert len(rows.splitlines()) == 3


def take_until(follower: Follower, whole: list[dict[str, Any]]) -> None:
    """Read lines until they come to those of the whole log."""
    wanted = {event["id"]: event for event in whole}
    while latest(follower.seen) != wanted:
        follower.take(1)


@pytest.mark.slow
def test_following_comes_to_the_lines_of_the_whole_file_however_it_is_cut(
    agentview: CommandLine, tmp_path: Path
):
    records = conversation(ClaudeLog(), 6)
    data = b"".join(records)
    whole = events(agentview.ok("events", str(write(tmp_path / "log.jsonl", records))))
    path = write(tmp_path / "log.jsonl", [records[0]])
    position = len(records[0])
    with Follower(agentview, str(path)) as follower, path.open("ab", buffering=0) as file:
        follower.take(1)
        # Cuts in the middle of records and of characters.
        for step in (1, 97, 7, 501, 3, 64, 1024, len(data)):
            file.write(data[position : position + step])
            position += step
            time.sleep(0.02)
        take_until(follower, whole)


GROWING = (
    "claude_stream/demo",
    "claude_code/progress",
    "codex/events",
    "codex/compaction",
    "gemini_cli/history",
    "acp/demo",
    "pydantic_ai/demo",
    "cursor/demo",
)


@pytest.mark.parametrize("name", GROWING)
def test_a_log_that_grows_by_lines_comes_to_the_lines_of_the_whole_file(name: str, tmp_path: Path):
    sample = sample_sessions_dir() / f"{name}.jsonl"
    provider = load_provider(name.partition("/")[0])
    records = sample.read_bytes().splitlines(keepends=True)
    path = write(tmp_path / sample.name, records)
    ref = provider.discovery.ref(path)
    whole = [*SessionFeed(provider, ref, JoinedLines(provider), subagents=False).read()]
    path.write_bytes(b"")
    form = JoinedLines(provider, follow=True)
    feed = LogFeed(provider, ref, form)
    printed: list[dict[str, Any]] = []
    for record in records:
        with path.open("ab") as file:
            file.write(record)
        for line in (*feed.poll(), *form.release()):
            printed = [] if line["type"] == "reset" else [*printed, line]
    found = latest([json.loads(to_json_line(line)) for line in printed])
    assert found == {str(line["id"]): json.loads(to_json_line(line)) for line in whole}


def test_only_records_of_printed_lines_are_decoded_again():
    sample = sample_sessions_dir() / "codex" / "events.jsonl"
    provider = load_provider("codex")
    ref = provider.discovery.ref(sample)
    lines = cut_lines(sample.read_bytes(), 0, 0)
    found: dict[bool, list[dict[str, Any]]] = {}
    decoded: dict[bool, int] = {}
    for every in (False, True):
        form = JoinedLines(provider, every=every)
        log = form.log(ref)
        assert [*log.take([(line, None) for line in lines])] == []
        found[every], decoded[every] = [*form.release()], log.store.decoded
    assert found[False] == [line for line in found[True] if line["status"] == "active"]
    places = {place["offset"] for line in found[False] for place in line["records"]}
    assert decoded[False] == len(places) < decoded[True] == len(lines)


def test_what_reads_a_session_once_imports_nothing_that_follows_one(
    agentview: CommandLine, tmp_path: Path
):
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 1))
    script = "import sys; from agentview.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", script, "events", str(path)],
        env=agentview.environment, cwd=agentview.cwd, capture_output=True, text=True, check=True,
    )  # fmt: skip
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.stdout.count("\n") == len(agentview.ok("events", str(path)).splitlines()) > 0
    assert "agentview.reports.export.joined" in imported
    assert not imported & {"asyncio", "agentview.sources.watch.watcher"}


def test_a_line_that_changes_has_the_same_id_and_the_next_revision(
    agentview: CommandLine, tmp_path: Path
):
    log = ClaudeLog()
    path = write(tmp_path / "log.jsonl", [log.call("toolu_1", "Bash", command="sleep 1")])
    with Follower(agentview, str(path)) as follower:
        call = next(line for line in follower.take(2) if line["type"] == "tool_call")
        with path.open("ab") as file:
            file.write(log.result("toolu_1", "done"))
        (answered,) = follower.take(1)
    assert (call["revision"], call["state"]) == (1, "input-available")
    assert (answered["revision"], answered["state"]) == (2, "output-available")
    assert answered["id"] == call["id"]
    assert len(answered["records"]) == 2


@pytest.mark.slow
def test_following_tells_that_a_file_was_replaced(agentview: CommandLine, tmp_path: Path):
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 2))
    total = len(agentview.ok("events", str(path)).splitlines())
    with Follower(agentview, str(path)) as follower:
        follower.take(total)
        other = write(tmp_path / "other", [ClaudeLog().prompt("Anew")])
        other.replace(path)
        reset, first = follower.take(2)
    assert (reset["type"], reset["source"]["file"]) == ("reset", str(path))
    validate(reset)
    assert (first["text"], first["revision"]) == ("Anew", 1)
    assert first["records"][0]["line"] == 1


def test_following_finds_agents_that_start_later(agentview: CommandLine, tmp_path: Path):
    path = write(tmp_path / f"{SESSION}.jsonl", [ClaudeLog().text("Go")])
    log = ClaudeLog(agent="a1")
    with Follower(agentview, str(path)) as follower:
        follower.take(2)
        child = write(tmp_path / SESSION / "subagents" / "agent-a1.jsonl", [log.text("Looking.")])
        first = follower.take(2)
        with child.open("ab") as file:
            file.write(log.text("Found it."))
        second = follower.take(2)
    for lines, said in ((first, "Looking."), (second, "Found it.")):
        assert [line["stream"] for line in lines] == [{"kind": "subagent", "id": "a1"}] * 2
        assert said in {line.get("text") for line in lines}


@pytest.mark.slow
def test_a_pipe_is_read_to_its_end_unless_it_is_followed(agentview: CommandLine):
    data = b"".join(conversation(ClaudeLog(), 2))
    whole = events(agentview.ok("events", "-", stdin=data))
    assert {event["revision"] for event in whole} == {1}
    assert {event["records"][0]["file"] for event in whole} == {"-"}
    followed = events(agentview.ok("events", "--follow", "-", stdin=data))
    assert latest(followed) == {event["id"]: event for event in whole}
    records = events(agentview.ok("events", "--records", "-", stdin=data))
    assert {event["source"]["file"] for event in records} == {"-"}


@pytest.mark.slow
@pytest.mark.parametrize("depth", [500, 100_000])
def test_deep_arguments_are_printed(agentview: CommandLine, tmp_path: Path, depth: int):
    log = ClaudeLog()
    deep = "[" * depth + "]" * depth
    call = log.call("t1", "mcp__a__b", value="DEEP").replace(b'"DEEP"', deep.encode())
    records = [log.prompt("Go"), call, log.result("t1", "done"), log.text("So it is.")]
    path = str(write(tmp_path / "log.jsonl", records))
    for options in ((), ("--records",), ("--all",)):
        lines = [json.loads(line) for line in agentview.ok("events", path, *options).splitlines()]
        texts = [line["text"] for line in lines if line["type"] in ("user", "message")]
        assert texts == ["Go", "So it is."]
    agentview.ok("events", path, "--happy")
    assert "So it is." in agentview.ok("cat", path, "--raw")
    for command in ("stats", "diff", "doctor"):
        agentview.ok(command, path, "--json")


@pytest.mark.slow
@pytest.mark.parametrize("form", [(), ("--records",), ("--all",)])
def test_a_period_has_what_happened_in_it(
    agentview: CommandLine, tmp_path: Path, form: tuple[str, ...]
):
    log = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 3))
    bound = "2026-11-21T10:00:05Z"
    whole = events(agentview.ok("events", str(log), *form))
    early = events(agentview.ok("events", str(log), *form, "--before", bound))
    late = events(agentview.ok("events", str(log), *form, "--after", bound))
    assert early
    assert late
    by_id = sorted(whole, key=lambda line: line["id"])
    assert sorted([*early, *late], key=lambda line: line["id"]) == by_id
    assert max(line["time"] for line in early) < min(line["time"] for line in late)


@pytest.mark.slow
def test_a_period_of_all_sessions_keeps_cursors(agentview: CommandLine, projects: Path):
    lines = events(agentview.ok("events", "@all", "--before", "2026-11-21T10:00:03Z"))
    assert lines[-1]["type"] == "cursor"
    times = [line["time"] for line in lines if line["type"] != "cursor"]
    assert times
    assert all(time < "2026-11-21T10:00:03" for time in times)
    refused = agentview("events", "@all", "--format", "otlp", "--after", "2h")
    assert refused.returncode == 2
    assert "--after is for the format jsonl." in refused.stderr
