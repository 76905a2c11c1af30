"""Search inside the detail screen, its parts, and what stays where it was."""

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from agentview.timeline.view.activity.activity_text import PART, part_count, part_of
from agentview.ui.screens.detail import DetailScreen
from agentview.ui.themes import contrast, load_themes, theme_directories
from agentview.ui.widgets.pager import Pager
from agentview.ui.widgets.status_line import StatusLine
from tests.timeline.view.memory import MemorySession, prompt, shell
from tests.ui.app_under_test import app_over, bar_text, screen_text, typed, until

SIZE = (100, 30)
OUTPUT = "\n".join(f"line {n} needle" if n % 50 == 7 else f"line {n}" for n in range(200))


async def _open(pilot: Pilot[None], *keys: str) -> DetailScreen:
    await pilot.press("g", "o")
    await until(pilot, lambda: isinstance(pilot.app.screen, DetailScreen))
    await pilot.press(*keys)
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, DetailScreen)
    return screen


def _status(pilot: Pilot[None]) -> str:
    return bar_text(pilot.app.screen.query_one(StatusLine), 400)


def _pager(screen: DetailScreen) -> Pager:
    return screen.query_one("#content", Pager)


async def _search(pilot: Pilot[None], query: str) -> None:
    await pilot.press("slash")
    await typed(pilot, query)
    await pilot.press("enter")
    await pilot.pause()


@pytest.mark.slow
async def test_search_goes_from_match_to_match_and_around() -> None:
    async with app_over(MemorySession([prompt(OUTPUT)])).run_test(size=SIZE) as pilot:
        screen = await _open(pilot, "2")
        await _search(pilot, "needle")
        assert "/needle  1 of 4" in _status(pilot)
        seen = ["line 7 needle" in screen_text(pilot)]
        for number, line in ((2, 57), (3, 107), (4, 157), (1, 7)):
            await pilot.press("n")
            await pilot.pause()
            assert f"{number} of 4" in _status(pilot)
            seen.append(f"line {line} needle" in screen_text(pilot))
        assert all(seen)
        await pilot.press("N")
        await pilot.pause()
        assert "4 of 4" in _status(pilot)
        place = _pager(screen).place
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.screen is screen
        assert "needle" not in _status(pilot)
        assert _pager(screen).place == place


@pytest.mark.slow
async def test_a_search_that_is_given_up_leads_back() -> None:
    async with app_over(MemorySession([shell("cat", OUTPUT)])).run_test(size=SIZE) as pilot:
        screen = await _open(pilot, "3", "j", "j")
        await pilot.press("slash")
        await typed(pilot, "157")
        await until(pilot, lambda: _pager(screen).place > 100)
        await pilot.press("escape")
        await until(pilot, lambda: _pager(screen).place == 2)


@pytest.mark.slow
async def test_what_is_not_there_is_said() -> None:
    async with app_over(MemorySession([shell("cat", OUTPUT)])).run_test(size=SIZE) as pilot:
        await _open(pilot, "3", "n")
        assert "no search yet" in _status(pilot)
        await _search(pilot, "unicorn")
        assert "0 found" in _status(pilot)
        await pilot.press("n")
        assert "nothing found for unicorn" in _status(pilot)
        await _search(pilot, "kind:nothing")
        assert 'unknown kind "nothing"' in _status(pilot)


@pytest.mark.slow
async def test_the_search_goes_on_in_another_tab() -> None:
    async with app_over(MemorySession([shell("cat needle", OUTPUT)])).run_test(size=SIZE) as pilot:
        await _open(pilot, "3")
        await _search(pilot, "needle")
        await pilot.press("2")
        await until(pilot, lambda: "/needle  1 found" in _status(pilot))


async def test_each_tab_keeps_its_place() -> None:
    session = MemorySession([shell("cat", OUTPUT), shell("cat", OUTPUT)])
    async with app_over(session).run_test(size=SIZE) as pilot:
        screen = await _open(pilot, "3", "pagedown")
        place = _pager(screen).place
        assert place
        await pilot.press("1", "j", "2", "3")
        await pilot.pause()
        assert _pager(screen).place == place
        await pilot.press("1")
        assert _pager(screen).place == 1
        await pilot.press("3", "J")
        await pilot.pause()
        assert (screen.row, _pager(screen).place) == (1, 0)


@pytest.mark.slow
async def test_a_long_text_comes_in_parts() -> None:
    text = "\n".join(f"line {n}" for n in range(3 * PART // 11))
    async with app_over(MemorySession([shell("cat", text)])).run_test(size=SIZE) as pilot:
        screen = await _open(pilot, "3")
        assert "part 1 of 3" in _status(pilot)
        await pilot.press("G", "greater_than_sign")
        await pilot.pause()
        assert "part 2 of 3" in _status(pilot)
        assert _pager(screen).place == 0
        first = screen_text(pilot).split("\n")[4].split()[1]
        await pilot.press("less_than_sign", "G")
        await pilot.pause()
        assert f"line {int(first) - 1}" in screen_text(pilot)
        await pilot.press("less_than_sign")
        assert "no part before this" in _status(pilot)


@pytest.mark.parametrize("text", ["", "x" * (2 * PART + 5), "a\n" * PART, "ä" * PART + "\nend"])
def test_parts_make_the_whole(text: str) -> None:
    parts = [part_of(text, number) for number in range(part_count(text))]
    assert "".join(parts) == text
    assert max(len(part) for part in parts) <= PART + 20_001


async def test_a_selection_is_copied() -> None:
    async with app_over(MemorySession([prompt("one two\nthree four")])).run_test(
        size=SIZE
    ) as pilot:
        screen = await _open(pilot, "2")
        row = _pager(screen).content_region.y - _pager(screen).region.y
        await pilot.mouse_down("#content", offset=(5, row))
        await pilot.hover("#content", offset=(5, row + 1))
        await pilot.mouse_up("#content", offset=(5, row + 1))
        await pilot.pause()
        await pilot.press("y")
        await until(pilot, lambda: bool(pilot.app.clipboard))
        assert pilot.app.clipboard == "two\nthree"
        assert "copied selection, 9 characters in 2 lines" in _status(pilot)


async def test_selected_text_can_be_read_in_every_theme() -> None:
    output = "one two\n\x1b[32mgreen\x1b[0m \x1b[2mdim\x1b[0m"
    async with app_over(MemorySession([shell("ls", output)])).run_test() as pilot:
        screen = await _open(pilot)
        pager = _pager(screen)
        last = pager.height - 1
        for name in load_themes(theme_directories()).loaded:
            pilot.app.theme = name
            await pilot.pause()
            screen.selections = {pager: Selection(Offset(0, 0), Offset(9, last))}
            shown = [segment for segment in pager.render_line(last) if segment.text.strip()]
            assert "".join(segment.text for segment in shown).startswith("green")
            colors = {(style.color, style.bgcolor) for _, style, _ in shown if style is not None}
            assert not any(style.dim or style.reverse for _, style, _ in shown if style)
            ((text, under),) = colors
            assert text is not None
            assert under is not None
            if text.triplet is None or under.triplet is None:
                assert text != under
            else:
                assert contrast(text.triplet.hex, under.triplet.hex) >= 4.5, name
