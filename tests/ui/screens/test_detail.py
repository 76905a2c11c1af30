from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.ui.screens.detail import TABS, DetailScreen
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.pager import Pager
from agentview.ui.widgets.status_line import StatusLine
from agentview.ui.widgets.tab_bar import TabBar
from tests.timeline.view.memory import MemorySession, answer, hidden, prompt, shell
from tests.ui.app_under_test import app_over, bar_text, screen_text, session_screen, until

SIZE = (100, 40)


def _session(path: Path = Path("memory.jsonl")) -> MemorySession:
    output = "\n".join(f"line {n}" for n in range(200))
    return MemorySession(
        [prompt("list it"), shell("ls -la", output), hidden("x"), answer("listed")], path
    )


async def _open(pilot: Pilot[None], *keys: str) -> DetailScreen:
    await pilot.press("g", "j", "o")
    await until(pilot, lambda: isinstance(pilot.app.screen, DetailScreen))
    await pilot.press(*keys)
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, DetailScreen)
    return screen


def _tab(screen: DetailScreen) -> str:
    return TABS[screen.query_one(TabBar).chosen]


@pytest.mark.parametrize(
    ("keys", "tab"),
    [
        ("", "Rendered"),
        ("tab", "Input"),
        ("tab tab", "Result"),
        ("shift+tab", "Event"),
        ("l", "Input"),
        ("l h", "Rendered"),
        ("right right left", "Input"),
        ("4", "Raw"),
        ("r", "Raw"),
        ("5 1", "Rendered"),
    ],
)
async def test_keys_choose_a_tab(keys: str, tab: str) -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        assert _tab(await _open(pilot, *keys.split())) == tab


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("1", ["ls -la", "line 0"]),
        ("2", ["Bash", '"command": "ls -la"']),
        ("3", ["line 0", "line 20"]),
        ("4", ["record 1 of 1", "log.jsonl", '"n": 2', "as written", '{"n": 2}']),
        ("5", ['"type": "Event"', '"provider_name": "Bash"']),
    ],
)
async def test_each_tab_shows_its_side(key: str, words: list[str], tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"n": 1}\n{"n": 2}\n{"n": 3}\n{"n": 4}\n')
    async with app_over(_session(log)).run_test(size=(100, 60)) as pilot:
        await _open(pilot, key)
        shown = screen_text(pilot)
        if key == "4":
            await pilot.press("end")
            await pilot.pause()
            shown += screen_text(pilot)
        assert [word for word in words if word not in shown] == []


async def test_next_and_previous_activity_without_leaving() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        screen = await _open(pilot, "tab", "J")
        assert (screen.row, _tab(screen)) == (3, "Input")
        await pilot.press("J")
        assert "this is the last one" in bar_text(screen.query_one(StatusLine))
        await pilot.press("K", "K")
        assert screen.row == 0
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        assert session_screen(pilot).timeline.selected == 0


@pytest.mark.slow
async def test_scrolls_through_a_long_result() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        screen = await _open(pilot, "3")
        pager = screen.query(Pager).last()
        places: list[int] = []
        for key in [
            "j",
            "k",
            "pagedown",
            "pageup",
            "ctrl+d",
            "ctrl+u",
            "G",
            "g",
            "space",
            "down",
            "up",
            "end",
            "home",
        ]:
            await pilot.press(key)
            places.append(round(pager.scroll_y))
        height = pager.scrollable_content_region.height
        page, half, end = height - 1, round((height - 1) / 2), round(pager.max_scroll_y)
        assert places == [1, 0, page, 0, half, 0, end, 0, page, page + 1, page, end, 0]
        assert "line 0" in screen_text(pilot)


async def test_copies_and_goes_back() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        await _open(pilot, "y")
        assert pilot.app.clipboard == "ls -la"
        await pilot.press("Y")
        await pilot.pause()
        assert pilot.app.clipboard.startswith("line 0\nline 1\n")
        await pilot.press("q")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))


async def test_shows_a_result_that_comes_while_it_is_open() -> None:
    session = MemorySession([prompt("x"), shell("sleep 1", exit_code=None)])
    async with app_over(session).run_test(size=SIZE) as pilot:
        await _open(pilot, "3")
        assert "no result yet" in screen_text(pilot)
        session.change(1, shell("sleep 1", "slept well"))
        await until(pilot, lambda: "slept well" in screen_text(pilot))


async def test_a_click_on_a_name_chooses_the_tab() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        screen = await _open(pilot)
        await pilot.click(TabBar, offset=(12, 0))
        assert _tab(screen) == "Input"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(20, 5), (60, 15), (1, 1), (200, 60)])
async def test_every_tab_shows_at_any_size(size: tuple[int, int], tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"n": 1}\n{"n": 2}\n')
    async with app_over(_session(log)).run_test(size=size) as pilot:
        screen = await _open(pilot)
        keys = "1 2 3 4 5 J K slash x enter n G question_mark escape"
        for key in keys.split():
            await pilot.press(key)
        assert pilot.app.screen is screen
