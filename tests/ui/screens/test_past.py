"""Blame and comparison on the screen: who wrote a line, and where two sessions differ."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
from agentview.ui.app import AgentViewApp
from agentview.ui.messages import ComparisonRequested, CopyRequested
from agentview.ui.screens.blame import BlameScreen
from agentview.ui.screens.compare import CompareScreen
from agentview.ui.screens.file_changes import FileChangesScreen
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.report_frame import ReportFrame
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.lists.line_list import LineList
from agentview.ui.widgets.status_line import StatusLine
from tests.claude_log import ClaudeLog
from tests.facts.edits.clients import ROOT, Claude
from tests.ui.app_under_test import bar_text, screen_text, until
from tests.ui.screens.homes import all_indexed
from tests.ui.widgets.panel.panels import open_tab

FIRST = "11111111-aaaa-4aaa-8aaa-000000000001"
SECOND = "22222222-bbbb-4bbb-8bbb-000000000002"
LATER = 1_795_300_000.0
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1p" * 2 + "QrSt"
Compare = Callable[..., bool]


def _client(tree: dict[str, bytes], session: str) -> Claude:
    client = Claude(tree)
    client.log = ClaudeLog(session)
    client.records[:] = [client.log.prompt("Write the retry helper")]
    return client


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a file that two sessions and a person wrote."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CACHE", "DATA"):
        monkeypatch.setenv(f"AGENTVIEW_{name}_DIR", str(tmp_path / name))
    for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    one = _client({}, FIRST)
    one.write("retry.py", "import time\n\ndef delay(n):\n    return 2 ** n\n\nLIMIT = 30\n")
    one.flush()
    one.records.append(one.log.prompt("Now cap it"))
    one.edit("retry.py", "    return 2 ** n", "    return min(30, 2 ** n)")
    two = _client(one.left(), SECOND)
    two.edit("retry.py", "import time\n", "import random\nimport time\n")
    two.write("README.md", "# Shop\n")
    for client, day, session in ((one, 20, FIRST), (two, 21, SECOND)):
        client.flush()
        data = b"".join(client.records).replace(ROOT.encode(), str(tmp_path / "shop").encode())
        log = _log(tmp_path, session)
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(data.replace(b"2026-11-21T", b"2026-11-%02dT" % day))
        os.utime(log, (LATER, LATER))
    path = tmp_path / "shop" / "retry.py"
    path.parent.mkdir()
    path.write_bytes(two.left()["retry.py"] + b"\nmain()\n")
    return tmp_path


def _log(home: Path, session: str) -> Path:
    return home / ".claude" / "projects" / "-shop" / f"{session}.jsonl"


def _over_session(home: Path, session: str) -> AgentViewApp:
    ref = load_provider("claude_code").discovery.ref(_log(home, session))
    return AgentViewApp(LaunchOptions(Screen.SESSION, ref), clock=lambda: LATER)


def _over_library(home: Path) -> AgentViewApp:
    roots = [("claude_code", home / ".claude" / "projects")]
    return AgentViewApp(LaunchOptions(Screen.LIBRARY), clock=lambda: LATER, roots=roots)


async def _blame(pilot: Pilot[None]) -> BlameScreen:
    """Blame the file of the first edit of the session on the screen."""
    screen = pilot.app.screen
    assert isinstance(screen, SessionScreen)
    await until(pilot, lambda: screen.session.header().indexed == 1.0)
    await pilot.press("g", "j", "B")
    return await _blamed(pilot)


async def _blamed(pilot: Pilot[None]) -> BlameScreen:
    await until(pilot, lambda: isinstance(pilot.app.screen, BlameScreen))
    screen = pilot.app.screen
    assert isinstance(screen, BlameScreen)
    await until(pilot, lambda: not screen.query_one(ReportFrame).has_class("-empty"))
    await pilot.pause(0.2)
    return screen


async def _compared(pilot: Pilot[None]) -> CompareScreen:
    """Mark the second session of the list, and compare the first one with it."""
    await all_indexed(pilot)
    await pilot.press("j", "equals_sign")
    await until(pilot, lambda: "= Write the retry helper" in screen_text(pilot))
    await pilot.press("k", "equals_sign")
    await until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
    screen = pilot.app.screen
    assert isinstance(screen, CompareScreen)
    await until(pilot, lambda: not screen.query_one(ReportFrame).has_class("-empty"))
    await pilot.pause(0.2)
    return screen


def _rows(pilot: Pilot[None]) -> list[list[str]]:
    return [line.split() for line in screen_text(pilot).splitlines()]


@pytest.mark.slow
async def test_each_line_has_its_writer_and_leads_to_the_call(home: Path) -> None:
    async with _over_session(home, FIRST).run_test(size=(120, 40)) as pilot:
        await _blame(pilot)
        rows = _rows(pilot)
        assert rows[0][:1] == ["~/shop/retry.py"]
        assert "2 lines of no session" in screen_text(pilot)
        assert rows[1][:3] == ["22222222", "turn", "1"]
        assert rows[2][:3] == ["11111111", "turn", "1"]
        assert rows[5][:3] == ["11111111", "turn", "2"]
        assert rows[8][0] == "–"
        await pilot.press("g", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        screen = pilot.app.screen
        assert isinstance(screen, SessionScreen)
        assert screen.session.ref.session_id == SECOND
        await until(pilot, lambda: screen.timeline.selected is not None)
        await until(pilot, lambda: "import random" in repr(_selected(screen)))


def _selected(screen: SessionScreen) -> object:
    row = screen.timeline.selected
    return None if row is None else screen.session.store.activity(row).body


@pytest.mark.slow
async def test_writers_are_gone_through_and_prompts_copied(home: Path) -> None:
    async with _over_session(home, FIRST).run_test(size=(80, 24)) as pilot:
        screen = await _blame(pilot)
        copied: list[CopyRequested] = []
        post = screen.post_message

        def noted(message: object) -> bool:
            if isinstance(message, CopyRequested):
                copied.append(message)
            return post(message)  # pyright: ignore[reportArgumentType]

        screen.post_message = noted
        await pilot.press("g", "right_curly_bracket", "right_curly_bracket", "y", "c")
        await until(pilot, lambda: len(copied) == 2)
        assert [each.text for each in copied] == ["Now cap it", FIRST]
        assert screen.query_one(LineList).cursor == 4
        await pilot.press("G", "enter")
        status = screen.query_one(StatusLine)
        await until(pilot, lambda: "no recorded call wrote this line" in bar_text(status, 200))


@pytest.mark.slow
async def test_secrets_of_the_file_are_masked(home: Path) -> None:
    with (home / "shop" / "retry.py").open("a") as file:
        file.write(f"KEY = '{TOKEN}'\n")
    async with _over_session(home, FIRST).run_test(size=(120, 40)) as pilot:
        await _blame(pilot)
        assert TOKEN in screen_text(pilot)
        await pilot.press("x")
        await until(pilot, lambda: TOKEN[:12] not in screen_text(pilot))
        await pilot.press("x")
        await until(pilot, lambda: TOKEN in screen_text(pilot))


@pytest.mark.slow
async def test_from_the_files_tab_and_the_changes_of_a_file(home: Path) -> None:
    async with _over_session(home, FIRST).run_test(size=(120, 40)) as pilot:
        await open_tab(pilot, "Files")
        await until(pilot, lambda: "retry.py" in screen_text(pilot))
        await pilot.press("g", "B")
        await _blamed(pilot)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, FileChangesScreen))
        await pilot.press("B")
        await _blamed(pilot)


async def test_a_file_that_is_gone_is_named(home: Path) -> None:
    (home / "shop" / "retry.py").unlink()
    async with _over_session(home, FIRST).run_test(size=(120, 40)) as pilot:
        await pilot.press("g", "j", "B")
        status = pilot.app.screen.query_one(StatusLine)
        await until(pilot, lambda: "retry.py" in bar_text(status, 200))
        assert isinstance(pilot.app.screen, SessionScreen)


@pytest.mark.slow
async def test_two_sessions_are_compared(home: Path) -> None:
    async with _over_library(home).run_test(size=(120, 40)) as pilot:
        await _compared(pilot)
        rows = _rows(pilot)
        assert rows[0] == ["compared", "A", "B", "difference"]
        assert ["session", "11111111", "22222222"] in rows
        assert ["prompts", "2", "1", "-1"] in rows
        assert ["README.md", "not", "changed", "new", "+1"] in rows
        await pilot.press("f")
        await until(pilot, lambda: "only differences" in screen_text(pilot))
        assert not any(row[-1:] == ["="] for row in _rows(pilot)[1:-1])


@pytest.mark.slow
async def test_a_row_has_its_details_and_leads_to_both_sessions(home: Path) -> None:
    async with _over_library(home).run_test(size=(120, 40)) as pilot:
        screen = await _compared(pilot)
        rows = screen.query_one(LineList)

        def below() -> str:
            return screen_text(pilot).split("─" * 20, 1)[-1]

        await pilot.press("G")
        while "Now cap it" not in below():
            await pilot.press("k")
            await pilot.pause()
            assert rows.cursor
        assert "B  has no prompt here" in below()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        opened = pilot.app.screen
        assert isinstance(opened, SessionScreen)
        assert opened.session.ref.session_id == FIRST
        await until(pilot, lambda: "Now cap it" in repr(_selected(opened)))
        await pilot.press("q")
        await until(pilot, lambda: pilot.app.screen is screen)
        await pilot.press("b")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        other = pilot.app.screen
        assert isinstance(other, SessionScreen)
        assert other.session.ref.session_id == SECOND


@pytest.mark.slow
async def test_a_mark_is_taken_back(home: Path) -> None:
    async with _over_library(home).run_test(size=(120, 40)) as pilot:
        await all_indexed(pilot)
        await pilot.press("equals_sign", "equals_sign")
        status = pilot.app.screen.query_one(StatusLine)
        await until(pilot, lambda: "unmarked" in bar_text(status, 200))
        assert isinstance(pilot.app.screen, LibraryScreen)
        assert "= Write" not in screen_text(pilot)


@pytest.mark.slow
async def test_a_log_that_is_gone_is_named(home: Path) -> None:
    async with _over_library(home).run_test(size=(200, 24)) as pilot:
        await all_indexed(pilot)
        refs = [
            load_provider("claude_code").discovery.ref(_log(home, each)) for each in (FIRST, SECOND)
        ]
        _log(home, SECOND).unlink()
        pilot.app.screen.post_message(ComparisonRequested(*refs))
        await until(pilot, lambda: SECOND in screen_text(pilot))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(pilot.app.screen, LibraryScreen))


SIZES = [(80, 24), (120, 40)]


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=["narrow", "wide"])
def test_blame_looks(home: Path, size: tuple[int, int], snap_compare: Compare) -> None:
    async def press(pilot: Pilot[None]) -> None:
        await _blame(pilot)
        await pilot.press("g", "j")
        await pilot.pause(0.3)

    assert snap_compare(_over_session(home, FIRST), terminal_size=size, run_before=press)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=["narrow", "wide"])
def test_comparison_looks(home: Path, size: tuple[int, int], snap_compare: Compare) -> None:
    async def press(pilot: Pilot[None]) -> None:
        await _compared(pilot)
        await pilot.press("G", "k", "k", "k", "k", "k", "k")
        await pilot.pause(0.3)

    assert snap_compare(_over_library(home), terminal_size=size, run_before=press)
