"""Home: its views are reached from each other by number and mouse, each as it was left."""

import time
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.settings import LaunchOptions, Screen
from agentview.settings.reading import EffectiveSettings
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.home.view import VIEWS
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.live_sessions import BoardScreen
from agentview.ui.screens.search.screen import SearchScreen
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.screens.usage.screen import UsageScreen
from agentview.ui.widgets.home_header import HomeHeader
from tests.claude_log import ClaudeLog, conversation, write
from tests.nested_agents import nested_logs
from tests.patience import PATIENCE
from tests.ui.app_under_test import bar_text, screen_text, typed, until
from tests.ui.screens.homes import all_indexed, header_text, library_over, samples

NAME = "claude_code"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    samples(root, NAME)
    return root


def shows(pilot: Pilot[None], kind: type[object]) -> bool:
    return isinstance(pilot.app.screen, kind)


def report(search: SearchScreen) -> str:
    """What stands at the end of the query."""
    return str(search.query_one("#report").render())  # pyright: ignore[reportUnknownMemberType]


async def test_numbers_lead_from_each_view_to_each_other_one(root: Path) -> None:
    keys = {"1": BoardScreen, "2": LibraryScreen, "3": SearchScreen, "4": UsageScreen}
    async with library_over(root, NAME).run_test(size=(100, 24)) as pilot:
        for begin in keys:
            for end, kind in keys.items():
                for key in (begin, end):
                    # In the search, a number alone belongs to what is typed.
                    await pilot.press(f"alt+{key}" if shows(pilot, SearchScreen) else key)
                await until(pilot, lambda kind=kind: shows(pilot, kind))
        await pilot.press("alt+2")
        await until(pilot, lambda: shows(pilot, LibraryScreen))
        await pilot.press("q")
        await until(pilot, lambda: not pilot.app.is_running)


async def test_a_click_on_its_name_shows_a_view(root: Path) -> None:
    async with library_over(root, NAME).run_test(size=(100, 24)) as pilot:
        for index, kind in enumerate((BoardScreen, LibraryScreen, SearchScreen, UsageScreen)):
            row = " " + header_text(pilot)
            name = f"{index + 1} {VIEWS[index].label}"
            await pilot.click(HomeHeader, offset=(row.index(name) + 2, 0))
            await until(pilot, lambda kind=kind: shows(pilot, kind))
            assert name in bar_text(pilot.app.screen.query_one(HomeHeader), 20)


@pytest.mark.slow
async def test_a_view_is_as_it_was_left(root: Path) -> None:
    async with library_over(root, NAME).run_test(size=(120, 30)) as pilot:
        await all_indexed(pilot)
        await pilot.press("slash")
        await typed(pilot, "split bills")
        await until(pilot, lambda: "1 match" in header_text(pilot))
        await pilot.press("enter", "3")
        await until(pilot, lambda: shows(pilot, SearchScreen))
        search = pilot.app.screen
        assert isinstance(search, SearchScreen)
        await typed(pilot, "rounding")
        await until(pilot, lambda: " match" in report(search) and "…" not in report(search))
        found = report(search)
        await pilot.press("alt+1")
        await until(pilot, lambda: shows(pilot, BoardScreen))
        await pilot.press("2")
        await until(pilot, lambda: shows(pilot, LibraryScreen))
        assert "1 match" in header_text(pilot)
        await pilot.press("3")
        await until(pilot, lambda: pilot.app.screen is search)
        assert report(search) == found
        await pilot.press("enter")
        await until(pilot, lambda: shows(pilot, SessionScreen))


def home_over(root: Path, *names: str) -> AgentViewApp:
    """The application as `agentview` alone begins."""
    start = LaunchOptions(Screen.HOME, settings=EffectiveSettings())
    return AgentViewApp(start, roots=[(name, root / name) for name in names])


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Directories of this test alone for what is kept."""
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


async def test_the_view_that_was_shown_last_comes_first(own: Path) -> None:
    log = ClaudeLog(began=time.time() - 3600)
    write(own / NAME / "-p" / f"{log.session}.jsonl", [log.prompt("Begin"), log.text("Done")])
    async with home_over(own, NAME).run_test(size=(100, 24)) as pilot:
        assert shows(pilot, LibraryScreen)
        await pilot.press("3")
        await until(pilot, lambda: shows(pilot, SearchScreen))
    async with home_over(own, NAME).run_test(size=(100, 24)) as pilot:
        assert shows(pilot, SearchScreen)
        # Digits are a query there: the footer says what leads to the other views.
        await until(pilot, lambda: "alt+1–4 views" in screen_text(pilot))
        await pilot.press("alt+1")
        await until(pilot, lambda: shows(pilot, BoardScreen))
        await pilot.press("3")
        await until(pilot, lambda: shows(pilot, SearchScreen))
        # Back to the sessions, and out.
        await pilot.press("escape")
        await until(pilot, lambda: shows(pilot, LibraryScreen))
        await pilot.press("q")
        await until(pilot, lambda: not pilot.app.is_running)


@pytest.mark.slow
async def test_the_board_comes_first_when_a_session_needs_its_person(own: Path) -> None:
    log = ClaudeLog(began=time.time() - 600)
    questions = [{"question": "Which cap?", "header": "Cap", "multiSelect": False}]
    records = [log.prompt("Begin"), log.call("c1", "AskUserQuestion", questions=questions)]
    write(own / NAME / "-p" / f"{log.session}.jsonl", records)
    async with home_over(own, NAME).run_test(size=(100, 24)) as pilot:
        await all_indexed(pilot)
        await until(pilot, lambda: "1 needs you" in header_text(pilot))
    end = time.monotonic() + PATIENCE
    found = False
    # The first frame does not wait for a cache that another program is at work with.
    while not found and time.monotonic() < end:
        async with home_over(own, NAME).run_test(size=(100, 24)) as pilot:
            found = shows(pilot, BoardScreen)
            if found:
                await until(pilot, lambda: "Which cap?" in screen_text(pilot))
    assert found


async def test_an_empty_home_names_clients_and_places_and_plays_the_demo(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = own / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    (own / "codex").mkdir()
    monkeypatch.setenv("PATH", str(program.parent))
    async with home_over(own, "codex", NAME).run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: "installed: Codex, Claude Code" in screen_text(pilot))
        said = screen_text(pilot)
        assert said.index(str(own / "codex")) < said.index(str(own / NAME))
        await pilot.press("enter")
        await until(pilot, lambda: shows(pilot, SessionScreen))
        await until(pilot, lambda: "demo" in screen_text(pilot).splitlines()[0])
        await pilot.press("escape")
        await until(pilot, lambda: shows(pilot, LibraryScreen))


@pytest.mark.slow
async def test_the_search_counts_sessions_as_the_list_does(own: Path) -> None:
    place = own / NAME / "-p"
    nested_logs(place, 2)
    plain = ClaudeLog("0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0002")
    write(place / f"{plain.session}.jsonl", conversation(plain, 3))
    async with home_over(own, NAME).run_test(size=(100, 24)) as pilot:
        await all_indexed(pilot)
        assert "2 sessions" in header_text(pilot)
        await pilot.press("3")
        await until(pilot, lambda: shows(pilot, SearchScreen))
        await until(pilot, lambda: "2 sessions" in header_text(pilot))
        search = pilot.app.screen
        assert isinstance(search, SearchScreen)
        await typed(pilot, "done")
        await until(pilot, lambda: report(search).endswith("in 2 sessions"))


async def test_every_view_says_who_needs_the_person_and_what_works(own: Path) -> None:
    """The first row of each view has the same words, and follows the logs."""
    asking = ClaudeLog("0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0001", began=time.time() - 600)
    working = ClaudeLog("0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0002", began=time.time() - 4)
    questions = [{"question": "Which cap?", "header": "Cap", "multiSelect": False}]
    records = [asking.prompt("Begin"), asking.call("c1", "AskUserQuestion", questions=questions)]
    path = write(own / NAME / "-p" / f"{asking.session}.jsonl", records)
    busy = [working.prompt("Go"), working.call("c1", "Bash", command="make")]
    write(own / NAME / "-p" / f"{working.session}.jsonl", busy)
    async with home_over(own, NAME).run_test(size=(160, 24)) as pilot:
        for key, view in (("alt+2", LibraryScreen), ("alt+4", UsageScreen), ("alt+3", SearchScreen),
                          ("alt+1", BoardScreen)):  # fmt: skip
            await pilot.press(key)
            await until(pilot, lambda view=view: shows(pilot, view))
            await until(pilot, lambda: "1 needs you: shop Which cap?" in header_text(pilot))
            await until(pilot, lambda: "1 working" in header_text(pilot))
        await pilot.press("alt+4")
        await until(pilot, lambda: shows(pilot, UsageScreen))
        with path.open("ab") as file:
            file.write(asking.result("c1", "30 s"))
            file.write(asking.text("So be it.", "end_turn"))
        await until(pilot, lambda: "needs you" not in header_text(pilot))
        assert "1 working" in header_text(pilot)
