"""A filter over a log of several megabytes: its words are looked for by a child process."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.domain.activity import RowKind
from agentview.facts.search.in_session import SMALL
from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
from agentview.ui.app import AgentViewApp
from agentview.ui.timeline.filter_task import FilterTask
from agentview.ui.timeline.search_bar import SearchBar
from tests.claude_log import ClaudeLog, conversation, write
from tests.ui.app_under_test import screen_text, session_screen, typed, until

pytestmark = pytest.mark.slow

PROVIDER = load_provider("claude_code")
SIZE = (100, 30)
TURNS = 400


def _read(log: ClaudeLog, number: int) -> list[bytes]:
    return [
        log.call(f"r{number}", "Read", file_path=f"/shop/zebra/{number}.py"),
        log.result(f"r{number}", "no", is_error=number == 1),
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    log = ClaudeLog()
    records = conversation(log, TURNS, size=9000)
    for number, place in enumerate((1200, 600, 40)):
        log.insert(records, place, partial(_read, log, number))
    records.append(log.text("the zebra is read"))
    path = write(tmp_path / "big.jsonl", records)
    assert path.stat().st_size > SMALL
    return path


def narrowing(pilot: Pilot[None]) -> FilterTask:
    return pilot.app.screen.query_one(SearchBar)._narrowing  # pyright: ignore[reportPrivateUsage]


async def filtered(pilot: Pilot[None], line: str) -> list[int]:
    """Rows that the line leaves in."""
    await pilot.press("f")
    await typed(pilot, line)
    await pilot.press("enter")
    wanted = narrowing(pilot)
    await until(pilot, lambda: wanted.line == line and wanted.done)
    await pilot.pause(0.1)
    screen = session_screen(pilot)
    timeline, session = screen.timeline, screen.session
    rows = [row for row in range(session.store.first, session.store.end) if timeline.is_shown(row)]
    await pilot.press("escape")
    return rows


def kinds(pilot: Pilot[None], rows: list[int]) -> list[str]:
    return [session_screen(pilot).session.store.kind(row).value for row in rows]


async def test_words_terms_and_what_they_exclude(path: Path) -> None:
    app = AgentViewApp(LaunchOptions(Screen.SESSION, PROVIDER.discovery.ref(path)))
    async with app.run_test(size=SIZE) as pilot:
        session = session_screen(pilot).session
        await until(pilot, lambda: session.header().indexed == 1.0)
        zebras = await filtered(pilot, "zebra")
        assert kinds(pilot, zebras) == ["read", "read", "read", "message"]
        assert await filtered(pilot, "file:ZEBRA/") == zebras[:3]
        assert await filtered(pilot, "zebra -kind:read") == zebras[3:]
        assert await filtered(pilot, "zebra state:error") == zebras[1:2]
        assert await filtered(pilot, "zebra -state:error kind:read") == [zebras[0], zebras[2]]
        assert await filtered(pilot, "tool:rea -regex:/zebra.[02]/") == zebras[1:2]
        others = await filtered(pilot, "-zebra kind:shell")
        assert len(others) == TURNS
        await until(pilot, lambda: narrowing(pilot)._terms._worker is None)  # pyright: ignore[reportPrivateUsage]


async def test_a_filter_that_is_set_while_the_log_is_read_holds_for_all_of_it(path: Path) -> None:
    app = AgentViewApp(LaunchOptions(Screen.SESSION, PROVIDER.discovery.ref(path)))
    async with app.run_test(size=SIZE) as pilot:
        rows = await filtered(pilot, "regex:/zebra/")
        session = session_screen(pilot).session
        await until(pilot, lambda: session.header().indexed == 1.0)
        assert len(await filtered(pilot, "regex:/zebra/")) == 4
        assert {*rows} <= {*await filtered(pilot, "zebra")}


async def test_what_is_written_later_passes_or_does_not(path: Path) -> None:
    app = AgentViewApp(LaunchOptions(Screen.SESSION, PROVIDER.discovery.ref(path), live=True))
    async with app.run_test(size=SIZE) as pilot:
        session = session_screen(pilot).session
        await until(pilot, lambda: session.header().indexed == 1.0)
        await pilot.press("f")
        await typed(pilot, "zebra")
        await pilot.press("enter")
        await until(pilot, lambda: narrowing(pilot).done)
        log = ClaudeLog("0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0001", agent=None)
        log._count = 9000  # pyright: ignore[reportPrivateUsage]
        with path.open("ab") as file:
            file.write(log.text("a horse") + log.text("another zebra came"))
        await until(pilot, lambda: "another zebra came" in screen_text(pilot))
        assert "a horse" not in screen_text(pilot)
        assert session.store.kind(session.store.end - 1) is RowKind.MESSAGE


async def test_without_its_child_the_filter_goes_on(path: Path) -> None:
    app = AgentViewApp(LaunchOptions(Screen.SESSION, PROVIDER.discovery.ref(path)))
    async with app.run_test(size=SIZE) as pilot:
        session = session_screen(pilot).session
        await until(pilot, lambda: session.header().indexed == 1.0)
        await pilot.press("f")
        wanted = narrowing(pilot)
        wanted.begin("zebra")
        child = wanted._terms._worker  # pyright: ignore[reportPrivateUsage]
        assert child is not None
        await until(pilot, lambda: child.pid is not None)
        assert child.pid is not None
        if not wanted.done:
            os.kill(child.pid, signal.SIGKILL)
        await until(pilot, lambda: wanted.done)
        timeline = session_screen(pilot).timeline
        rows = [
            row for row in range(session.store.first, session.store.end) if timeline.is_shown(row)
        ]
        assert kinds(pilot, rows) == ["read", "read", "read", "message"]
