"""Home: its views are reached from each other by number and mouse, each as it was left."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.ui.screens.home.view import VIEWS
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.live_sessions import BoardScreen
from agentview.ui.screens.search.screen import SearchScreen
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.screens.usage.screen import UsageScreen
from agentview.ui.widgets.home_header import HomeHeader
from tests.ui.app_under_test import bar_text, typed, until
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
