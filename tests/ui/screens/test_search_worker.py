"""Search of a log of several megabytes, by the child process that the screen starts."""

import os
import signal
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.facts.search.in_session import SMALL
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.settings import LaunchOptions, Screen
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.app import AgentViewApp
from agentview.ui.timeline.search_bar import SearchBar
from agentview.ui.widgets.prompt_line import LineInput
from agentview.ui.widgets.status_line import StatusLine
from tests.claude_log import ClaudeLog, conversation, write
from tests.ui.app_under_test import bar_text, screen_text, session_screen, typed, until

PROVIDER = load_provider("claude_code")
SIZE = (100, 30)


def _records(log: ClaudeLog) -> list[bytes]:
    records = conversation(log, 400, size=9000)
    folded = "\n".join([*(f"line {n}" for n in range(60)), "the zebra hides here"])
    for place in (1200, 600, 40):
        extra = [
            log.call(f"toolu_f{place}", "Read", file_path="/a"),
            log.result(f"toolu_f{place}", folded),
        ]
        records[place:place] = extra
    return records


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = write(tmp_path / "big.jsonl", _records(ClaudeLog()))
    assert path.stat().st_size > 3 * SMALL
    return path


def _app(path: Path) -> AgentViewApp:
    return AgentViewApp(LaunchOptions(Screen.SESSION, PROVIDER.discovery.ref(path), live=True))


def _status(pilot: Pilot[None]) -> str:
    return bar_text(pilot.app.screen.query_one(StatusLine), 400)


async def _search(pilot: Pilot[None], query: str) -> None:
    await pilot.press("slash")
    await typed(pilot, query)


def _child_pid(pilot: Pilot[None]) -> int | None:
    terms = pilot.app.screen.query_one(SearchBar)._search._terms  # pyright: ignore[reportPrivateUsage]
    child = terms._worker  # pyright: ignore[reportPrivateUsage]
    return None if child is None else child.pid


@pytest.mark.slow
async def test_hits_are_stepped_through_opened_and_marked(path: Path) -> None:
    async with _app(path).run_test(size=SIZE) as pilot:
        timeline = session_screen(pilot).timeline
        await _search(pilot, "zebra")
        await until(pilot, lambda: "3 of 3" in screen_text(pilot))
        selected = timeline.selected
        assert selected is not None
        assert timeline.level(selected) is DetailLevel.FULL
        await pilot.press("enter")
        await until(pilot, lambda: "/zebra  3 of 3" in _status(pilot))
        await until(pilot, lambda: _child_pid(pilot) is None)
        await pilot.press("N")
        await until(pilot, lambda: "/zebra  2 of 3" in _status(pilot))
        assert timeline.level(selected) is not DetailLevel.FULL
        await pilot.press("n", "n")
        await until(pilot, lambda: "/zebra  1 of 3" in _status(pilot))
        await pilot.press("f")
        await typed(pilot, "kind:message")
        await pilot.press("enter", "n")
        await until(pilot, lambda: "3 found for zebra, all hidden by the filter" in _status(pilot))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("zebra hides", "of 3"),
        ("hides zebra tool:read", "of 3"),
        ("zebra kind:shell", "0 found"),
        ("zebra -hides", "0 found"),
        ('"zebra hides" kind:read state:ok', "of 3"),
        ("regex:/zeb.a/ file:/a", "of 3"),
        ("kind:nothing", 'unknown kind "nothing"'),
        ("cost:>5", "invalid filter: cost:>5"),
    ],
)
async def test_a_search_takes_what_a_filter_takes(path: Path, line: str, found: str) -> None:
    async with _app(path).run_test(size=(160, 30)) as pilot:
        await _search(pilot, line)
        await until(pilot, lambda: found in screen_text(pilot))


@pytest.mark.slow
async def test_what_is_appended_during_a_search_is_found(path: Path) -> None:
    log = ClaudeLog(agent="later")
    log.agent = None
    async with _app(path).run_test(size=SIZE) as pilot:
        await _search(pilot, "zebra")
        with path.open("ab") as file:
            file.write(log.text("another zebra"))
        await until(pilot, lambda: "of 4" in screen_text(pilot) or "4 found" in screen_text(pilot))


@pytest.mark.slow
async def test_a_child_that_is_killed_is_done_without(path: Path) -> None:
    async with _app(path).run_test(size=SIZE) as pilot:
        await pilot.press("slash")
        await until(pilot, lambda: _child_pid(pilot) is not None)
        pid = _child_pid(pilot)
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        await typed(pilot, "zebra")
        os.kill(pid, signal.SIGKILL)
        await until(pilot, lambda: "the search process ended; searching on" in _status(pilot))
        await until(pilot, lambda: "of 3" in screen_text(pilot))
        session = session_screen(pilot).session
        assert isinstance(session, LiveSession)


@pytest.mark.slow
async def test_escape_ends_the_child(path: Path) -> None:
    async with _app(path).run_test(size=SIZE) as pilot:
        await _search(pilot, "o")
        await until(pilot, lambda: _child_pid(pilot) is not None)
        await pilot.press("escape")
        await until(pilot, lambda: _child_pid(pilot) is None)
        assert "/o" not in _status(pilot)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x" * 100_000, "query too long"),
        ('"' * 100_000, "query too long"),
        ('say "unbalanced', "0 found"),
        ("\x1b]52;c;eA==\x07 \u202e", "0 found"),
        ("regex:/(a|aa|a?a)+$/", "found"),
        ("regex:/[/", "invalid regular expression"),
    ],
    ids=["long", "quotes", "open", "controls", "slow", "wrong"],
)
@pytest.mark.parametrize("key", ["slash", "f"])
async def test_no_line_harms_the_screen(path: Path, key: str, line: str, said: str) -> None:
    with path.open("ab") as file:
        file.write(ClaudeLog(agent=None).text("a" * 5000 + "!"))
    async with _app(path).run_test(size=(120, 30)) as pilot:
        await pilot.press(key)
        field = pilot.app.screen.query_one(LineInput)
        field.value = line
        if key == "slash" or "found" not in said:
            await until(pilot, lambda: said in screen_text(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: not pilot.app.screen.query(LineInput))
        assert "\x1b" not in screen_text(pilot)
