"""The away report on the screen: `u` on the board, and from there into a session and back."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.domain.unread import SeenPlace
from agentview.sessions.annotations.all_sessions import AllAnnotations
from agentview.sessions.annotations.seen import set_seen
from agentview.sessions.annotations.session_file import SessionFile
from agentview.ui.screens.away import AwayScreen
from agentview.ui.screens.live_sessions import BoardScreen
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.lists.line_list import LineList
from tests.claude_log import ClaudeLog, conversation, write
from tests.ui.app_under_test import screen_text, session_screen, until
from tests.ui.screens.homes import library_over
from tests.ui.screens.test_board import board

NAME = "claude_code"
FIRST = "11111111-aaaa-4aaa-8aaa-000000000001"
SECOND = "22222222-bbbb-4bbb-8bbb-000000000002"
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1p" * 2 + "QrSt"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "state" / "sessions"


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The day began long before the sessions, whenever the test runs."""
    monkeypatch.setenv("TZ", f"NOON{time.gmtime().tm_hour - 12:+d}")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A session with forty turns, and one whose only call failed; both of the last hour."""
    folder = tmp_path / NAME / "-home-dev-shop"
    began = time.time() - 1_800
    long, short = ClaudeLog(FIRST, began=began), ClaudeLog(SECOND, began=began + 900)
    write(folder / f"{FIRST}.jsonl", conversation(long, 40))
    records = [
        short.prompt(f"Use {TOKEN} once"),
        short.call("t1", "Bash", command="make all"),
        short.result("t1", "Exit code 2\nno rule", "Error: Exit code 2", is_error=True),
        short.text("It fails. Shall I write a rule for it?", "end_turn"),
    ]
    write(folder / f"{SECOND}.jsonl", records)
    for name, age in ((FIRST, 1_600), (SECOND, 800)):
        moment = time.time() - age
        os.utime(folder / f"{name}.jsonl", (moment, moment))
    return tmp_path


async def _report(pilot: Pilot[None]) -> None:
    await board(pilot)
    await pilot.press("u")
    await until(pilot, lambda: isinstance(pilot.app.screen, AwayScreen))
    await until(pilot, lambda: "since you looked" in screen_text(pilot))


async def test_it_says_what_happened_and_leads_there_and_back(logs: Path) -> None:
    async with library_over(logs, NAME).run_test(size=(80, 24)) as pilot:
        await _report(pilot)
        await until(pilot, lambda: "Shell make all" in screen_text(pilot))
        text = screen_text(pilot)
        assert "since you looked: 2 sessions · 1 with failures" in text
        assert "failed  Shell make all" in text
        assert "said    “Shall I write a rule for it?”" in text
        assert "prompt  35 earlier" in text
        lines = pilot.app.screen.query_one(LineList)
        await pilot.press("j")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        # The line of the failed call leads to the call.
        await until(pilot, lambda: "make all" in screen_text(pilot))
        screen = session_screen(pilot)
        await until(pilot, lambda: screen.timeline.selected is not None)
        selected = screen.session.store.activity(screen.timeline.selected or 0)
        assert selected.first.source.offset > 0
        await pilot.press("q")
        await until(pilot, lambda: isinstance(pilot.app.screen, AwayScreen))
        assert lines.cursor == 1
        await pilot.press("u")
        await until(pilot, lambda: isinstance(pilot.app.screen, BoardScreen))


async def test_details_have_the_room_that_a_short_title_leaves(logs: Path) -> None:
    log = ClaudeLog(SECOND, began=time.time() - 900)
    message = {"role": "user", "content": "Go"}
    begin = log.record("user", message=message, cwd="/home/dev/a-shop-with-a-long-name")
    write(logs / NAME / "-home-dev-shop" / f"{SECOND}.jsonl", [begin, log.text("Yes.", "end_turn")])
    async with library_over(logs, NAME).run_test(size=(80, 24)) as pilot:
        await _report(pilot)
        await until(pilot, lambda: "“Yes.”" in screen_text(pilot))
        (head,) = (line for line in screen_text(pilot).splitlines() if "a-shop-with" in line)
        assert "Claude Code" in head


async def test_a_session_is_opened_where_it_is_new(logs: Path, state: Path) -> None:
    log = logs / NAME / "-home-dev-shop" / f"{FIRST}.jsonl"
    offset = log.read_bytes().index(b"Step 20: please")
    began = time.time() - 1_800
    set_seen(
        SessionFile(NAME, FIRST, state), "", SeenPlace("x", offset, 0, began + 90, began + 81)
    )()
    async with library_over(logs, NAME).run_test(size=(100, 30)) as pilot:
        await _report(pilot)
        await pilot.press("right_curly_bracket", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        await until(
            pilot, lambda: "Step 20" in screen_text(pilot) or "Step 21" in screen_text(pilot)
        )
        assert "Step 39" not in screen_text(pilot)


async def test_another_time_and_what_was_read_meanwhile(logs: Path, state: Path) -> None:
    async with library_over(logs, NAME).run_test(size=(120, 40)) as pilot:
        await _report(pilot)
        await pilot.press("p")
        await until(pilot, lambda: "since 00:00: 2 sessions" in screen_text(pilot))
        await pilot.press("p", "p", "p")
        await until(pilot, lambda: "since you looked: 2 sessions" in screen_text(pilot))
        now = time.time()
        for session in (FIRST, SECOND):
            set_seen(SessionFile(NAME, session, state), "", SeenPlace("x", 1, 0, now, now))()
        await pilot.press("r")
        await until(pilot, lambda: "Nothing happened since you looked." in screen_text(pilot))


async def test_masks_hold_here_too(logs: Path) -> None:
    async with library_over(logs, NAME).run_test(size=(120, 40)) as pilot:
        await _report(pilot)
        await until(pilot, lambda: TOKEN in screen_text(pilot))
        await pilot.press("x")
        await until(pilot, lambda: "secrets are masked" in screen_text(pilot))
        assert TOKEN not in screen_text(pilot)
        assert "make all" in screen_text(pilot)


async def test_what_was_seen_has_its_own_time(logs: Path) -> None:
    async with library_over(logs, NAME).run_test(size=(100, 30)) as pilot:
        await _report(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        screen = session_screen(pilot)
        ref = screen.session.ref
        await until(pilot, lambda: screen.session.header().indexed == 1.0)
        await pilot.press("G", "q")
        kept = AllAnnotations()

        def is_kept() -> bool:
            kept.load()
            return kept.seen(ref) is not None

        await until(pilot, is_kept)
        seen = kept.seen(ref)
        assert seen is not None
        assert seen.time is not None
        assert time.time() - 1_000 < seen.time < time.time() - 800
