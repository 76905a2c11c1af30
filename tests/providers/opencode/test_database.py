"""Sessions of a database on every surface: the library, a text, the screen, what became of rows."""

import asyncio
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Message, Reasoning, User
from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.sessions.following.log_ingest import TAIL_LINES
from agentview.sources.watch.watcher import COMMIT
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.view.header import LogPresence
from tests.cli.conftest import CommandLine
from tests.cli.follower import Follower, latest
from tests.patience import until
from tests.providers.opencode.store import PENDING, SESSION, Store, completed, running

PROVIDER = load_provider("opencode")
SAMPLE = sample_sessions_dir() / "opencode" / "opencode.db"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / ".local" / "share" / "opencode" / "opencode.db")
    made.conversation()
    yield made
    made.close()


@pytest.fixture
def agentview(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, tmp_path)


def shown(session: LiveSession) -> list[object]:
    rows = (
        row for row in range(session.store.first, session.store.end) if session.store.shown(row)
    )
    return [session.store.activity(row).body for row in rows]


async def test_a_session_is_followed_while_its_rows_change(store: Store) -> None:
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(store.log()), live=True)
    session.open()
    session.start()
    await until(lambda: len(shown(session)) == 3)
    prompt, answer, call = shown(session)
    assert isinstance(prompt, User)
    assert prompt.text == "Round the shares."
    assert isinstance(answer, Message)
    assert isinstance(call, ToolCall)
    assert call.state is ToolState.INPUT_AVAILABLE

    def texts() -> list[str]:
        return [body.text for body in shown(session) if isinstance(body, Message)]

    def calls() -> list[ToolCall]:
        return [body for body in shown(session) if isinstance(body, ToolCall)]

    store.change("prt_2", type="text", text="I look at the sums.")
    await until(lambda: texts() == ["I look at the sums."])
    store.change("prt_3", type="tool", tool="bash", callID="c1", state=running("6\n7"))
    store.change("prt_3", type="tool", tool="bash", callID="c1", state=completed("8 passed"))
    await until(lambda: [each.state for each in calls()] == [ToolState.OUTPUT_AVAILABLE])
    store.part("prt_4", "msg_2", type="text", text="All tests pass.")
    store.part("prt_5", "msg_2", type="step-finish", reason="stop")
    await until(lambda: texts() == ["I look at the sums.", "All tests pass."])
    await until(lambda: session.header().state == "your-turn")
    session.close()


async def test_a_session_that_was_followed_is_as_it_is_when_read_later(store: Store) -> None:
    """The client begins a call without its arguments, and ends a text behind the call after it."""
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(store.log()), live=True)
    session.open()
    session.start()
    await until(lambda: len(shown(session)) == 3)
    store.change("prt_3", type="tool", tool="bash", callID="c1", state=completed("1 failed", 1))
    store.part("prt_4", "msg_2", type="reasoning", text="")
    store.part("prt_5", "msg_2", type="text", text="")
    store.part("prt_6", "msg_2", type="tool", tool="bash", callID="c2", state=PENDING)
    await until(lambda: len(shown(session)) == 6)
    store.change("prt_4", type="reasoning", text="One is left.")
    store.change("prt_5", type="text", text="I run the tests.")
    store.change("prt_6", type="tool", tool="bash", callID="c2", state=running(""))
    await until(lambda: session.store.log_status().about == "make test")
    store.change("prt_6", type="tool", tool="bash", callID="c2", state=completed("8 passed"))
    await until(lambda: session.store.log_status().about is None)
    thought, said, call = shown(session)[3:]
    assert isinstance(thought, Reasoning)
    assert thought.text == "One is left."
    assert isinstance(said, Message)
    assert said.text == "I run the tests."
    assert isinstance(call, ToolCall)
    assert (call.payload, call.ok) == (ShellPayload("make test"), True)
    # What a call is of shows only from its name: a server's tool, and one that is not there.
    store.part("prt_7", "msg_2", type="tool", tool="docs_find", callID="c3", state=PENDING)
    store.part("prt_8", "msg_2", type="tool", tool="bash", callID="c4", state=PENDING)
    await until(lambda: len(shown(session)) == 8)
    ended = {**completed("2 pages"), "input": {"query": "berths"}, "metadata": {}}
    store.change("prt_7", type="tool", tool="docs_find", callID="c3", state=ended)
    why = {"tool": "bash", "error": "Its arguments are no JSON."}
    ended = {**completed("Its arguments are no JSON."), "input": why, "metadata": {}}
    store.change("prt_8", type="tool", tool="invalid", callID="c4", state=ended)
    await until(lambda: getattr(shown(session)[-1], "ok", None) is False)
    server, invalid = shown(session)[-2:]
    assert isinstance(server, ToolCall)
    assert (server.kind, server.canonical_name) == (ToolKind.MCP, "mcp__docs__find")
    assert isinstance(invalid, ToolCall)
    assert (invalid.kind, invalid.provider_name) == (ToolKind.UNKNOWN, "invalid")
    later = LiveSession(PROVIDER, PROVIDER.discovery.ref(store.log()))
    later.open()
    assert shown(session) == shown(later)
    assert session.store.summary.kinds == later.store.summary.kinds
    session.close()


def _add_texts(store: Store) -> None:
    store.run("BEGIN")
    for number in range(3000):
        store.part(f"prt_9{number:04}", "msg_2", type="text", text=f"Text {number}.")
    store.run("COMMIT")


@pytest.mark.slow
async def test_of_a_long_session_the_end_is_shown_while_the_rest_is_read(store: Store) -> None:
    _add_texts(store)
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(store.log()), live=True)
    session.open()
    first = [body.text for body in shown(session) if isinstance(body, Message)]
    assert first[-1] == "Text 2999."
    assert len(first) <= TAIL_LINES
    assert session.header().indexed < 1
    session.start()
    # What is written meanwhile comes once, behind the others.
    store.part("prt_99999", "msg_2", type="text", text="The last.")
    await until(lambda: session.store.indexed)
    await until(lambda: session.store.event(session.store.end - 1).record_id == "prt_99999")
    texts = [body.text for body in shown(session) if isinstance(body, Message)]
    assert texts == ["I look at", *(f"Text {number}." for number in range(3000)), "The last."]
    assert session.header().indexed == 1
    session.close()


_SLOW_IMPORT = """
import sys, time
from agentview.sessions.following.live_session import LiveSession
from agentview.providers import load_provider
from agentview.sources.member import use_databases

def described():
    until = time.thread_time() + 0.2
    while time.thread_time() < until:
        pass
    return ()

use_databases(described)
provider = load_provider("opencode")
session = LiveSession(provider, provider.discovery.ref(sys.argv[1]), live=True)
session.open()
print(session.store.end - session.store.first)
"""


def test_the_end_is_shown_though_descriptions_of_databases_take_long_to_import(
    store: Store,
) -> None:
    _add_texts(store)
    done = subprocess.run(
        [sys.executable, "-c", _SLOW_IMPORT, store.log()],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(done.stdout) > 0, "nothing was shown"


async def test_a_session_is_followed_from_before_its_first_row(tmp_path: Path) -> None:
    made = Store(tmp_path / "opencode.db")
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(made.log()), live=True)
    session.open()
    assert session.header().presence is LogPresence.AWAITED
    session.start()
    await asyncio.sleep(0.05)
    made.conversation()
    await until(lambda: len(shown(session)) == 3)
    assert session.header().presence is LogPresence.PRESENT
    session.close()
    made.close()


async def test_a_sub_agent_appears_while_its_call_runs(store: Store) -> None:
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(store.log()), live=True)
    session.open()
    session.start()
    await until(lambda: len(shown(session)) == 3)
    store.session("ses_child", SESSION, "Count the lines")
    store.message("msg_c", "user", "ses_child")
    store.part("prt_c", "msg_c", "ses_child", type="text", text="Count the lines.")
    await until(lambda: len(session.store.children) == 1)
    (agent,) = session.store.children.values()
    store.part("prt_d", "msg_c", "ses_child", type="reasoning", text="Four files.")
    await until(lambda: agent.end - agent.first >= 4)
    session.close()


@pytest.mark.slow
def test_events_of_agents_are_followed_that_start_later(
    store: Store, agentview: CommandLine
) -> None:
    with Follower(agentview, str(store.log())) as follower:
        follower.take(6)
        store.session("ses_child", SESSION, "Count the lines")
        store.message("msg_c", "user", "ses_child")
        store.part("prt_c", "msg_c", "ses_child", type="text", text="Count the lines.")
        while follower.seen[-1].get("text") != "Count the lines.":
            follower.take(1)
        store.part("prt_d", "msg_c", "ses_child", type="text", text="")
        store.change("prt_d", type="text", text="Four files.")
        while follower.seen[-1].get("text") != "Four files.":
            follower.take(1)
    whole = map(json.loads, agentview("events", str(store.log())).stdout.splitlines())
    assert latest(follower.seen).keys() == {line["id"] for line in whole}


SPINNER: dict[str, Any] = {
    "type": "text",
    "text": "⠋ Initializing snapshot…",
    "synthetic": True,
    "metadata": {"kilocode.lifecycle": "transient"},
}
"""What Kilo writes into an answer while it prepares, and removes before the answer."""


async def test_a_row_that_a_client_removes_leaves_the_same_log(store: Store) -> None:
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(store.log()), live=True)
    session.open()
    session.start()
    await until(lambda: session.store.indexed)
    before = shown(session)
    store.part("prt_4", "msg_2", **SPINNER)
    await until(lambda: session.store.event(session.store.end - 1).record_id == "prt_4")
    assert shown(session) == before
    store.remove("prt_4")
    store.part("prt_5", "msg_2", type="text", text="All tests pass.")
    await until(lambda: shown(session)[-1:] == [Message("All tests pass.")])
    assert shown(session) == [*before, Message("All tests pass.")]
    assert session.header().presence is LogPresence.PRESENT
    session.close()


@pytest.mark.slow
def test_a_row_that_a_client_removes_prints_no_line_again(
    store: Store, agentview: CommandLine
) -> None:
    with Follower(agentview, str(store.log())) as follower:
        follower.take(6)
        store.part("prt_4", "msg_2", **SPINNER)
        store.part("prt_5", "msg_2", type="text", text="Before.")
        while follower.seen[-1].get("text") != "Before.":
            follower.take(1)
        store.remove("prt_4")
        store.part("prt_6", "msg_2", type="text", text="Behind.")
        while follower.seen[-1].get("text") != "Behind.":
            follower.take(1)
    assert not [line for line in follower.seen if line["type"] == "reset"]
    whole = map(json.loads, agentview("events", str(store.log())).stdout.splitlines())
    shown = [line["id"] for line in whole if line["type"] != "hidden"]
    seen = latest(follower.seen).items()
    assert [own for own, line in seen if line["type"] != "hidden"] == shown


@pytest.mark.slow
def test_it_is_listed_and_found_by_its_id_its_path_and_its_database(
    store: Store, agentview: CommandLine
) -> None:
    (listed,) = json.loads(agentview("ls", "--json").stdout)
    assert (listed["id"], listed["provider"]) == (SESSION, "opencode")
    assert (listed["title"], listed["project"]) == ("Fix the sums", "/home/dev/shop")
    texts = {
        agentview("cat", target).stdout for target in (SESSION, str(store.log()), str(store.path))
    }
    assert len(texts) == 1
    assert "Round the shares." in texts.pop()
    store.session("ses_other", title="Another one")
    done = agentview("cat", str(store.path))
    assert done.returncode != 0
    assert "2 sessions" in done.stderr
    assert "Another one" in done.stderr


@pytest.mark.slow
def test_all_rows_are_accounted_for(store: Store, agentview: CommandLine) -> None:
    store.part("prt_9", "msg_2", type="hologram", text="?")
    report = json.loads(agentview("doctor", str(store.log()), "--json").stdout)
    total = report["total"]
    assert total["records"] == 7
    assert total["fates"]["unknown"]["records"] == 1
    assert total["file_bytes"] == total["bytes"]
    assert "hologram" in agentview("doctor", str(store.log())).stdout


@pytest.mark.slow
def test_the_bytes_behind_an_event_are_its_row(store: Store, agentview: CommandLine) -> None:
    lines = agentview("events", str(store.log()), "--records").stdout.splitlines()
    prompt = next(event for event in map(json.loads, lines) if event["type"] == "user")
    raw = agentview("cat", str(store.log()), "--raw").stdout
    assert '{"table":"part","rowid":1,"id":"prt_1"' in raw
    assert prompt["source"]["file"] == str(store.log())


def test_one_damaged_database_does_not_cost_the_others(
    store: Store, agentview: CommandLine
) -> None:
    broken = store.path.with_name("opencode-next.db")
    broken.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    store.path.with_name("opencode-empty.db").write_bytes(b"")
    done = agentview("ls", "--json")
    titles = {each["id"]: each["title"] for each in json.loads(done.stdout)}
    assert titles.keys() == {SESSION, broken.name}
    assert titles[broken.name].startswith("could not be read: ")
    assert done.returncode == 0


def test_the_sample_database_has_a_session_and_its_agents() -> None:
    found = PROVIDER.scan(SAMPLE)
    assert len(found) == 3
    (main,) = (ref for ref in found if ref.parent_id is None)
    assert {ref.path for ref in PROVIDER.discovery.children(main)} == {
        ref.path for ref in found if ref.parent_id == main.session_id
    }
    assert PROVIDER.resume_command(main) == ("opencode", "-s", main.session_id)


async def test_a_database_that_only_seems_to_change_is_not_opened(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system reports its owner or mode; SQLite itself sets the owner when root opens it."""
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(store.log()), live=True)
    session.open()
    session.start()
    await until(lambda: session.store.indexed)
    await asyncio.sleep(2 * COMMIT)
    opened: list[str] = []
    connect = sqlite3.connect

    def counting(name: str, **options: Any) -> sqlite3.Connection:
        opened.append(name)
        return connect(name, **options)

    monkeypatch.setattr(sqlite3, "connect", counting)
    log = store.path.with_name("opencode.db-wal")
    for _ in range(3):
        log.chmod(log.stat().st_mode)
        await asyncio.sleep(1.5 * COMMIT)
    assert opened == []
    store.part("prt_4", "msg_2", type="text", text="Done.")
    await until(lambda: len(shown(session)) == 4)
    assert opened
    session.close()


async def test_a_row_is_shown_soon_after_its_commit(store: Store) -> None:
    """The log is announced as changed before its index says that what was written counts."""
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(store.log()), live=True)
    session.open()
    session.start()
    await until(lambda: session.store.indexed)
    took: list[float] = []
    for number in range(5):
        await asyncio.sleep(1.2 * COMMIT)
        store.part(f"prt_9{number}", "msg_2", type="text", text="More.")
        began, rows = time.monotonic(), 4 + number
        await until(lambda rows=rows: len(shown(session)) == rows)
        took.append(time.monotonic() - began)
    assert min(took) < COMMIT / 2
    session.close()
