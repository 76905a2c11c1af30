"""Matches in their place next to the list, below their sessions, and narrowed by facets."""

import os
import re
import time
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.ui.screens.search.screen import SearchScreen
from agentview.ui.widgets.facet_bar import FacetBar
from agentview.ui.widgets.lists.search_results import AgentLine, HitLine, HitList, SessionLine
from agentview.ui.widgets.preview import Preview
from tests.claude_log import ClaudeLog, write
from tests.nested_agents import nested_logs
from tests.ui.app_under_test import screen_text, until
from tests.ui.screens.homes import library_over
from tests.ui.screens.test_search import report, rows, searching

CLAUDE, CODEX = "claude_code", "codex"


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))


def session(root: Path, number: int, project: str, days: float, words: str) -> None:
    began = time.time() - days * 86_400
    log = ClaudeLog(f"{number}1111111-0000-4000-8000-000000000000", began=began)
    records = [
        log.record(
            "user", cwd=f"/ws/{project}", message={"role": "user", "content": f"Go {words}"}
        ),
        log.text("Looking at it"),
        log.call("c1", "Bash", command="run the check"),
        log.result("c1", "".join(f"row {row}\n" for row in range(400)) + f"end: {words}\nlast\n"),
        log.text("All of it is understood"),
    ]
    path = write(root / CLAUDE / f"-ws-{project}" / f"{log.session}.jsonl", records)
    os.utime(path, (began, began))


def lines_of(widget: FacetBar | Preview) -> str:
    """What a widget shows."""
    drawn = (widget.render_line(y).text.rstrip() for y in range(widget.content_size.height))
    return "\n".join(drawn)


def facets(pilot: Pilot[None]) -> str:
    return " ".join(lines_of(pilot.app.screen.query_one(FacetBar)).split())


async def test_facets_narrow_a_search_by_key_and_by_mouse(tmp_path: Path) -> None:
    for number, (project, days) in enumerate((("shop", 0.0), ("shop", 3.0), ("blog", 20.0)), 1):
        session(tmp_path, number, project, days, "quokka")
    async with library_over(tmp_path, CLAUDE).run_test(size=(110, 40)) as pilot:
        screen = await searching(pilot, "quokka")
        await until(pilot, lambda: report(pilot) == "6 matches in 3 sessions")
        await until(pilot, lambda: "shop 4 blog 2" in facets(pilot))
        assert "client Claude Code 6 project" in facets(pilot)
        assert "kind shell 3 you 3" in facets(pilot)
        assert "7 days 4 30 days 6" in facets(pilot)
        await pilot.press("tab", "f", "down", "enter")
        await until(pilot, lambda: report(pilot) == "4 matches in 2 sessions")
        assert screen._line == "quokka project:shop"  # pyright: ignore[reportPrivateUsage]
        await until(pilot, lambda: "blog" not in facets(pilot))
        # The one that is pressed can be taken back, with the keys where they were.
        await pilot.press("enter")
        await until(pilot, lambda: report(pilot) == "6 matches in 3 sessions")
        bar = screen.query_one(FacetBar)
        row, x = next(
            (y, text.index("you 3"))
            for y in range(4)
            if "you 3" in (text := bar.render_line(y).text)
        )
        await pilot.click(FacetBar, offset=(x + 1, row))
        await until(pilot, lambda: report(pilot) == "3 matches in 3 sessions")
        assert screen._line == "quokka kind:user"  # pyright: ignore[reportPrivateUsage]
        await pilot.press("escape")
        assert isinstance(screen.focused, HitList)


async def test_a_match_is_shown_in_its_place(tmp_path: Path) -> None:
    session(tmp_path, 1, "shop", 0.0, "quokka")
    async with library_over(tmp_path, CLAUDE).run_test(size=(120, 30)) as pilot:
        screen = await searching(pilot, "quokka kind:shell")
        await until(pilot, lambda: report(pilot) == "1 match in 1 session")
        preview = screen.query_one(Preview)
        await until(pilot, lambda: "end: quokka" in lines_of(preview))
        text = lines_of(preview)
        assert text.index("Looking at it") < text.index("run the check") < text.index("end: quokka")
        assert "All of it is understood" in text[text.index("end: quokka") :]
        assert "rows above" in text
        assert "row 100\n" not in text
        marked = [
            segment.text
            for y in range(preview.content_size.height)
            for segment in preview.render_line(y)
            if segment.text == "quokka" and segment.style and segment.style.bgcolor
        ]
        assert marked
        await pilot.press("tab", "p")
        await until(pilot, lambda: "Looking at it" not in screen_text(pilot))
        await pilot.resize_terminal(80, 24)
        await pilot.press("p")
        await until(pilot, lambda: "run the check" in lines_of(preview))
        await pilot.resize_terminal(60, 12)
        await pilot.press("f")
        await until(pilot, lambda: "too small to narrow" in screen_text(pilot))


async def test_matches_of_agents_are_below_their_session(tmp_path: Path) -> None:
    nested_logs(tmp_path / CLAUDE / "-ws-shop", 2)
    session(tmp_path, 2, "blog", 0.5, "quokka")
    async with library_over(tmp_path, CLAUDE).run_test(size=(100, 30)) as pilot:
        screen = await searching(pilot, "please")
        assert isinstance(screen, SearchScreen)

        def shape() -> list[type[object]]:
            return [type(row) for row in rows(screen)]

        await until(pilot, lambda: report(pilot) == "3 matches in 1 session")
        await until(pilot, lambda: shape().count(AgentLine) == 2)
        assert shape().count(SessionLine) == 1
        assert shape()[:2] == [SessionLine, HitLine]
        owners = [row for row in rows(screen) if isinstance(row, AgentLine)]
        assert [owner.ref.label for owner in owners] == ["kind1", "kind2"]
        assert "└ kind1" in screen_text(pilot)


async def test_only_keys_that_work_here_are_hinted_at(tmp_path: Path) -> None:
    session(tmp_path, 1, "shop", 0.0, "quokka")
    async with library_over(tmp_path, CLAUDE).run_test(size=(60, 15)) as pilot:
        await searching(pilot, "quokka")
        await until(pilot, lambda: report(pilot).endswith("in 1 session"))
        await pilot.press("tab")
        await until(pilot, lambda: "/ edit" in last_row(pilot))
        assert "narrow" not in last_row(pilot)
        assert "preview" not in last_row(pilot)
        await pilot.press("f")
        await until(pilot, lambda: "too small" in last_row(pilot))
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: "f narrow  p preview" in last_row(pilot))
        await pilot.resize_terminal(140, 30)
        await pilot.press("alt+2")
        await until(pilot, lambda: "p preview  q quit" in last_row(pilot))
        await pilot.resize_terminal(140, 15)
        await until(pilot, lambda: "preview" not in last_row(pilot))


async def test_columns_of_facets_are_apart(tmp_path: Path) -> None:
    for number, project in enumerate(("a-long-name-of-one", "another-long-name", "third"), 1):
        session(tmp_path, number, project, 0.0, "quokka")
    async with library_over(tmp_path, CLAUDE).run_test(size=(80, 24)) as pilot:
        await searching(pilot, "quokka")
        await until(pilot, lambda: report(pilot).endswith("in 3 sessions"))
        for width in range(60, 120):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert not re.search(
                r"\d(?:project|time)", lines_of(pilot.app.screen.query_one(FacetBar))
            )


def last_row(pilot: Pilot[None]) -> str:
    return screen_text(pilot).splitlines()[-1]
