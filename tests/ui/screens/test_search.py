"""The search in all sessions, over real logs and with real children."""

import os
import time
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.domain.annotations import Bookmark, Note
from agentview.facts.search.index_worker import SEARCHER
from agentview.sessions.annotations.notes import set_note
from agentview.sessions.annotations.session_file import SessionFile
from agentview.sessions.annotations.session_marks import set_title
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.search.screen import SearchScreen
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.home_header import HomeHeader
from agentview.ui.widgets.lists.search_results import HitLine, HitList, MoreLine
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.status_line import StatusLine
from benchmarks.process import children_of
from tests.claude_log import ClaudeLog, conversation, write
from tests.ui.app_under_test import bar_text, screen_text, typed, until
from tests.ui.screens.homes import library_over

KEYS = {" ": "space", ":": "colon", '"': "quotation_mark", "/": "slash", "_": "underscore"}


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))


def sessions(root: Path) -> None:
    """Two sessions: one about retries, and one of many turns."""
    one = ClaudeLog("11111111-0000-4000-8000-000000000001")
    records = [
        one.prompt("Please fix the exponential backoff"),
        *(one.text(f"Thought {number} of many") for number in range(60)),
        one.call("c1", "Bash", command="pytest -k test_retry_cap"),
        one.result("c1", "1 failed\n" + "line\n" * 40 + "RetryError: the quokka was \x1b[31mred"),
        *(one.text(f"Afterthought {number}") for number in range(60)),
    ]
    write(root / "claude_code" / "-home-dev-shop" / f"{one.session}.jsonl", records)
    two = ClaudeLog("22222222-0000-4000-8000-000000000002")
    write(
        root / "claude_code" / "-home-dev-shop" / f"{two.session}.jsonl",
        conversation(two, 30),
    )


async def searching(pilot: Pilot[None], line: str) -> SearchScreen:
    """Go to the search and type a line."""
    library = pilot.app.screen
    assert isinstance(library, LibraryScreen)
    await until(pilot, lambda: not library.feed.progress.scanning)
    await pilot.press("ctrl+f")
    await until(pilot, lambda: isinstance(pilot.app.screen, SearchScreen))
    screen = pilot.app.screen
    assert isinstance(screen, SearchScreen)
    await typed(pilot, "")
    await pilot.press(*(KEYS.get(char, char) for char in line))
    await until(pilot, lambda: screen._line == line)  # pyright: ignore[reportPrivateUsage]
    return screen


def report(pilot: Pilot[None]) -> str:
    """What stands at the end of the line."""
    return str(pilot.app.screen.query_one("#report").render())  # pyright: ignore[reportUnknownMemberType]


def rows(screen: SearchScreen) -> list[object]:
    return list(screen.query_one(HitList)._rows)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.slow
async def test_what_is_typed_is_found_and_opened_there(tmp_path: Path) -> None:
    sessions(tmp_path)
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await searching(pilot, "quokka")
        await until(pilot, lambda: report(pilot) == "1 match in 1 session")
        await until(pilot, lambda: "RetryError: the quokka was red" in screen_text(pilot))
        told = bar_text(screen.query_one(StatusLine))
        assert "choose" in told
        assert "tab list" in told
        assert "/ edit" not in told
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen))
        await until(pilot, lambda: "the quokka was" in screen_text(pilot))
        # The first one ends the search in the session.
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen is screen)
        assert report(pilot) == "1 match in 1 session"
        assert "RetryError: the quokka was red" in screen_text(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, LibraryScreen))


@pytest.mark.slow
async def test_a_hit_on_an_abandoned_branch_is_marked(tmp_path: Path) -> None:
    log = ClaudeLog("33333333-0000-4000-8000-000000000003")
    records = [log.prompt("Begin"), log.text("Begun")]
    fork = log.last
    records += [log.prompt("A tame walrus"), log.text("Tame")]
    log.last = fork
    records += [log.prompt("A wild walrus"), log.text("Wild")]
    write(tmp_path / "claude_code" / "-home-dev-shop" / f"{log.session}.jsonl", records)
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(80, 24)) as pilot:
        await searching(pilot, "walrus")
        await until(pilot, lambda: "abandoned  A tame walrus" in screen_text(pilot))
        assert "abandoned  A wild" not in screen_text(pilot)


@pytest.mark.slow
async def test_a_note_is_found_and_opened_at_its_activity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    sessions(tmp_path)
    session = "11111111-0000-4000-8000-000000000001"
    log = tmp_path / "claude_code" / "-home-dev-shop" / f"{session}.jsonl"
    offset = sum(map(len, log.read_bytes().splitlines(keepends=True)[:61]))
    file = SessionFile("claude_code", session)
    set_note(file, Note(Bookmark("e", "", offset, 0), "an aardvark hides here", 1.0))
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await searching(pilot, "note:aardvark")
        await until(pilot, lambda: report(pilot) == "1 match in 1 session")
        assert "note      " in screen_text(pilot)
        assert "an aardvark hides here" in screen_text(pilot)
        (hit,) = [row.hit for row in rows(screen) if isinstance(row, HitLine)]
        assert hit.place == (offset, 0)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen))
        await until(pilot, lambda: "test_retry_cap" in screen_text(pilot))


@pytest.mark.slow
async def test_a_title_is_found_also_when_it_is_given_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    # What another process adds to sessions is looked for each time.
    monkeypatch.setattr("agentview.ui.app._MINUTE", 0.5)
    sessions(tmp_path)
    first = SessionFile("claude_code", "11111111-0000-4000-8000-000000000001")
    set_title(first, "Feed the okapi")
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await searching(pilot, "okapi")
        await until(pilot, lambda: report(pilot) == "1 match in 1 session")
        await until(pilot, lambda: "title     " in screen_text(pilot))
        set_title(SessionFile("claude_code", "22222222-0000-4000-8000-000000000002"), "An okapi")
        set_title(first, "Feed the lions")
        await until(pilot, lambda: "An okapi" in screen_text(pilot))
        await until(pilot, lambda: report(pilot) == "1 match in 1 session")
        (hit,) = [row.hit for row in rows(screen) if isinstance(row, HitLine)]
        assert hit.place is None
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen))


@pytest.mark.slow
async def test_the_child_that_searches_starts_with_the_screen(tmp_path: Path) -> None:
    sessions(tmp_path)

    def searchers() -> int:
        commands = [Path(f"/proc/{pid}/cmdline") for pid in children_of(os.getpid())]
        return sum(SEARCHER.encode() in path.read_bytes() for path in commands if path.exists())

    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        await searching(pilot, "")
        await until(pilot, lambda: searchers() == 1)
        await pilot.press("escape")
        await until(pilot, lambda: searchers() == 0)


@pytest.mark.slow
async def test_it_finds_while_one_types(tmp_path: Path) -> None:
    sessions(tmp_path)
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await searching(pilot, "back")
        await until(pilot, lambda: report(pilot) == "1 match in 1 session")
        await pilot.press("x")
        await until(pilot, lambda: report(pilot) == "no matches")
        assert "no matches" in screen_text(pilot)
        screen.query_one(InputLine).query_one("LineInput").value = ""  # pyright: ignore[reportAttributeAccessIssue]
        await until(pilot, lambda: report(pilot) == "")
        assert "search 2 sessions" in screen_text(pilot)


@pytest.mark.slow
async def test_more_of_a_session_is_shown_when_asked(tmp_path: Path) -> None:
    sessions(tmp_path)
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await searching(pilot, "step")
        await until(pilot, lambda: report(pilot) == "60 matches in 1 session")
        shown = rows(screen)
        assert [type(row) for row in shown].count(HitLine) == 5
        assert isinstance(shown[-1], MoreLine)
        assert shown[-1].count == 55
        await pilot.press("tab", "G", "enter")
        await until(pilot, lambda: [type(row) for row in rows(screen)].count(HitLine) == 60)
        assert not any(isinstance(row, MoreLine) for row in rows(screen))


@pytest.mark.slow
async def test_the_filter_of_the_library_chooses_sessions(tmp_path: Path) -> None:
    sessions(tmp_path)
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        await searching(pilot, "echo project:nowhere")
        await until(pilot, lambda: "0 sessions" in bar_text(app.screen.query_one(HomeHeader)))
        await until(pilot, lambda: report(pilot) == "no matches")


@pytest.mark.slow
async def test_a_wrong_pattern_is_told(tmp_path: Path) -> None:
    sessions(tmp_path)
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        await searching(pilot, "regex:/(/")
        await until(
            pilot, lambda: report(pilot).startswith("invalid regular expression: (: missing )")
        )
        assert "invalid regular expression" in screen_text(pilot)


@pytest.mark.slow
async def test_the_loop_is_not_held(tmp_path: Path) -> None:
    sessions(tmp_path)
    for number in range(40):
        log = ClaudeLog(f"33333333-0000-4000-8000-{number:012d}")
        write(tmp_path / "claude_code" / "-p" / f"{log.session}.jsonl", conversation(log, 12))
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await searching(pilot, "step")
        await until(pilot, lambda: report(pilot).startswith("1,020 matches in 41 sessions"))
        began = time.process_time()
        for _ in range(20):
            screen._show()  # pyright: ignore[reportPrivateUsage]
        assert (time.process_time() - began) / 20 < 0.008
