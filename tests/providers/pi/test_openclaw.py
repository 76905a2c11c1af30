"""OpenClaw: rows that are packed, agents, calls within calls, tokens, places."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Event, Notification, ToolResult, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import ShellAction, ShellPayload
from agentview.domain.tool_results import PathsResult, ReadResult, ShellResult
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers import load_provider
from agentview.sources.line_splitter import Line
from agentview.sources.lines import LineReader
from agentview.sources.unpacking import unpacked_frame
from agentview.system.paths import sample_sessions_dir
from agentview.system.zstd import zstd
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore
from tests.providers.joined_log import calls, joined, shown
from tests.providers.pi.call_count import calls as counted

SAMPLES = sample_sessions_dir() / "openclaw"
DATABASE = SAMPLES / "openclaw-agent.sqlite"
PROVIDER = load_provider("openclaw")
Record = dict[str, Any]


def lines(ref: SessionRef) -> list[Line]:
    reader = LineReader(Path(ref.path))
    found: list[Line] = []
    while items := reader.poll().items:
        found += [item for item in items if isinstance(item, Line)]
    return found


def store_of(own: str, database: Path = DATABASE) -> SessionStore:
    ref = next(ref for ref in PROVIDER.scan(database) if ref.session_id == own)
    store = SessionStore(PROVIDER, ref)
    store.append(reduce_lines(ref, lines(ref)))
    store.finish_indexing()
    return store


def decoded(record: Record) -> list[Event]:
    line = json.dumps(record).encode()
    ref = SessionRef("openclaw", "s", "s.jsonl")
    return PROVIDER.decode(line, SourceRef("x", 0, len(line)), ref)


def test_every_call_is_shown_once():
    with closing(sqlite3.connect(DATABASE)) as connection:
        wanted = counted(connection)
    assert wanted["mock1"] > 30
    for own, count in wanted.items():
        bodies = [each.body for each in shown(store_of(own))]
        ids = [body.call_id for body in bodies if isinstance(body, ToolCall)]
        assert len(ids) == len(set(ids)) == count


def test_tokens_and_cost_are_those_of_all_requests():
    with closing(sqlite3.connect(DATABASE)) as connection:
        rows = connection.execute(
            "SELECT event_json, event_zstd FROM transcript_events WHERE session_id = 'mock1'"
        ).fetchall()
    events: list[Record] = [json.loads(text or zstd.decompress(frame)) for text, frame in rows]
    told: list[Record] = [each["message"] for each in events if "message" in each]
    usages: list[Record] = [each["usage"] for each in told if "usage" in each]
    summary = store_of("mock1").summary
    assert summary.tokens["input_uncached"] == sum(each["input"] for each in usages)
    assert summary.tokens["input_cached"] == sum(each["cacheRead"] for each in usages)
    assert summary.tokens["output"] == sum(each["output"] for each in usages)
    assert abs((summary.cost or 0) - sum(each["cost"]["total"] for each in usages)) < 1e-9


def test_a_packed_row_says_that_it_was_packed():
    ref = next(ref for ref in PROVIDER.scan(DATABASE) if ref.session_id == "mock1")
    rows: list[Record] = [json.loads(line.data or b"") for line in lines(ref)]
    with closing(sqlite3.connect(DATABASE)) as connection:
        (packed,) = connection.execute(
            "SELECT count(*) FROM transcript_events WHERE session_id = 'mock1'"
            " AND event_zstd IS NOT NULL"
        ).fetchone()
    inside = [row["event_zstd"]["zstd"] for row in rows if row.get("event_zstd")]
    assert len(inside) == packed > 5
    assert {entry["type"] for entry in inside} <= {"message", "custom"}
    for row in rows:
        assert not any(isinstance(event.body, Unparsed) for event in decoded(row))


def test_a_frame_that_is_damaged_or_too_large_stays_as_it_is(tmp_path: Path):
    frame = zstd.compress(b'{"type":"session"}' * 1000)
    assert unpacked_frame(frame, 100_000) == b'{"type":"session"}' * 1000
    for data, most in ((frame, 100), (b"plain", 100), (b"", 100)):
        with pytest.raises(ValueError, match=r"frame|zstd|bytes|error"):
            unpacked_frame(data, most)
    copy = tmp_path / DATABASE.name
    shutil.copy(DATABASE, copy)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(
            "UPDATE transcript_events SET event_zstd = ? WHERE event_zstd IS NOT NULL", (b"\x00x",)
        )
        connection.commit()
    bodies = [each.body for each in shown(store_of("mock1", copy))]
    assert sum(isinstance(body, Unparsed) for body in bodies) > 5
    assert any(isinstance(body, ToolCall) for body in bodies)


def test_a_database_of_another_version_is_read_as_far_as_it_is_known(tmp_path: Path):
    copy = tmp_path / DATABASE.name
    shutil.copy(DATABASE, copy)
    with closing(sqlite3.connect(copy)) as connection:
        for column in ("created_at", "status", "spawned_by", "model"):
            connection.execute(f"ALTER TABLE session_windows DROP COLUMN {column}")
        connection.commit()
    assert calls(store_of("mock1", copy)) == calls(store_of("mock1"))


def test_every_tool_has_its_kind_and_result():
    found = calls(store_of("mock1"))
    unknown = {call.provider_name for call in found.values() if call.kind is ToolKind.UNKNOWN}
    assert unknown == set()
    shells = [call.result for call in found.values() if isinstance(call.result, ShellResult)]
    assert {0, 3, 7} <= {each.exit_code for each in shells}
    assert sum(each.timed_out for each in shells) == 1
    assert not any("Command exited" in (each.output or "") for each in shells)
    failed = {
        call.result.exit_code
        for call in found.values()
        if isinstance(call.result, ShellResult) and call.state is ToolState.OUTPUT_ERROR
    }
    assert {3, 7} <= failed
    (listed,) = [call.result for call in found.values() if isinstance(call.result, PathsResult)]
    assert ".git/" in listed.paths
    images = [call.result for call in found.values() if isinstance(call.result, ReadResult)]
    assert any(isinstance(block, ImageBlock) for each in images for block in each.media)
    (process,) = [call for call in found.values() if call.provider_name == "process"]
    assert isinstance(process.payload, ShellPayload)
    assert process.payload.action is ShellAction.OUTPUT


def test_a_call_that_another_call_made():
    found = calls(store_of("mock1"))
    made = [call for call in found.values() if call.provider_name == "sessions_spawn"]
    assert [call.via for call in made] == ["tool_call"] * 2
    assert {call.kind for call in made} == {ToolKind.SUBAGENT_TASK}
    assert {call.state for call in made} == {ToolState.OUTPUT_ERROR}
    makers = [call.maker for call in made if call.maker is not None]
    assert [maker.call_id for maker in makers] == [call.made_by for call in made]
    assert {maker.title for maker in makers} == {"sessions_spawn"}


def test_a_result_without_its_call_is_shown():
    bodies = [each.body for each in shown(store_of("mock1"))]
    (orphan,) = [body for body in bodies if isinstance(body, ToolResult)]
    assert orphan.error == "Tool no_such_tool not found"


def test_sessions_of_a_database():
    main, failing = (
        next(ref for ref in PROVIDER.scan(DATABASE) if ref.session_id == own)
        for own in ("mock1", "mock2")
    )
    info = PROVIDER.info(main)
    assert (info.title, info.state) == (
        "Please do the scripted work. [[SCRIPT:tools]]",
        SessionState.YOUR_TURN,
    )
    told = PROVIDER.info(failing)
    assert (told.title, told.state) == ("A failing run", SessionState.FAILED)
    assert told.project == "/home/dev/ws/run/openclaw/errors/repo"
    (child,) = PROVIDER.discovery.children(main)
    assert (child.session_id, child.stream.kind, child.label) == (
        "child1",
        StreamKind.SUBAGENT,
        "Count the lines",
    )
    ends = [each.body for each in shown(store_of("child1")) if isinstance(each.body, Notification)]
    assert [each.text for each in ends] == ["The run was stopped"]
    assert PROVIDER.resume_command(child) is None
    assert PROVIDER.resume_command(main) == (
        "openclaw", "agent", "--session-id", "mock1", "--message",
    )  # fmt: skip


def test_saved_rows_are_read_as_those_of_the_database():
    saved = joined(PROVIDER, SAMPLES / "demo.jsonl")
    assert saved.summary.tokens == store_of("mock2").summary.tokens
    assert PROVIDER.discovery.ref(SAMPLES / "demo.jsonl").session_id == "mock2"
    assert PROVIDER.discovery.probe(b'{"table":"transcript_events","rowid":1}\n', Path("x")) == 0.0


def test_sessions_are_found_in_their_place(tmp_path: Path):
    for home, env in (
        (tmp_path / "a" / ".openclaw", {"HOME": str(tmp_path / "a")}),
        (tmp_path / "b", {"HOME": "/nowhere", "OPENCLAW_STATE_DIR": str(tmp_path / "b")}),
        (tmp_path / "c" / ".moltbot", {"HOME": str(tmp_path / "c")}),
        (tmp_path / "d", {"HOME": "/nowhere", "CLAWDBOT_STATE_DIR": str(tmp_path / "d")}),
    ):
        agent = home / "agents" / "main"
        (agent / "agent").mkdir(parents=True)
        (agent / "sessions").mkdir()
        shutil.copy(DATABASE, agent / "agent" / DATABASE.name)
        # Older versions kept each session in a file of Pi's form.
        shutil.copy(sample_sessions_dir() / "pi" / "demo.jsonl", agent / "sessions" / "x.jsonl")
        (home / "state").mkdir()
        shutil.copy(DATABASE, home / "state" / "openclaw.sqlite")
        root = home / "agents"
        assert root in PROVIDER.discovery.roots(env)
        found = {ref.session_id: ref for ref in PROVIDER.scan(root)}
        older = "01a5c2d4-7b1e-7c3a-9d2e-5f6a7b8c9d01"
        assert set(found) == {"mock1", "mock2", "child1", older}
        assert PROVIDER.info(found[older]).title == "Round the prices of the cart"


def test_a_command_that_runs_on_is_one_row_until_its_exit(tmp_path: Path):
    def told(number: int, **message: Any) -> Record:
        parent = f"m{number - 1}" if number else None
        return {"type": "message", "id": f"m{number}", "parentId": parent, "message": message}

    def asked(number: int, name: str, **arguments: str) -> Record:
        call = {"type": "toolCall", "id": f"c{number}", "name": name, "arguments": arguments}
        return told(number, role="assistant", content=[call])

    def answered(number: int, name: str, text: str, **details: Any) -> Record:
        content = [{"type": "text", "text": text}]
        details |= {"sessionId": "calm-dune"}
        own = {"toolCallId": f"c{number - 1}", "toolName": name, "isError": False}
        return told(number, role="toolResult", content=content, details=details, **own)

    still = "Command still running (session calm-dune, pid 7). Use process (poll) for follow-up."
    records = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/x", "timestamp": "2026-04-09"},
        asked(0, "exec", command="make"),
        answered(1, "exec", still, status="running", tail="one\n"),
        asked(2, "process", action="poll", sessionId="calm-dune"),
        answered(3, "process", "one", status="running", aggregated="one\n"),
        asked(4, "process", action="poll", sessionId="calm-dune"),
        answered(5, "process", "two", status="completed", aggregated="one\ntwo\n", exitCode=3),
    ]
    log = tmp_path / ".openclaw" / "agents" / "main" / "sessions" / "s.jsonl"
    log.parent.mkdir(parents=True)
    for count, (output, code) in (
        (3, ("one\n", None)),
        (5, ("one\n", None)),
        (7, ("one\ntwo\n", 3)),
    ):
        log.write_text("".join(json.dumps(record) + "\n" for record in records[:count]))
        (call,) = calls(joined(PROVIDER, log)).values()
        assert isinstance(call.result, ShellResult)
        assert (call.result.output, call.result.exit_code) == (output, code)
