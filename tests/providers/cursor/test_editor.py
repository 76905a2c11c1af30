"""Sessions of the editor, joined as they are shown, and followed while they are written."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agentview.domain.events import Attachment, Compaction, Message, Notification, Reasoning, User
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import (
    AskResult,
    ChangeResult,
    MatchResult,
    PathsResult,
    ReadResult,
    ShellResult,
    TodosResult,
)
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers.cursor.cursor_editor import PROVIDER
from agentview.sessions.following.live_session import LiveSession
from agentview.system.paths import sample_sessions_dir
from tests.patience import until
from tests.providers.cursor import editor_store
from tests.providers.cursor.editor_store import CHILD, FOLDER, OLD, SESSION, Session, create, tool
from tests.providers.joined_log import calls, joined, shown

SAMPLES = sample_sessions_dir() / "cursor_editor"
DATABASE = SAMPLES / "state.vscdb"


def found() -> dict[str, ToolCall]:
    return calls(joined(PROVIDER, SAMPLES / "demo.jsonl"))


def test_the_sample_is_what_its_writer_writes(tmp_path: Path):
    editor_store.write_sample(tmp_path / "state.vscdb")
    rows = "SELECT key, value FROM cursorDiskKV ORDER BY key"
    with (
        closing(sqlite3.connect(tmp_path / "state.vscdb")) as made,
        closing(sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True)) as kept,
    ):
        assert made.execute(rows).fetchall() == kept.execute(rows).fetchall()


def test_outcomes_are_typed():
    made = found()
    assert isinstance(made["t1"].result, ReadResult)
    assert made["t1"].result.total_lines == 2
    assert isinstance(made["t2"].result, ShellResult)
    assert made["t2"].result.exit_code == 0
    edit = made["t3"].result
    assert isinstance(edit, ChangeResult)
    assert edit.files[0].whole == ("Apple\nPear\n", "Apple\nPlum\n")
    assert isinstance(made["t4"].result, MatchResult)
    assert isinstance(made["t5"].result, PathsResult)
    assert made["t6"].state is ToolState.OUTPUT_DENIED
    assert (made["t7"].state, made["t7"].error) == (ToolState.OUTPUT_ERROR, "File not found")
    assert isinstance(made["t8"].result, TodosResult)
    assert isinstance(made["t10"].result, AskResult)
    assert made["t10"].result.answers[0].answer == "Now, before noon"
    hunks = made["t11"].result
    assert isinstance(hunks, ChangeResult)
    assert hunks.files[0].hunks
    assert hunks.files[0].hunks[0].old_start == 2
    assert made["t12"].state is ToolState.INPUT_AVAILABLE
    assert not [each for each in made.values() if each.kind is ToolKind.UNKNOWN]


def test_all_sorts_of_messages_are_shown():
    bodies = [activity.body for activity in shown(joined(PROVIDER, SAMPLES / "demo.jsonl"))]
    assert [body.text for body in bodies if isinstance(body, User)] == [
        "Prune the plan.",
        "Run the saw.",
    ]
    assert [body.path for body in bodies if isinstance(body, Attachment)] == [f"{FOLDER}/plan.md"]
    (thought,) = (body for body in bodies if isinstance(body, Reasoning))
    assert (thought.text, thought.duration) == ("Read it first.", 1.5)
    assert len([body for body in bodies if isinstance(body, Compaction)]) == 1
    assert [body.text for body in bodies if isinstance(body, Notification)] == ["The model is busy"]
    assert [body.text for body in bodies if isinstance(body, Message)] == [
        "I read the plan.",
        "The plan has cherries now.",
    ]


def test_tokens_are_those_of_messages():
    tokens = joined(PROVIDER, SAMPLES / "demo.jsonl").summary.tokens
    assert (tokens["input_uncached"], tokens["output"]) == (900, 30)


def test_what_a_session_cost_is_what_the_editor_counted():
    assert joined(PROVIDER, SAMPLES / "demo.jsonl").summary.cost == 0.12


def test_sessions_and_their_agents():
    refs = {ref.session_id: ref for ref in PROVIDER.scan(DATABASE)}
    # One without messages, and one that is no JSON, are not listed.
    assert set(refs) == {SESSION, CHILD, OLD}
    info = PROVIDER.info(refs[SESSION])
    assert (info.title, info.project) == ("Prune the trees", FOLDER)
    assert (info.branch, info.model) == ("autumn", "composer-2")
    assert info.state is SessionState.NEEDS_APPROVAL
    agent = refs[CHILD]
    assert (agent.stream.kind, agent.parent_id, agent.parent_call) == (
        StreamKind.SUBAGENT,
        SESSION,
        "t9",
    )
    assert [ref.session_id for ref in PROVIDER.discovery.children(refs[SESSION])] == [CHILD]
    assert PROVIDER.info(refs[OLD]).project == "/home/dev/old orchard"


def test_a_database_of_an_older_version_has_no_list_of_its_own(tmp_path: Path):
    path = tmp_path / "state.vscdb"
    with closing(create(path, listed=False)) as connection:
        Session(connection, name="An apple").add("p", sort=1, text="Which one?")
    (ref,) = PROVIDER.scan(path)
    assert PROVIDER.info(ref).title == "An apple"


def test_where_sessions_are():
    roots = PROVIDER.discovery.roots
    assert roots({"HOME": "/h"}) == [
        Path("/h/.config/Cursor/User/globalStorage"),
        Path("/h/Library/Application Support/Cursor/User/globalStorage"),
        Path("/h/AppData/Roaming/Cursor/User/globalStorage"),
    ]
    assert roots({"HOME": "/h", "XDG_CONFIG_HOME": "/x"})[0] == Path("/x/Cursor/User/globalStorage")


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="counts what is read by /proc")
def test_messages_are_not_read_to_list_sessions(tmp_path: Path):
    path = tmp_path / "state.vscdb"
    with closing(create(path)) as connection:
        for own in ("one", "two"):
            Session(connection, own, name=own).add("p", sort=1, text="Which one?")
        for at in range(20):
            key = f"bubbleId:one:{at}"
            connection.execute("INSERT INTO cursorDiskKV VALUES (?, zeroblob(2000000))", (key,))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    assert path.stat().st_size > 40_000_000
    before = _read_so_far()
    assert [ref.session_id for ref in PROVIDER.scan(path)] == ["one", "two"]
    assert _read_so_far() - before < 2_000_000


def test_sessions_are_listed_again_when_they_are_written(tmp_path: Path):
    path = tmp_path / "state.vscdb"

    def listed() -> dict[str, float | None]:
        return {ref.session_id: ref.modified for ref in PROVIDER.scan(path)}

    with closing(create(path)) as connection:
        one = Session(connection, "one")
        one.add("p", sort=1, text="Which one?")
        Session(connection, "two").write()
        assert set(listed()) == {"one"}
        Session(connection, "two").add("p", sort=1, text="This one?")
        one.write(lastUpdatedAt=editor_store.BEGUN + 900_000)
        assert set(listed()) == {"one", "two"}
        assert listed()["one"] == editor_store.BEGUN / 1000 + 900
        connection.execute("DELETE FROM cursorDiskKV WHERE key = 'composerData:one'")
        assert set(listed()) == {"two"}
        for number in range(50):
            Session(connection, f"more-{number}").add("p", sort=1, text="More?")
        assert len(listed()) == 51


def _read_so_far() -> int:
    """Bytes that this process has read from files."""
    return int(Path("/proc/self/io").read_text().partition("\n")[0].split()[1])


@pytest.mark.parametrize(
    ("given", "state"),
    [
        ({"status": "completed", "result": "{}"}, ToolState.OUTPUT_AVAILABLE),
        ({"status": "error", "result": ""}, ToolState.OUTPUT_ERROR),
        ({"status": "loading"}, ToolState.INPUT_AVAILABLE),
        ({"status": "loading", "rawArgs": '{"comm'}, ToolState.INPUT_STREAMING),
        ({"status": "cancelled"}, ToolState.OUTPUT_AVAILABLE),
    ],
)
def test_the_state_of_a_call(tmp_path: Path, given: dict[str, str], state: ToolState):
    path = tmp_path / "state.vscdb"
    with closing(create(path)) as connection:
        made: editor_store.Record = {"rawArgs": {"command": "ls"}, **given}
        Session(connection).add("a", toolFormerData=tool("t", "run_terminal_cmd", **made))
    call = calls(joined(PROVIDER, path / SESSION))["t"]
    assert call.state is state
    assert call.interrupted is (given["status"] == "cancelled")


async def test_a_session_is_followed_while_it_is_written(tmp_path: Path):
    path = tmp_path / "state.vscdb"
    with closing(create(path)) as connection:
        written = Session(connection)
        written.add("p1", sort=1, text="Count the trees.")
        session = LiveSession(PROVIDER, PROVIDER.discovery.ref(path / SESSION), live=True)
        session.open()
        session.start()

        def shown_now() -> list[object]:
            rows = (
                row
                for row in range(session.store.first, session.store.end)
                if session.store.shown(row)
            )
            return [session.store.activity(row).body for row in rows]

        def texts() -> list[str]:
            return [body.text for body in shown_now() if isinstance(body, User | Message)]

        def made() -> list[ToolCall]:
            return [body for body in shown_now() if isinstance(body, ToolCall)]

        await until(lambda: texts() == ["Count the trees."])
        written.add("a1", text="I co")
        await until(lambda: texts() == ["Count the trees.", "I co"])
        written.change("a1", text="I count them.")
        await until(lambda: texts() == ["Count the trees.", "I count them."])
        running = tool("t1", "run_terminal_cmd", "loading", rawArgs={"command": "ls"})
        written.add("a2", toolFormerData=running)
        await until(lambda: [each.state for each in made()] == [ToolState.INPUT_AVAILABLE])
        done = tool("t1", "run_terminal_cmd", rawArgs={"command": "ls"},
                    result={"output": "pear", "exitCodeV2": 0})  # fmt: skip
        written.change("a2", toolFormerData=done)
        await until(lambda: [each.ok for each in made()] == [True])
        session.close()
