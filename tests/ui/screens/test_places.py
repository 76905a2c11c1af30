"""Jumps and bookmarks over real logs, also before the rows there are known."""

import asyncio
import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.settings import LaunchOptions, Screen
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.status_line import StatusLine
from tests.claude_log import ClaudeLog, conversation, write
from tests.timeline.view.memory import MemorySession, answer, prompt, shell
from tests.ui.app_under_test import app_over, bar_text, screen_text, session_screen, typed, until

SIZE = (100, 30)
PROVIDER = load_provider("claude_code")


def _app(path: Path) -> AgentViewApp:
    return AgentViewApp(LaunchOptions(Screen.SESSION, PROVIDER.discovery.ref(path)))


async def _go(pilot: Pilot[None], place: str) -> None:
    await pilot.press("colon")
    await typed(pilot, place)
    await pilot.press("enter")
    await until(pilot, lambda: not pilot.app.screen.query(InputLine))


def _status(pilot: Pilot[None]) -> str:
    return bar_text(pilot.app.screen.query_one(StatusLine), 400)


def _session(pilot: Pilot[None]) -> LiveSession:
    session = session_screen(pilot).session
    assert isinstance(session, LiveSession)
    return session


def _selected_offset(pilot: Pilot[None]) -> int:
    row = session_screen(pilot).timeline.selected
    assert row is not None
    return _session(pilot).store.source(row).offset


def _at(pilot: Pilot[None], offset: int) -> Callable[[], bool]:
    return lambda: _selected_offset(pilot) == offset


@pytest.fixture(scope="module")
def records() -> list[bytes]:
    return conversation(ClaudeLog(), 300, size=2000)


@pytest.fixture
def log(tmp_path: Path, records: list[bytes]) -> Path:
    return write(tmp_path / "session.jsonl", records)


def _offset(records: list[bytes], index: int) -> int:
    return sum(map(len, records[:index]))


@pytest.mark.slow
async def test_a_line_a_byte_and_a_turn(log: Path, records: list[bytes]) -> None:
    async with _app(log).run_test(size=SIZE) as pilot:
        await _go(pilot, "401")
        await until(pilot, _at(pilot, _offset(records, 400)))
        await _go(pilot, f"b{_offset(records, 804) + 50}")
        await until(pilot, _at(pilot, _offset(records, 804)))
        await _go(pilot, "turn 3")
        await until(pilot, _at(pilot, _offset(records, 8)))
        assert not session_screen(pilot).timeline.follow


@pytest.mark.slow
async def test_a_line_that_is_shown_with_its_call_leads_there(
    log: Path, records: list[bytes]
) -> None:
    async with _app(log).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: _session(pilot).store.indexed)
        await _go(pilot, "403")
        await until(pilot, _at(pilot, _offset(records, 401)))


@pytest.mark.slow
async def test_a_time_is_the_first_activity_at_or_after_it(log: Path, records: list[bytes]) -> None:
    moment = datetime.fromisoformat(json.loads(records[400])["timestamp"]).astimezone(UTC)
    text = moment.astimezone().strftime("%H:%M:%S")
    async with _app(log).run_test(size=SIZE) as pilot:
        await _go(pilot, text)
        await until(pilot, _at(pilot, _offset(records, 400)))
        dated = moment.astimezone().strftime("%Y-%m-%d %H:%M")
        await pilot.press("G")
        await _go(pilot, dated)
        await until(pilot, lambda: 0 < _selected_offset(pilot) <= _offset(records, 400))
        await _go(pilot, "2031-01-01")
        await until(pilot, lambda: "there is nothing at 2031-01-01" in _status(pilot))


@pytest.mark.slow
async def test_what_is_no_place_says_what_is(log: Path) -> None:
    async with _app(log).run_test(size=SIZE) as pilot:
        await _go(pilot, "[/]nowhere")
        await until(
            pilot, lambda: "[/]nowhere is not a valid position; use a time" in _status(pilot)
        )
        await _go(pilot, "turn 301")
        await until(pilot, lambda: "no turn 301" in _status(pilot))
        await _go(pilot, "99999")
        await until(pilot, lambda: "there is nothing at 99999" in _status(pilot))
        await _go(pilot, "@999999999")
        await until(pilot, lambda: "there is nothing at @999999999" in _status(pilot))


@pytest.mark.slow
async def test_a_place_that_is_not_read_yet_is_gone_to_once_it_is(
    log: Path, records: list[bytes]
) -> None:
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(log))
    session.open()
    assert session.store.source(session.store.first).offset > _offset(records, 101)
    started: list[None] = []
    start, session.start = session.start, lambda: started.append(None)
    app = AgentViewApp(
        LaunchOptions(Screen.SESSION, session.ref), open_session=lambda _ref, _live: session
    )
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: bool(started))
        await _go(pilot, "101")
        await until(pilot, lambda: "to 101 once it is read" in _status(pilot))
        await pilot.press("escape")
        assert "once it is read" not in _status(pilot)
        await _go(pilot, "turn 26")
        assert "to turn 26 once it is read" in _status(pilot)
        await _go(pilot, "101")
        await until(pilot, lambda: "to 101 once it is read" in _status(pilot))
        start()
        await until(pilot, _at(pilot, _offset(records, 100)))
        assert "once it is read" not in _status(pilot)


@pytest.mark.slow
async def test_b_marks_and_an_apostrophe_goes_around_the_marks() -> None:
    session = MemorySession([prompt("a"), answer("b"), shell("c"), answer("d")])
    async with app_over(session).run_test(size=SIZE) as pilot:
        timeline = session_screen(pilot).timeline
        await pilot.press("apostrophe")
        assert "no bookmark yet" in _status(pilot)
        await pilot.press("g", "b", "j", "j", "b")
        await pilot.pause()
        assert [line[:1] for line in screen_text(pilot).splitlines()].count("»") == 2
        seen: list[int | None] = []
        for _ in range(3):
            await pilot.press("apostrophe")
            seen.append(timeline.selected)
        assert seen == [0, 2, 0]
        await pilot.press("b", "apostrophe")
        assert timeline.selected == 2
        await pilot.press("f")
        await typed(pilot, "kind:message")
        await pilot.press("enter")
        await until(pilot, lambda: not timeline.is_shown(2))
        await pilot.press("apostrophe")
        assert "all bookmarks are hidden" in _status(pilot)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state" / "sessions"


async def _bookmark_line(app: AgentViewApp, state: Path, offset: int) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await _go(pilot, "401")
        await until(pilot, _at(pilot, offset))
        await pilot.press("b")
        await until(pilot, lambda: any(state.glob("[!.]*.json")))
    # What was asked for last is written in a thread that the program does not wait for.
    while any(thread.name.startswith("annotations") for thread in threading.enumerate()):
        await asyncio.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize("rewritten", [False, True])
async def test_bookmarks_outlast_the_program_and_a_move_of_the_log(
    log: Path, records: list[bytes], state: Path, *, rewritten: bool
) -> None:
    await _bookmark_line(_app(log), state, _offset(records, 400))
    moved = log.parent / "elsewhere" / log.name
    moved.parent.mkdir()
    lines = log.read_bytes().splitlines(keepends=True)
    if rewritten:
        del lines[200:300]
    moved.write_bytes(b"".join(lines))
    log.unlink()
    app = _app(moved)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("apostrophe")
        expected = sum(map(len, lines[: lines.index(records[400])]))
        await until(pilot, _at(pilot, expected))
        assert any(line.startswith("»") for line in screen_text(pilot).splitlines())
        await pilot.press("b")
        await until(
            pilot, lambda: records[400][:8] not in next(state.glob("[!.]*.json")).read_bytes()
        )
    assert json.loads(next(state.glob("[!.]*.json")).read_text())["bookmarks"] == {}


@pytest.mark.slow
async def test_damaged_bookmarks_are_moved_away_and_said_to_be(
    log: Path, records: list[bytes], state: Path
) -> None:
    await _bookmark_line(_app(log), state, _offset(records, 400))
    kept = next(state.glob("[!.]*.json"))
    kept.write_bytes(b"{")
    app = _app(log)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "damaged bookmarks and notes were moved" in _status(pilot))
        await pilot.press("apostrophe")
        await until(pilot, lambda: "no bookmark yet" in _status(pilot))
    assert [path.read_bytes() for path in state.glob("*.damaged-*.json")] == [b"{"]


@pytest.mark.slow
async def test_bookmarks_are_there_when_the_session_is_opened_again(
    log: Path, records: list[bytes]
) -> None:
    app = _app(log)
    async with app.run_test(size=SIZE) as pilot:
        await _go(pilot, "401")
        await until(pilot, _at(pilot, _offset(records, 400)))
        await pilot.press("b")
        ref = PROVIDER.discovery.ref(log)
        again = app.sessions.screen(ref, live=False)
        assert isinstance(again, SessionScreen)
        await app.push_screen(again)
        await until(pilot, lambda: isinstance(app.screen, SessionScreen) and app.screen is again)
        again.session.start()
        await until(pilot, lambda: again.session.header().indexed == 1.0)
        await pilot.press("apostrophe")
        await until(pilot, _at(pilot, _offset(records, 400)))
