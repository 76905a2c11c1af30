"""Sessions as they are read from real files that grow, shrink, vanish and come back."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from agentview.domain.activity import RowKind
from agentview.domain.events import Message, Unparsed, User
from agentview.domain.session import SessionRef
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers import load_provider
from agentview.sessions.following.background_index import SMALL
from agentview.sessions.following.latest import newest_sessions
from agentview.sessions.following.live_session import LiveSession
from agentview.sessions.following.log_ingest import TAIL_LINES, LogIngest
from agentview.sessions.following.piped import piped_session
from agentview.sources.line_splitter import Line
from agentview.sources.lines import LineReader
from agentview.sources.pipe import PipeReader
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.header import LogPresence
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.patience import PATIENCE, until

PROVIDER = load_provider("claude_code")


def session_of(path: Path, *, live: bool = True) -> LiveSession:
    return LiveSession(PROVIDER, PROVIDER.discovery.ref(path), live=live)


def picture(store: SessionStore) -> list[tuple[object, ...]]:
    """What stands in the timeline, row by row."""
    return [
        (store.kind(row), store.problem(row), activity.first.id, activity.body)
        for row in range(store.first, store.end)
        if store.shown(row)
        for activity in [store.activity(row)]
    ]


def texts(store: SessionStore) -> list[str]:
    bodies = [entry[3] for entry in picture(store)]
    return [body.text for body in bodies if isinstance(body, User | Message)]


def call_row(store: SessionStore) -> int:
    """The row of the only call."""
    rows = range(store.first, store.end)
    (row,) = (row for row in rows if store.shown(row) and isinstance(store.kind(row), ToolKind))
    return row


def scan(place: Path) -> list[SessionRef]:
    return list(PROVIDER.scan(place))


def lines_of(path: Path) -> list[Line]:
    """All lines by one pass from the beginning."""
    reader = LineReader(path)
    found: list[Line] = []
    more = True
    while more:
        chunk = reader.poll()
        found += [item for item in chunk.items if isinstance(item, Line)]
        more = chunk.more
    return found


async def read_whole(path: Path) -> LiveSession:
    session = session_of(path, live=False)
    session.open()
    session.start()
    await until(lambda: session.store.indexed)
    session.close()
    return session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "-home-dev-shop" / f"{SESSION}.jsonl"


async def test_the_first_prompt_gives_the_title_that_something_else_stood_for(
    tmp_path: Path,
) -> None:
    log = ClaudeLog()
    path = write(tmp_path / f"{SESSION}.jsonl", [log.prompt("<command-name>/init</command-name>")])
    session = session_of(path)
    session.open()
    session.start()
    await until(lambda: session.header().title == "/init")
    with path.open("ab") as file:
        file.write(log.prompt("Count the shelves."))
    await until(lambda: session.header().title == "Count the shelves.")
    session.close()


async def test_the_end_is_there_at_once_and_the_rest_comes_behind_it(path: Path) -> None:
    write(path, conversation(ClaudeLog(), 200))
    session = session_of(path)
    session.open()
    assert len(texts(session.store)) == TAIL_LINES / 2
    last = session.store.activity(session.store.end - 1).body
    assert isinstance(last, Message)
    assert last.text == "Step 199 is done."
    session.start()
    await until(lambda: session.store.indexed)
    session.close()
    assert texts(session.store)[0] == "Step 0: please go on"
    assert len(texts(session.store)) == 400


@pytest.mark.slow
async def test_a_child_process_reads_the_same_as_one_forward_pass(path: Path) -> None:
    write(path, conversation(ClaudeLog(), 400, size=20_000))
    assert path.stat().st_size > SMALL * 3
    session = await read_whole(path)
    forward = LiveSession(PROVIDER, PROVIDER.discovery.ref(path))
    forward.log.take(lines_of(path))
    assert picture(session.store) == picture(forward.store)
    assert session.header().usage == forward.header().usage


WRITER = """
import os, sys, time
data = sys.stdin.buffer.read()
with open(sys.argv[1], "ab", buffering=0) as log:
    for start in range(0, len(data), 4096):
        log.write(data[start:start + 4096])
        time.sleep(0.002)
"""


async def test_a_log_that_another_process_writes_comes_whole_and_once(path: Path) -> None:
    records = conversation(ClaudeLog(), 60, size=1500)
    path.parent.mkdir(parents=True)
    path.touch()
    session = session_of(path)
    session.open()
    session.start()
    writer = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, str(path), stdin=subprocess.PIPE
    )
    await writer.communicate(b"".join(records))
    await until(lambda: len(texts(session.store)) == 120)
    await asyncio.sleep(0.2)
    session.close()
    assert picture(session.store) == picture((await read_whole(path)).store)
    assert texts(session.store)[-1] == "Step 59 is done."


async def test_a_call_runs_until_its_result_is_written(path: Path) -> None:
    log = ClaudeLog()
    write(path, [log.prompt("go"), log.call("toolu_1", "Bash", command="make")])
    session = session_of(path)
    session.open()
    row = call_row(session.store)
    running = session.store.activity(row)
    assert isinstance(running.body, ToolCall)
    assert (running.live, running.body.state) == (True, ToolState.INPUT_AVAILABLE)
    updated: list[int] = []
    session.store.subscribe(lambda change: updated.extend(change.updated))
    session.start()
    with path.open("ab") as file:
        file.write(log.result("toolu_1", "ok", {"stdout": "ok", "stderr": ""}))
    await until(lambda: row in updated)
    session.close()
    done = session.store.activity(row)
    assert isinstance(done.body, ToolCall)
    assert done.body.ok is not False
    assert isinstance(done.body.result, ShellResult)
    assert done.body.result.stdout == "ok"
    assert (done.live, done.duration, len(done.events)) == (False, 1.0, 2)
    assert not session.store.shown(row + 1)


async def test_a_call_that_the_log_passes_over_is_abandoned(path: Path) -> None:
    log = ClaudeLog()
    write(path, [log.prompt("go"), log.call("toolu_1", "Bash", command="make"), log.prompt("stop")])
    session = session_of(path)
    session.open()
    body = session.store.activity(call_row(session.store)).body
    assert isinstance(body, ToolCall)
    assert body.state is ToolState.ABANDONED
    assert not session.store.activity(call_row(session.store)).live


async def test_a_torn_last_line_is_shown_once_when_it_is_whole(path: Path) -> None:
    log = ClaudeLog()
    first, second = log.prompt("go"), log.text("größer ✅")
    cut = second.index("✅".encode()) + 1
    write(path, [first, second[:cut]])
    session = session_of(path)
    session.open()
    assert texts(session.store) == ["go"]
    session.start()
    with path.open("ab") as file:
        file.write(second[cut:])
    await until(lambda: len(texts(session.store)) == 2)
    session.close()
    assert texts(session.store) == ["go", "größer ✅"]


async def test_a_last_record_without_its_newline_is_shown_and_not_doubled(path: Path) -> None:
    log = ClaudeLog()
    write(path, [log.prompt("go"), log.text("done").rstrip(b"\n")])
    session = session_of(path)
    session.open()
    assert texts(session.store) == ["go", "done"]
    session.start()
    with path.open("ab") as file:
        file.write(b"\n" + log.prompt("more"))
    await until(lambda: "more" in texts(session.store))
    session.close()
    assert texts(session.store) == ["go", "done", "more"]


async def test_more_text_behind_a_last_record_costs_that_record_only(path: Path) -> None:
    log = ClaudeLog()
    records = conversation(log, 100)
    write(path, [*records, log.text("done").rstrip(b"\n")])
    session = session_of(path)
    session.open()
    session.start()
    await until(lambda: session.store.indexed and "done" in texts(session.store))
    # A client that begins again does not look whether the last line ended.
    with path.open("ab") as file:
        file.write(log.prompt("glued to it") + log.prompt("more"))
    await until(lambda: "more" in texts(session.store))
    forward = LiveSession(PROVIDER, PROVIDER.discovery.ref(path))
    forward.log.take(lines_of(path))
    assert picture(session.store) == picture(forward.store)
    assert session.log.presence is LogPresence.PRESENT
    session.close()


async def test_a_line_torn_long_ago_is_shown_as_unparsed(path: Path) -> None:
    log = ClaudeLog()
    write(path, [log.prompt("go"), log.text("never ended")[:50]])
    os.utime(path, (1_000_000, 1_000_000))
    session = session_of(path, live=False)
    session.open()
    assert session.store.kind(session.store.end - 1) is RowKind.UNPARSED
    body = session.store.activity(session.store.end - 1).body
    assert isinstance(body, Unparsed)
    assert body.malformed


async def test_a_file_that_is_replaced_is_read_anew(path: Path) -> None:
    write(path, conversation(ClaudeLog(), 5))
    session = session_of(path)
    session.open()
    session.start()
    await until(lambda: session.store.indexed)
    other = write(path.with_suffix(".new"), [ClaudeLog().prompt("another beginning")])
    other.replace(path)
    await until(lambda: texts(session.store) == ["another beginning"])
    session.close()
    assert session.log.presence is LogPresence.REPLACED


async def test_a_file_that_is_cut_is_read_anew(path: Path) -> None:
    records = conversation(ClaudeLog(), 5)
    write(path, records)
    session = session_of(path)
    session.open()
    session.start()
    await until(lambda: session.store.indexed)
    with path.open("r+b") as file:
        file.truncate(len(records[0]))
    await until(lambda: len(texts(session.store)) == 1)
    session.close()


async def test_a_file_that_is_deleted_leaves_what_was_read_until_it_comes_back(path: Path) -> None:
    write(path, conversation(ClaudeLog(), 2))
    session = session_of(path)
    session.open()
    session.start()
    await until(lambda: session.store.indexed)
    path.unlink()
    await until(lambda: session.log.presence is LogPresence.REMOVED)
    assert len(texts(session.store)) == 4
    write(path, [ClaudeLog().prompt("back again")])
    await until(lambda: texts(session.store) == ["back again"])
    session.close()


@pytest.mark.parametrize("there", ["nothing", "directory", "directory at once", "pipe"])
@pytest.mark.parametrize("moment", ["opened", "started", "reading", "read"])
async def test_rows_and_title_stay_when_no_log_is_there_any_more(
    path: Path, moment: str, there: str
) -> None:
    write(path, conversation(ClaudeLog(), 200))
    session = session_of(path)
    session.open()
    before, title = texts(session.store), session.header().title
    if moment != "opened":
        session.start()
    if moment == "reading":
        await asyncio.sleep(0)
    if moment == "read":
        await until(lambda: session.store.indexed and session.log.info is not None)
        before, title = texts(session.store), session.header().title
    path.unlink()
    if there == "directory":
        await until(lambda: moment == "opened" or session.log.presence is LogPresence.REMOVED)
    if there.startswith("directory"):
        path.mkdir()
    elif there == "pipe":
        os.mkfifo(path)
    session.start()
    await until(
        lambda: session.log.presence is LogPresence.REMOVED and session.log.info is not None
    )
    assert session.trouble is None
    assert texts(session.store)[-len(before) :] == before
    assert session.header().title == title
    path.rmdir() if there.startswith("directory") else path.unlink(missing_ok=True)
    write(path, [ClaudeLog().prompt("back again")])
    await until(lambda: texts(session.store) == ["back again"])
    await until(lambda: session.header().title == "back again")
    session.close()


async def test_a_session_of_a_damaged_database_says_so(tmp_path: Path) -> None:
    data = bytearray((sample_sessions_dir() / "goose" / "sessions.db").read_bytes())
    database = tmp_path / "sessions.db"
    database.write_bytes(data)
    provider = load_provider("goose")
    refs = sorted(provider.scan(database), key=lambda ref: ref.session_id)
    for at in range(4096, len(data), 97):
        data[at] ^= 0xFF
    database.write_bytes(data)
    # SQLite raises for the first one, and reads the other without an error.
    broken, other = (LiveSession(provider, ref) for ref in refs)
    for session in (broken, other):
        session.open()
        session.start()
    await until(lambda: all("damaged" in (each.header().damage or "") for each in (broken, other)))
    assert broken.header().presence is LogPresence.UNREADABLE
    assert other.header().presence is LogPresence.PRESENT
    for session in (broken, other):
        session.close()
        assert session.trouble is None


async def test_a_file_that_is_not_there_yet_is_awaited(path: Path) -> None:
    session = session_of(path)
    session.open()
    assert session.log.presence is LogPresence.AWAITED
    session.start()
    await asyncio.sleep(0.05)
    write(path, conversation(ClaudeLog(), 1))
    await until(lambda: len(texts(session.store)) == 2)
    session.close()
    assert session.log.presence is LogPresence.PRESENT


async def test_an_agent_is_followed_while_the_log_that_started_it_stands_still(path: Path) -> None:
    log = ClaudeLog()
    prompt = "Count the lines of every file"
    start = log.call("toolu_agent", "Agent", description="Count", prompt=prompt)
    write(path, [log.prompt("go"), start])
    session = session_of(path)
    session.open()
    session.start()
    await until(lambda: session.store.indexed)
    agent = ClaudeLog(agent="a1b2c3d4")
    child = path.with_suffix("") / "subagents" / "agent-a1b2c3d4.jsonl"
    write(child, [agent.prompt(prompt), agent.call("toolu_in", "Bash", command="wc -l")])

    def calls() -> int | None:
        summary = session.store.activity(call_row(session.store)).child_summary
        return summary.call_count if summary is not None else None

    await until(lambda: calls() == 1)
    with child.open("ab") as file:
        file.write(agent.call("toolu_in2", "Bash", command="wc -c"))
    await until(lambda: calls() == 2)
    session.close()
    summary = session.store.activity(call_row(session.store)).child_summary
    assert summary is not None
    assert summary.latest[0].body == User(prompt, via="agent")
    assert texts(session.store) == ["go"]


async def test_a_pipe_is_a_session(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    records = conversation(ClaudeLog(), 3)
    os.write(write_end, records[0][:20])
    with PipeReader(read_end, directory=tmp_path) as reader:
        waiting = asyncio.create_task(piped_session(reader))
        await asyncio.sleep(0.02)
        assert not waiting.done()
        os.write(write_end, records[0][20:] + b"".join(records[1:5]))
        session = await waiting
        assert session is not None
        session.start()
        os.write(write_end, b"".join(records[5:]).rstrip(b"\n"))
        os.close(write_end)
        await until(lambda: session.store.indexed)
        assert texts(session.store)[-1] == "Step 2 is done."
        assert len(texts(session.store)) == 6
        session.close()
    os.close(read_end)


async def test_a_pipe_that_is_nobodys_gives_no_session(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, b"hello\nworld\n")
    os.close(write_end)
    with PipeReader(read_end, directory=tmp_path) as reader:
        assert await piped_session(reader) is None
    os.close(read_end)


async def test_new_sessions_are_given_as_they_appear(path: Path) -> None:
    known = {str(write(path, conversation(ClaudeLog(), 1)))}
    root = path.parents[1]
    sessions = newest_sessions([root], lambda place: list(PROVIDER.scan(place)), known=known)
    waiting = asyncio.ensure_future(anext(sessions))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    other = write(
        root / "-home-dev-other" / "0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0002.jsonl",
        [ClaudeLog("0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0002").prompt("hi")],
    )
    ref = await asyncio.wait_for(waiting, PATIENCE)
    assert ref.path == str(other)


async def test_kinds_and_counts_are_known_without_decoding(path: Path) -> None:
    write(path, conversation(ClaudeLog(), 3))
    session = await read_whole(path)
    shown = [
        session.store.kind(row)
        for row in range(session.store.first, session.store.end)
        if session.store.shown(row)
    ]
    assert shown == [RowKind.USER, ToolKind.SHELL, RowKind.MESSAGE] * 3
    header = session.header()
    assert (header.shells, header.edits, header.problems) == (3, 0, 0)
    assert header.rows - header.hidden_rows == len(shown)
    assert header.usage.output == 60


@pytest.mark.slow
async def test_a_child_that_is_killed_is_started_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, conversation(ClaudeLog(), 400, size=20_000))
    started: list[Popen[bytes]] = []

    def start_and_remember(command: Sequence[str], **options: Any) -> Popen[bytes]:
        started.append(Popen[bytes](command, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", start_and_remember)
    session = session_of(path)
    session.open()
    session.start()
    await until(lambda: len(started) == 1)
    started[0].kill()
    await until(lambda: session.store.indexed)
    session.close()
    assert len(started) == 2
    assert len(texts(session.store)) == 800
    assert session.header().resumed
    assert session.trouble is None


def spilled_session(path: Path, stated: str) -> str | None:
    """What is shown as the output of a call whose whole output is said to stand in a file."""
    log = ClaudeLog()
    structured = {"stdout": "1\n2", "stderr": "", "persistedOutputPath": stated}
    write(
        path,
        [
            log.prompt("go"),
            log.call("toolu_1", "Bash", command="seq 9"),
            log.result("toolu_1", "<persisted-output>", structured),
        ],
    )
    session = session_of(path, live=False)
    session.open()
    body = session.store.activity(call_row(session.store)).body
    assert isinstance(body, ToolCall)
    assert isinstance(body.result, ShellResult)
    return body.result.stdout


def test_an_output_in_a_file_of_its_own_is_shown_whole(path: Path) -> None:
    whole = path.with_suffix("") / "tool-results" / "b1.txt"
    write(whole, [b"1\n2\n3 \xe2\x9c\x85\n"])
    assert spilled_session(path, f"/home/someone/else/{whole.name}") == "1\n2\n3 ✅\n"


@pytest.mark.parametrize(
    "stated", ["/etc/passwd", "../../secret.txt", "..", "", "link.txt", "x.txt"]
)
def test_no_file_outside_of_the_session_is_read(path: Path, stated: str) -> None:
    secret = write(path.parent / "secret.txt", [b"secret"])
    folder = path.with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    (folder / "link.txt").symlink_to(secret)
    assert spilled_session(path, stated) == "1\n2"


def test_a_log_without_times_is_as_old_as_its_file(tmp_path: Path) -> None:
    records = conversation(ClaudeLog(), 2)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(re.sub(rb'"timestamp": "[^"]*", ', b"", each) for each in records))
    os.utime(path, (1_000.0, 1_000.0))
    session = session_of(path)
    session.open()
    assert session.header().last_activity is None
    assert not session.header().followed


async def test_a_long_list_of_single_items_comes_after_the_activities(tmp_path: Path) -> None:
    log = ClaudeLog()
    path = tmp_path / "log.jsonl"
    records = [log.prompt("Many tasks")]
    for number in range(1, 61):
        call = f"t{number}"
        records.append(log.call(call, "TaskCreate", subject=f"task {number}", description="do it"))
        said = f"Task #{number} created successfully: task {number}"
        task = {"id": str(number), "subject": f"task {number}"}
        records.append(log.result(call, said, {"task": task}))
    path.write_bytes(b"".join(records))
    session = session_of(path)
    session.open()
    session.start()
    await until(lambda: session.store.indexed)
    rows = [row for row in session.store.of_kinds({ToolKind.TODOS}) if session.store.shown(row)]
    told: list[int] = []
    session.store.subscribe(lambda change: told.extend(change.updated))
    assert [session.store.activity(row).todos for row in rows[-3:]] == [None] * 3
    await until(lambda: not session.store.lists_wait)
    assert set(told) == {*rows[-3:]}
    for count, row in enumerate(rows[-3:], 58):
        todos = session.store.activity(row).todos
        assert todos is not None
        assert [item.id for item in todos.after] == [str(each) for each in range(1, count + 1)]
    session.close()


def document(count: int) -> str:
    """A session of Gemini CLI in one document."""
    kinds = ("user", "gemini")
    messages = [
        {
            "id": f"m{number}",
            "timestamp": "2026-01-01T00:00:00.000Z",
            "type": kinds[number % 2],
            "content": f"Text {number}.",
        }
        for number in range(count)
    ]
    return json.dumps(
        {"sessionId": "abcdef12", "projectHash": "abc", "messages": messages}, indent=2
    )


@pytest.mark.slow
async def test_of_a_long_document_the_end_is_shown_while_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "session-2026-01-01T00-00-abcdef12.json"
    path.write_text(document(2000))
    provider = load_provider("gemini_cli")
    session = LiveSession(provider, provider.discovery.ref(path), live=True)
    session.open()
    first = texts(session.store)
    assert first[-1] == "Text 1999."
    assert len(first) <= TAIL_LINES
    assert session.header().indexed < 1
    session.start()
    await until(lambda: session.store.indexed)
    assert texts(session.store) == [f"Text {number}." for number in range(2000)]
    path.write_text(document(2002))
    await until(lambda: texts(session.store)[-1] == "Text 2001.")
    assert texts(session.store) == [f"Text {number}." for number in range(2002)]
    session.close()


@pytest.mark.parametrize("whole", [True, False])
async def test_rows_of_a_long_document_keep_their_numbers_when_it_is_rewritten(
    tmp_path: Path, *, whole: bool
) -> None:
    path = tmp_path / "session-2026-01-01T00-00-abcdef12.json"
    path.write_text(document(400))
    provider = load_provider("gemini_cli")
    store = SessionStore(provider, provider.discovery.ref(path))
    ingest = LogIngest(store)
    ingest.read_end()
    if whole:
        await ingest.read_back()
    assert (store.first < 0) is whole
    changes: list[RowsChanged] = []
    store.subscribe(changes.append)
    for count in (401, 402):
        before = {row: store.event(row).body for row in range(store.first, 100)}
        path.write_text(document(count).replace('"abc"', f'"abc", "lastUpdated": "{count}"'))
        await ingest.read_on()
        assert {row: store.event(row).body for row in before} == before
        assert texts(store) == [f"Text {number}." for number in range(count)]
    assert not any(change.reset for change in changes)
    assert sum(change.prepended for change in changes) == (0 if whole else -store.first)


@pytest.mark.slow
async def test_a_document_that_is_rewritten_while_it_is_read_is_shown_once(tmp_path: Path) -> None:
    path = tmp_path / "session-2026-01-01T00-00-abcdef12.json"
    path.write_text(document(3000))
    provider = load_provider("gemini_cli")
    session = LiveSession(provider, provider.discovery.ref(path), live=True)
    session.open()
    session.start()
    await until(lambda: session.store.end - session.store.first > 200)
    path.write_text(document(3001))
    await until(lambda: session.store.indexed and texts(session.store)[-1] == "Text 3000.")
    assert texts(session.store) == [f"Text {number}." for number in range(3001)]
    session.close()


async def test_the_directory_is_shown_once_it_is_known(tmp_path: Path) -> None:
    log = ClaudeLog()
    later = {"role": "user", "content": "and here"}
    records = [log.prompt("begin")]
    records += [
        log.record("user", message=later, cwd="/home/dev/shop/api") for _ in range(3 * TAIL_LINES)
    ]
    session = session_of(write(tmp_path / "log.jsonl", records))
    session.open()
    assert session.store.summary.text("cwd") == "/home/dev/shop/api"
    assert session.header().cwd is None
    await session.log.look()
    assert session.header().cwd == "/home/dev/shop"
