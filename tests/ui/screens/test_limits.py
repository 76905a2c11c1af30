"""How much of the limits of an account is left, on the board and in the header of a session."""

import time
from pathlib import Path

import pytest

from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
from agentview.timeline.view.format_numbers import clock_time
from agentview.ui.app import AgentViewApp
from agentview.ui.messages import MinutePassed
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.home_header import HomeHeader
from agentview.ui.widgets.session_header import SessionHeader
from tests.cli.codex_log import CodexLog
from tests.ui.app_under_test import bar_text, until
from tests.ui.screens.homes import all_indexed, header_text, library_over
from tests.ui.screens.test_board import board

HOUR = 3600.0


def logs(root: Path, used: float, now: float) -> list[CodexLog]:
    """Two sessions; the second one has the newer figures."""
    found: list[CodexLog] = []
    for number, part in enumerate((used / 2, used)):
        thread = f"019cb1a0-1111-7aaa-8bbb-00000000000{number}"
        log = CodexLog(root / str(number), now - 60, "/home/dev/shop", thread)
        log.say(now - 59, "user", "Fix the parser")
        log.say(now - 50, "assistant", "Done.")
        log.limits(now - 40 + number, part, now + 2 * HOUR)
        found.append(log)
    (root / "codex").mkdir()
    for log in found:
        log.path.rename(root / "codex" / log.path.name)
        log.path = root / "codex" / log.path.name
    return found


@pytest.mark.slow
async def test_the_board_shows_the_newest_figures_of_an_account(tmp_path: Path) -> None:
    now = time.time()
    logs(tmp_path, 42.0, now)
    async with library_over(tmp_path, "codex").run_test(size=(140, 20)) as pilot:
        await all_indexed(pilot)
        await board(pilot)
        await until(pilot, lambda: "2 live sessions" in header_text(pilot))
        resets = clock_time(int(now + 2 * HOUR))
        await until(pilot, lambda: f"codex 5h 58% left until {resets}" in header_text(pilot))
        header = pilot.app.screen.query_one(HomeHeader)
        assert "codex 7d 93% left until" in bar_text(pilot.app.screen.query_one(HomeHeader), 140)
        assert "7d" not in bar_text(header, 90)
        assert f"codex 5h 58% left until {resets}" in bar_text(header, 90)
        assert "codex 5h 58%" in bar_text(header, 62)
        assert "1 Board  2 Sessions" in bar_text(header, 62)
        assert "5h" not in bar_text(header, 24)


@pytest.mark.slow
async def test_a_limit_that_was_reset_is_not_on_the_board(tmp_path: Path) -> None:
    now, later = time.time(), 0.0
    logs(tmp_path, 42.0, now)
    app = library_over(tmp_path, "codex", clock=lambda: time.time() + later)
    async with app.run_test(size=(140, 20)) as pilot:
        await all_indexed(pilot)
        await board(pilot)
        await until(pilot, lambda: "5h" in header_text(pilot))
        later = 2 * HOUR
        pilot.app.screen.post_message(MinutePassed())
        await until(pilot, lambda: "5h" not in header_text(pilot))
        assert "codex 7d 93% left" in header_text(pilot)


@pytest.mark.parametrize(("used", "at_80"), [(42.0, False), (99.0, True)])
async def test_the_header_of_a_session(tmp_path: Path, used: float, at_80: bool) -> None:
    now = time.time()
    *_, log = logs(tmp_path, used, now)
    ref = load_provider("codex").discovery.ref(log.path)
    app = AgentViewApp(LaunchOptions(Screen.SESSION, ref))
    async with app.run_test(size=(160, 20)) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        header = pilot.app.screen.query_one(SessionHeader)
        resets = clock_time(int(now + 2 * HOUR))
        # Of the five hours three have passed: 99 % of them are nearly all, 42 % last longer.
        full = clock_time(now - 3 * HOUR + (3 * HOUR - 39) / 0.99)
        forecast = f", full at {full}?" if at_80 else ""
        words = f"5h {100 - used:.0f}% left until {resets}{forecast} · 7d 93% left until"
        await until(pilot, lambda: words in bar_text(header, 220))
        assert ("5h 1%" in bar_text(header, 80)) is at_80
        log.limits(now - 10, 100.0, now + HOUR)
        await until(pilot, lambda: "5h 0% left" in bar_text(header, 220))
