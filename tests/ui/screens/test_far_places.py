"""Keys that lead to what is not read yet: they say so, hold up nothing, and arrive in the end."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.settings import LaunchOptions, Screen
from agentview.ui.app import AgentViewApp
from agentview.ui.widgets.status_line import StatusLine
from tests.claude_log import ClaudeLog, conversation, write
from tests.ui.app_under_test import bar_text, screen_text, session_screen, typed, until

SIZE = (100, 30)
PROVIDER = load_provider("claude_code")


def _records() -> list[bytes]:
    """One failure, one long turn at the end, so that neither a turn nor a failure is near it."""
    log = ClaudeLog()
    records = conversation(log, 10, size=4000)
    records += [
        log.call("toolu_f", "Bash", command="false", description="Fail"),
        log.result("toolu_f", "Exit code 1\nthe zebra failed", is_error=True),
    ]
    records += conversation(log, 190, size=4000, begin=10)
    return [*records, *(log.text(f"Word {n} of the last turn " + "x" * 900) for n in range(400))]


class Reading:
    """A session whose beginning is read when the test says so."""

    def __init__(self, pilot: Pilot[None], session: LiveSession, start: Callable[[], None]) -> None:
        self.pilot = pilot
        self.session = session
        self.go_on = start

    @property
    def status(self) -> str:
        return bar_text(self.pilot.app.screen.query_one(StatusLine), 400)

    @property
    def selected(self) -> int:
        row = session_screen(self.pilot).timeline.selected
        assert row is not None
        return self.session.store.source(row).offset

    async def says(self, text: str) -> None:
        await until(self.pilot, lambda: text in self.status)

    async def arrives(self, offset: int) -> None:
        await until(self.pilot, lambda: self.selected == offset)
        assert "once it is read" not in self.status


@asynccontextmanager
async def _reading(path: Path) -> AsyncGenerator[Reading]:
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(path))
    session.open()
    started: list[None] = []
    start, session.start = session.start, lambda: started.append(None)
    app = AgentViewApp(
        LaunchOptions(Screen.SESSION, session.ref), open_session=lambda _ref, _live: session
    )
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: bool(started))
        yield Reading(pilot, session, start)


@pytest.fixture(scope="module")
def records() -> list[bytes]:
    return _records()


@pytest.fixture
def log(tmp_path: Path, records: list[bytes]) -> Path:
    return write(tmp_path / "session.jsonl", records)


def _offset(records: list[bytes], index: int) -> int:
    return sum(map(len, records[:index]))


@pytest.mark.parametrize(
    ("key", "place", "index"),
    [
        ("left_curly_bracket", "the turn before", -404),
        ("E", "the problem before", 40),
        ("g", "the start", 0),
    ],
)
async def test_a_key_waits_for_what_is_before_the_first_known_row(
    log: Path, records: list[bytes], key: str, place: str, index: int
) -> None:
    async with _reading(log) as reading:
        await reading.pilot.press(key)
        await reading.says(f"to {place} once it is read")
        reading.go_on()
        await reading.arrives(_offset(records, index % len(records)))


async def test_the_match_before_is_awaited_where_one_alone_is_read(tmp_path: Path) -> None:
    log = ClaudeLog()
    found = log.text("The zebra at the start")
    records = [found, *conversation(log, 1600, size=900), log.text("The zebra at the end")]
    async with _reading(write(tmp_path / "log.jsonl", records)) as reading:
        await reading.pilot.press("slash")
        await typed(reading.pilot, "zebra")
        await until(reading.pilot, lambda: "2 of 2" in screen_text(reading.pilot))
        await reading.pilot.press("enter", "N")
        await reading.says("to the previous match once it is read")
        reading.go_on()
        await reading.arrives(0)


async def test_what_there_is_not_is_said_when_all_is_read(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 200, size=2000))
    async with _reading(log) as reading:
        await reading.pilot.press("E")
        await reading.says("to the problem before once it is read")
        before = reading.selected
        reading.go_on()
        await reading.says("no problems")
        assert "once it is read" not in reading.status
        assert reading.selected == before


@pytest.mark.slow
@pytest.mark.parametrize("key", ["escape", "k", "pageup", "G"])
async def test_whoever_goes_elsewhere_meanwhile_is_left_there(log: Path, key: str) -> None:
    async with _reading(log) as reading:
        await reading.pilot.press("E")
        await reading.says("once it is read")
        await reading.pilot.press(key)
        await reading.pilot.pause()
        before = reading.selected
        reading.go_on()
        await until(reading.pilot, lambda: reading.session.store.indexed)
        await reading.pilot.pause(0.1)
        assert reading.selected == before
        assert "once it is read" not in reading.status


@pytest.mark.slow
async def test_a_match_before_the_first_known_row_is_waited_for(
    log: Path, records: list[bytes]
) -> None:
    async with _reading(log) as reading:
        await reading.pilot.press("slash")
        await typed(reading.pilot, "zebra")
        await until(reading.pilot, lambda: "1 found" in screen_text(reading.pilot))
        await reading.pilot.press("enter", "N")
        await reading.says("to the previous match once it is read")
        reading.go_on()
        await reading.arrives(_offset(records, 40))


@pytest.mark.slow
async def test_a_filter_that_is_left_before_it_is_worked_out_is_applied(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 2000))
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(log))
    session.open()
    app = AgentViewApp(
        LaunchOptions(Screen.SESSION, session.ref), open_session=lambda _ref, _live: session
    )
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: session.store.indexed)
        timeline = session_screen(pilot).timeline
        await pilot.press("f")
        await typed(pilot, '"echo 1"')
        await pilot.press("enter")
        await until(pilot, lambda: not timeline.is_shown(session.store.end - 1))
        assert all(
            "echo 1" in str(session.store.activity(row).body)
            for row in range(session.store.first, session.store.end)
            if timeline.is_shown(row)
        )
