"""Sessions of Hermes, joined as they are shown, against what SQL and a plain reading count."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Compaction, Message, Notification, Topic, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import (
    ChangeResult,
    MatchResult,
    PathsResult,
    ReadResult,
    ShellResult,
    SubagentResult,
)
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers.hermes import PROVIDER
from agentview.sessions.following.live_session import LiveSession
from agentview.sources.line_splitter import Line
from agentview.sources.lines import LineReader
from agentview.system.paths import sample_sessions_dir
from tests.patience import until
from tests.providers.hermes.call_count import calls as counted
from tests.providers.joined_log import calls, joined, shown

FOLDER = sample_sessions_dir() / "hermes"
DATABASE = FOLDER / "state.db"
SAVED = sorted(FOLDER.glob("*.jsonl"))
MAIN = "20261123_021555_c40963"


def rows(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def found(name: str) -> list[ToolCall]:
    return list(calls(joined(PROVIDER, FOLDER / f"{name}.jsonl")).values())


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_each_call_is_shown_once(path: Path):
    asked = {call["id"] for row in rows(path) for call in row.get("tool_calls") or ()}
    assert set(calls(joined(PROVIDER, path))) == asked


def test_the_database_has_as_many_calls_as_sql_counts():
    with closing(sqlite3.connect(f"file:{DATABASE}?mode=ro&immutable=1", uri=True)) as connection:
        expected = counted(connection)
    assert len(expected) == 3
    for ref in PROVIDER.scan(DATABASE):
        reader = LineReader(Path(ref.path))
        made: set[str] = set()
        while items := reader.poll().items:
            for line in items:
                assert isinstance(line, Line)
                assert line.data is not None
                place = SourceRef(ref.path, line.offset, line.length)
                events = PROVIDER.decode(line.data, place, ref)
                made |= {e.body.call_id for e in events if isinstance(e.body, ToolCall)}
        assert len(made) == expected[ref.session_id]


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_tokens_are_those_of_the_session_with_those_of_its_title(path: Path):
    total = joined(PROVIDER, path).summary.total
    (session,) = [row for row in rows(path) if row["table"] == "sessions"]
    output = session["all_output_tokens"] or session["output_tokens"]
    if not output:
        assert total is None
        return
    assert total is not None
    assert total[1].output == output
    assert total[1].input_uncached == session["all_input_tokens"]
    assert total[1].input_cached == session["all_cache_read_tokens"]


def test_failures_are_those_that_the_answers_tell():
    answers = {row["tool_call_id"]: row["content"] for row in rows(FOLDER / "demo.jsonl")
               if row.get("role") == "tool"}  # fmt: skip
    for call in found("demo"):
        said = answers[call.call_id]
        answer = json.loads(said) if said.startswith("{") else {"error": said}
        failed = bool(answer.get("exit_code") or answer.get("error"))
        assert call.ok is not (failed or answer.get("success") is False)


def test_results_are_typed():
    made = found("demo")
    typed = {type(call.result) for call in made}
    assert {ChangeResult, MatchResult, PathsResult, ReadResult, ShellResult} <= typed
    grep = next(call.result for call in made if isinstance(call.result, MatchResult))
    assert (grep.match_count, grep.matches[0].line) == (40, 2)
    assert grep.matches[0].path.endswith("/src/util.py")
    reads = [call.result for call in made if isinstance(call.result, ReadResult)]
    assert any(r.start == 100 and r.total_lines == 3000 for r in reads)
    shells = [call.result for call in made if isinstance(call.result, ShellResult)]
    assert any(r.timed_out and r.exit_code == 124 for r in shells)
    assert any(r.launched and r.task_id for r in shells)
    unknown = {call.provider_name for call in made if call.kind is ToolKind.UNKNOWN}
    assert unknown == {"no_such_tool"}


def test_what_is_kept_of_a_compacted_history_is_shown_once():
    store = joined(PROVIDER, FOLDER / "compact.jsonl")
    bodies = [activity.body for activity in shown(store)]
    assert len([body for body in bodies if isinstance(body, User)]) == 1
    said = [body.text for body in bodies if isinstance(body, Message)]
    assert len(said) == len(set(said)) == len(calls(store))
    summaries = [body.summary for body in bodies if isinstance(body, Compaction)]
    assert summaries
    assert set(summaries) == {"Mock title"}


def test_agents_work_in_the_background():
    ref = next(ref for ref in PROVIDER.scan(DATABASE) if ref.parent_id is None)
    agents = PROVIDER.discovery.children(ref)
    started = [call for call in found("demo") if call.kind is ToolKind.SUBAGENT_TASK]
    assert {agent.parent_call for agent in agents} == {call.call_id for call in started}
    assert {agent.stream.kind for agent in agents} == {StreamKind.SUBAGENT}
    results = [call.result for call in started if isinstance(call.result, SubagentResult)]
    assert len(results) == 2
    bodies = [activity.body for activity in shown(joined(PROVIDER, FOLDER / "demo.jsonl"))]
    assert not any(isinstance(b, Notification) and b.topic is Topic.BACKGROUND and b.failed
                   for b in bodies)  # fmt: skip
    assert PROVIDER.resume_command(ref) == ("hermes", "--resume", MAIN)
    assert PROVIDER.resume_command(agents[0]) is None


@pytest.mark.parametrize(
    ("name", "state", "title"),
    [
        ("demo", SessionState.YOUR_TURN, "Mock title"),
        ("live-mid", SessionState.WORKING, "Please do the scripted work. (live)"),
        ("denied", SessionState.WORKING, "Please do the scripted work. (denied)"),
    ],
)
def test_what_a_session_is_doing_and_what_it_is_about(name: str, state: SessionState, title: str):
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / f"{name}.jsonl"))
    assert (info.state, info.title, info.model) == (state, title, "mock-model")
    assert info.project == f"/home/dev/{name.removesuffix('-mid').replace('demo', 'tools')}/repo"


async def test_a_session_is_followed_while_rows_are_added(tmp_path: Path):
    path = tmp_path / "state.db"
    shutil.copy(DATABASE, path)
    ref = PROVIDER.discovery.ref(path / MAIN)
    session = LiveSession(PROVIDER, ref, live=True)
    session.open()
    session.start()

    def made() -> list[ToolCall]:
        rows = (
            row for row in range(session.store.first, session.store.end) if session.store.shown(row)
        )
        bodies = [session.store.activity(row).body for row in rows]
        return [body for body in bodies if isinstance(body, ToolCall)]

    await until(lambda: session.store.indexed and len(made()) == len(found("demo")))
    insert = (
        "INSERT INTO messages (session_id, role, content, tool_calls, tool_call_id, timestamp)"
        " VALUES (?, ?, ?, ?, ?, ?)"
    )
    call = json.dumps([{"id": "c9", "function": {"name": "terminal", "arguments": "{}"}}])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(insert, (MAIN, "assistant", "", call, None, 1795400300.0))
        await until(lambda: made()[-1].call_id == "c9")
        assert made()[-1].state is ToolState.INPUT_AVAILABLE
        answer = json.dumps({"output": "", "exit_code": -1, "status": "blocked",
                             "error": "BLOCKED: User denied this command"})  # fmt: skip
        connection.execute(insert, (MAIN, "tool", answer, None, "c9", 1795400301.0))
        await until(lambda: made()[-1].state is ToolState.OUTPUT_DENIED)
    session.close()


def test_the_end_of_a_session_has_the_same_id_wherever_its_row_is_read():
    raw = b'{"table":"session_end","rowid":3,"ended_at":1795400302.0,"end_reason":"agent_close"}'
    ref = PROVIDER.discovery.ref(DATABASE / MAIN)
    first, later = (
        PROVIDER.decode(raw, SourceRef(ref.path, offset, len(raw)), ref)[0] for offset in (90, 4000)
    )
    assert isinstance(first.body, Notification)
    assert (first.id, first.replaces) == (later.id, later.replaces)


def test_where_sessions_are():
    roots = PROVIDER.discovery.roots
    assert roots({"HOME": "/h"}) == [Path("/h/.hermes"), Path("/h/.hermes/sessions")]
    assert roots({"HOME": "/h", "HERMES_HOME": "/x"}) == [Path("/x"), Path("/x/sessions")]
