"""The second line of a session in the list: the last sentence of its agent, from 120 columns."""

import os
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from agentview.domain.sort_order import Column
from agentview.sessions.library.session_list import Entry
from agentview.settings.reading import EffectiveSettings, read_settings
from agentview.ui.widgets.lists.session_cells import words_cells
from agentview.ui.widgets.lists.session_columns import layout
from agentview.ui.widgets.lists.session_list import SessionList, TwoLines
from tests.claude_log import ClaudeLog, write
from tests.ui.app_under_test import screen_text, typed, until
from tests.ui.screens.homes import all_indexed, library_over

NAME = "claude_code"
SIZE = (130, 24)
ANSWERS = (
    "It works.\n\n- Two files were changed. Shall I **commit** them?",
    "I looked at it.\n\n```sh\nmake all\n```",
    "Hostile \x1b]0;x\x07\u202e words [bold]here[/bold] for you to read.",
)
SAID = ("Shall I commit them?", "I looked at it.", "words [bold]here[/bold] for you to read.")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Thirty sessions of the last minutes, with three answers in turn."""
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    now = time.time()
    for number in range(30):
        session = f"{number:08d}-aaaa-4aaa-8aaa-000000000001"
        log = ClaudeLog(session, began=now - 60 * number - 120)
        path = tmp_path / NAME / "-home-dev-shop" / f"{session}.jsonl"
        answer = log.text(ANSWERS[number % 3], "end_turn")
        write(path, [log.prompt(f"Task {number:02d}"), answer])
        os.utime(path, (log.began, log.began))
    return tmp_path


def _settings(line: str) -> EffectiveSettings:
    return read_settings(os.environ, [line])


def _below(pilot: Pilot[None], title: str) -> str:
    lines = screen_text(pilot).splitlines()
    at = next(number for number, line in enumerate(lines) if title in line)
    return lines[at + 1]


def _sessions(pilot: Pilot[None]) -> SessionList:
    return pilot.app.screen.query_one(SessionList)


async def test_the_line_below_a_session_is_a_dash_until_it_is_indexed(home: Path) -> None:
    below: set[str] = set()

    def is_indexed() -> bool:
        if "Task 00" in screen_text(pilot):
            below.add(_below(pilot, "Task 00").strip())
        return any(SAID[0] in line for line in below)

    async with library_over(home, NAME).run_test(size=SIZE) as pilot:
        await until(pilot, is_indexed)
        known = _sessions(pilot).current
        assert known is not None
    assert all(below)
    unknown = Entry(replace(known.facts, totals=None))
    assert (
        "".join(text for text, _ in words_cells(unknown, layout(118, Column.ACTIVE), 118)).strip()
        == "–"
    )


async def test_each_session_has_its_last_sentence_below(home: Path) -> None:
    async with library_over(home, NAME).run_test(size=SIZE) as pilot:
        await all_indexed(pilot)
        for number, said in enumerate(SAID):
            below = _below(pilot, f"Task {number:02d}")
            assert said in below
            names = next(line for line in screen_text(pilot).splitlines() if "title" in line)
            assert not below[: names.index("title")].strip()
        assert "\x1b" not in screen_text(pilot)
        await pilot.resize_terminal(119, 24)
        await until(pilot, lambda: "Shall I commit" not in screen_text(pilot))
        await pilot.resize_terminal(*SIZE)
        await until(pilot, lambda: "Shall I commit" in screen_text(pilot))


async def test_keys_and_mouse_go_to_sessions(home: Path) -> None:
    async with library_over(home, NAME).run_test(size=SIZE) as pilot:
        await all_indexed(pilot)
        sessions = _sessions(pilot)

        def title() -> str:
            assert sessions.current is not None
            return sessions.current.info.title or ""

        await pilot.press("j", "j", "j")
        assert title() == "Task 03"
        await pilot.press("k")
        assert title() == "Task 02"
        await pilot.press("G")
        assert title() == "Task 29"
        # Both of its lines are in sight.
        await until(pilot, lambda: SAID[29 % 3] in _below(pilot, "Task 29"))
        await pilot.press("pageup", "g")
        assert title() == "Task 00"
        await pilot.pause()
        lines = screen_text(pilot).splitlines()
        row = next(at for at, line in enumerate(lines) if "Task 04" in line)
        await pilot.click(offset=(60, row + 1))
        assert title() == "Task 04"
        await pilot.click(offset=(60, row))
        assert title() == "Task 04"


async def test_groups_sorting_and_filters_hold(home: Path) -> None:
    async with library_over(home, NAME).run_test(size=SIZE) as pilot:
        await all_indexed(pilot)
        sessions = _sessions(pilot)
        await pilot.press("b")
        await until(pilot, lambda: "by project" in screen_text(pilot))

        await pilot.press("right_curly_bracket", "left_curly_bracket")
        assert sessions.current is not None
        await pilot.press("b", "b")
        await pilot.press("slash")
        await typed(pilot, "Task 17")
        await until(pilot, lambda: "1 match" in screen_text(pilot))
        assert SAID[17 % 3] in _below(pilot, "Task 17")


async def test_it_may_be_turned_off(home: Path) -> None:
    off = _settings("library.last_words=false")
    async with library_over(home, NAME, settings=off).run_test(size=SIZE) as pilot:
        await all_indexed(pilot)
        assert "Task 00" in screen_text(pilot)
        assert "Shall I commit" not in screen_text(pilot)


async def test_each_line_is_the_one_that_a_walk_gives(home: Path) -> None:
    async with library_over(home, NAME).run_test(size=SIZE) as pilot:
        await all_indexed(pilot)
        rows = _sessions(pilot)._shown  # pyright: ignore[reportPrivateUsage]
        headings = [row for row in rows if _sessions(pilot).is_heading(row)]
        for mixed in (rows, rows[1:4], [*headings, *rows, *headings, *rows[1:3], *headings]):
            lines = TwoLines(mixed)
            walked = [
                (row, below)
                for row in mixed
                for below in ([False] if _sessions(pilot).is_heading(row) else [False, True])
            ]
            assert len(lines) == len(walked)
            for line, (row, below) in zip(lines, walked, strict=True):
                assert (getattr(line, "entry", None) is row) if below else line is row
