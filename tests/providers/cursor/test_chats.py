"""Chats of the command line, joined as they are shown, and followed while they are written."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from agentview.domain.events import Compaction, Message, Reasoning, User
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import McpPayload
from agentview.domain.tool_results import (
    AskResult,
    ChangeResult,
    MatchResult,
    PathsResult,
    ReadResult,
    ShellResult,
    SubagentResult,
)
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers import load_provider
from agentview.providers.cursor.cursor_chats import PROVIDER
from agentview.providers.cursor.cursor_chats.wire import archive_text, session_text, state_text
from agentview.sessions.following.live_session import LiveSession
from agentview.system.paths import sample_sessions_dir
from tests.patience import until
from tests.providers.cursor import chat_store
from tests.providers.cursor.chat_store import (
    CHAT,
    answer,
    call,
    create,
    message,
    outcome,
    prompt,
    state,
)
from tests.providers.cursor.chat_store import (
    Message as Written,
)
from tests.providers.joined_log import calls, joined, shown

FOLDER = sample_sessions_dir() / "cursor_chats"
DATABASE = FOLDER / "store.db"


def found() -> dict[str, ToolCall]:
    return calls(joined(PROVIDER, FOLDER / "demo.jsonl"))


def test_the_sample_is_what_its_writer_writes(tmp_path: Path):
    chat_store.write_sample(tmp_path / "store.db")
    rows = "SELECT id, data FROM blobs ORDER BY id"
    with (
        closing(sqlite3.connect(tmp_path / "store.db")) as made,
        closing(sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True)) as kept,
    ):
        assert made.execute(rows).fetchall() == kept.execute(rows).fetchall()


def test_outcomes_are_typed():
    made = found()
    assert isinstance(made["c1"].result, PathsResult)
    assert isinstance(made["c2"].result, ReadResult)
    assert made["c2"].result.content == "Beans\nPeas"
    shell = made["c3\nfc_3"].result
    assert isinstance(shell, ShellResult)
    assert (shell.stdout, shell.exit_code) == ("2 plan.md\n", 0)
    assert isinstance(made["c4"].result, ChangeResult)
    assert isinstance(made["c5"].result, ShellResult)
    assert (made["c5"].ok, made["c5"].result.exit_code) == (False, 2)
    assert isinstance(made["c6"].result, MatchResult)
    assert (made["c8"].state, made["c8"].ok) == (ToolState.OUTPUT_DENIED, False)
    assert made["c8"].denial is not None
    assert made["c8"].denial.by is DeniedBy.PERSON
    assert (made["c9"].state, made["c9"].error) == (ToolState.OUTPUT_ERROR, "File not found")
    assert made["c10"].payload == McpPayload("weather", "rain")
    assert isinstance(made["c11"].result, AskResult)
    assert [(each.question, each.answer) for each in made["c11"].result.answers] == [
        ("Dig when?", "Today")
    ]
    assert isinstance(made["c12"].result, SubagentResult)
    assert made["c12"].result.text == "Two beds."
    assert {each.provider_name for each in made.values() if each.kind is ToolKind.UNKNOWN} == {
        "UpdateCurrentStep"
    }


def test_what_was_summarized_stays_above_its_summary():
    bodies = [activity.body for activity in shown(joined(PROVIDER, FOLDER / "demo.jsonl"))]
    told = [body for body in bodies if isinstance(body, User | Compaction)]
    assert [getattr(body, "text", None) for body in told] == [
        "What grows here?",
        None,
        "Tidy the plan.",
        # The same blob twice is two prompts.
        "continue",
        "continue",
    ]
    (compacted,) = (body for body in told if isinstance(body, Compaction))
    assert compacted.summary == "Summary of the talk: beans grow here."
    thoughts = [body for body in bodies if isinstance(body, Reasoning)]
    assert [thought.withheld for thought in thoughts] == [False, True]


def test_a_session_has_its_project_and_its_name():
    (ref,) = PROVIDER.scan(DATABASE)
    info = PROVIDER.info(ref)
    assert (ref.session_id, info.title) == (CHAT, "Tidy the garden")
    assert (info.project, info.branch) == ("/home/dev/garden shed", "spring")
    assert (info.model, info.state) == ("composer-2-fast", SessionState.YOUR_TURN)
    assert info.started == joined(PROVIDER, DATABASE / CHAT).summary.times.first
    assert PROVIDER.resume_command(ref) == ("cursor-agent", "--resume", CHAT)


def test_the_key_of_a_chat_is_never_shown():
    written = b"".join(path.read_bytes() for path in FOLDER.glob("*.jsonl"))
    assert b"do-not-show" not in written
    assert b"blobEncryptionKey" not in written


def test_where_chats_are(tmp_path: Path):
    roots = PROVIDER.discovery.roots
    assert roots({"HOME": "/h"}) == [Path("/h/.cursor/chats"), Path("/h/.config/cursor/chats")]
    assert roots({"HOME": "/h", "CURSOR_DATA_DIR": "/d", "XDG_CONFIG_HOME": "/x"}) == [
        Path("/d/chats"),
        Path("/x/cursor/chats"),
    ]
    place = tmp_path / ".cursor" / "chats" / "0f" / CHAT
    place.mkdir(parents=True)
    shutil.copy(DATABASE, place)
    (place / "meta.json").write_text(json.dumps({"title": "Beds", "cwd": "/home/dev/beds"}))
    (ref,) = PROVIDER.scan(tmp_path / ".cursor" / "chats")
    assert ref.path == f"{place}/store.db/{CHAT}"
    assert ref.modified is not None
    assert abs(ref.modified - (place / "store.db").stat().st_mtime) < 0.01
    assert PROVIDER.info(ref).title == "Beds"


def test_a_transcript_of_a_chat_is_not_listed_too(tmp_path: Path):
    transcripts = load_provider("cursor")
    folder = tmp_path / "projects" / "home-dev-beds" / "agent-transcripts"
    line = b'{"role":"user","message":{"content":[{"type":"text","text":"hello"}]}}\n'
    for own in (CHAT, "another", "with-agents"):
        (folder / own).mkdir(parents=True)
        (folder / own / f"{own}.jsonl").write_bytes(line)
        (tmp_path / "chats" / "0f" / own).mkdir(parents=True)
    (tmp_path / "chats" / "0f" / "another").rmdir()
    agents = folder / "with-agents" / "subagents"
    agents.mkdir()
    (agents / f"{CHAT}.jsonl").write_bytes(line)
    found = {Path(ref.path).name for ref in transcripts.scan(tmp_path / "projects")}
    assert found == {"another.jsonl", "with-agents.jsonl", f"{CHAT}.jsonl"}
    assert [ref.session_id for ref in transcripts.scan(tmp_path / "projects")].count(CHAT) == 0


def test_a_state_that_lists_nothing_shows_messages_as_they_were_written(tmp_path: Path):
    path = tmp_path / "store.db"
    with closing(create(path)) as connection:
        message(connection, prompt("First?", 1))
        message(connection, answer("Second."))
        chat_store.blob(connection, b'{"a file": "that is no message"}')
        state(connection, [])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM blobs WHERE substr(data, 1, 1) != x'7B'")
    (ref,) = PROVIDER.scan(path)
    assert shown_texts(ref.path) == ["First?", "Second."]


def test_a_message_that_is_gone_or_no_message_is_said(tmp_path: Path):
    path = tmp_path / "store.db"
    with closing(create(path)) as connection:
        state(
            connection,
            [
                "ab" * 32,
                chat_store.blob(connection, b"\x00\xff\x00 sealed"),
                message(connection, prompt("Here?", 1)),
            ],
        )
    (ref,) = PROVIDER.scan(path)
    assert "Here?" in shown_texts(ref.path)


def shown_texts(path: str) -> list[str]:
    bodies = [activity.body for activity in shown(joined(PROVIDER, Path(path)))]
    return [body.text for body in bodies if isinstance(body, User | Message)]


@pytest.mark.parametrize("read", [session_text, state_text, archive_text])
@pytest.mark.parametrize(
    "value", [None, 7, "zz", "7b", b"", b"\x0a", b"\x0a\xff\xff\xff\xff\x0f", b"\xff" * 40, b"\x0b"]
)
def test_what_is_no_blob_of_that_sort_is_survived(
    read: Callable[[object], str | None], value: object
):
    found = read(value)
    assert found is None or json.loads(found)


async def test_a_chat_is_followed_while_it_is_written(tmp_path: Path):
    path = tmp_path / "store.db"
    with closing(create(path)) as connection:
        listed = [message(connection, prompt("Count the beds.", 1))]
        state(connection, listed)
        session = LiveSession(PROVIDER, PROVIDER.discovery.ref(path / CHAT), live=True)
        session.open()
        session.start()

        def made() -> list[ToolCall]:
            rows = (
                row
                for row in range(session.store.first, session.store.end)
                if session.store.shown(row)
            )
            bodies = [session.store.activity(row).body for row in rows]
            return [body for body in bodies if isinstance(body, ToolCall)]

        def texts() -> list[str]:
            rows = (
                row
                for row in range(session.store.first, session.store.end)
                if session.store.shown(row)
            )
            bodies = [session.store.activity(row).body for row in rows]
            return [body.text for body in bodies if isinstance(body, User | Message)]

        await until(lambda: texts() == ["Count the beds."])
        asked = call("c1", "Shell", command="ls beds")
        waiting: Written = answer("I count.", asked, pending=chat_store.BEGUN)
        state(connection, listed, pending=[waiting])
        await until(lambda: [each.call_id for each in made()] == ["c1"])
        assert made()[0].state is ToolState.INPUT_AVAILABLE
        listed.append(message(connection, answer("I count.", asked)))
        listed.append(message(connection, outcome("c1", "Shell", "two", {
            "success": {"command": "ls beds", "stdout": "two\n"}})))  # fmt: skip
        state(connection, listed)
        await until(lambda: made()[0].state is ToolState.OUTPUT_AVAILABLE)
        listed.append(message(connection, answer("Two beds.", own="2")))
        state(connection, listed)
        await until(lambda: texts() == ["Count the beds.", "I count.", "Two beds."])
        assert len(made()) == 1
        # The person goes back to the first prompt: what followed it is listed no more.
        state(connection, listed[:1])
        await until(lambda: texts() == ["Count the beds."])
        session.close()
