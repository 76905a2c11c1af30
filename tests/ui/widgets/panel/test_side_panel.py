import pytest
from textual.pilot import Pilot

from agentview.ui.screens.session.body import SessionBody
from agentview.ui.widgets.panel.side_panel import TABS, SidePanel, TabNames
from agentview.ui.widgets.status_line import StatusLine
from tests.timeline.view.memory import MemorySession, answer, prompt, shell
from tests.ui.app_under_test import app_over, bar_text, session_screen, typed, until
from tests.ui.widgets.panel.panels import lines, open_tab, panel, tab

WIDE, NARROW = (120, 30), (80, 24)


def _session(turns: int = 3) -> MemorySession:
    bodies = [
        body
        for turn in range(turns)
        for body in (prompt(f"task {turn}"), shell("ls"), shell("x", exit_code=1), answer("done"))
    ]
    return MemorySession(bodies)


def _open(pilot: Pilot[None]) -> bool:
    return session_screen(pilot).query_one(SessionBody).shows_panel


async def test_s_shows_the_panel_with_the_keys_and_takes_it_away() -> None:
    async with app_over(_session()).run_test(size=WIDE) as pilot:
        screen = session_screen(pilot)
        assert not screen.query(SidePanel)
        await open_tab(pilot, "Turns")
        assert _open(pilot)
        assert screen.timeline.size.width + panel(pilot).outer_size.width == WIDE[0]
        assert panel(pilot).outer_size.width == 48
        await pilot.press("s")
        assert not _open(pilot)
        assert screen.timeline.size.width == WIDE[0]
        assert screen.focused is None


async def test_keys_go_to_the_panel_until_it_is_left_and_then_to_the_timeline() -> None:
    async with app_over(_session()).run_test(size=WIDE) as pilot:
        screen = session_screen(pilot)
        await open_tab(pilot, "Turns")
        assert "go there" in bar_text(screen.query_one(StatusLine), 400)
        await pilot.press("g", "j")
        assert tab(pilot).cursor == 1
        assert screen.timeline.selected == 11
        await pilot.press("enter")
        await pilot.pause()
        assert screen.timeline.selected == 4
        assert panel(pilot).has_keys
        await pilot.press("escape", "j")
        assert _open(pilot)
        assert not panel(pilot).has_keys
        assert screen.timeline.selected == 5
        assert "go there" not in bar_text(screen.query_one(StatusLine), 400)
        await pilot.press("s")
        assert panel(pilot).has_keys


@pytest.mark.slow
async def test_a_search_leaves_the_keys_where_they_were() -> None:
    async with app_over(_session()).run_test(size=WIDE) as pilot:
        screen = session_screen(pilot)
        await open_tab(pilot, "Turns")
        await pilot.press("escape", "slash")
        await typed(pilot, "task 1")
        await pilot.press("enter")
        await pilot.pause()
        assert not panel(pilot).has_keys
        row = screen.timeline.selected
        await pilot.press("j")
        assert row is not None
        assert screen.timeline.selected == row + 1


@pytest.mark.slow
async def test_where_there_is_no_room_the_panel_takes_the_place_of_the_timeline() -> None:
    async with app_over(_session()).run_test(size=NARROW) as pilot:
        screen = session_screen(pilot)
        await open_tab(pilot, "Turns")
        assert not screen.timeline.display
        assert panel(pilot).outer_size.width == NARROW[0]
        await pilot.press("g", "enter")
        await until(pilot, lambda: not _open(pilot))
        assert screen.timeline.display
        assert screen.timeline.selected == 0
        await pilot.press("s", "escape")
        await until(pilot, lambda: not _open(pilot))
        assert screen.is_active
        await pilot.press("s")
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        assert screen.timeline.display
        assert _open(pilot)


@pytest.mark.slow
async def test_tabs_by_keys_and_by_mouse() -> None:
    async with app_over(_session()).run_test(size=WIDE) as pilot:
        await open_tab(pilot, "Turns")
        seen: list[str] = []
        while tab(pilot).NAME not in seen:
            seen.append(tab(pilot).NAME)
            await pilot.press("tab")
            await pilot.pause()
        assert seen == [kind.name for kind in TABS]
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: tab(pilot).NAME == "Problems")
        await pilot.click(TabNames, offset=(3, 0))
        await until(pilot, lambda: tab(pilot).NAME == "Turns")
        assert [each.display for each in panel(pilot).query("PanelTab")].count(True) == 1


async def test_a_click_chooses_a_line_and_a_click_on_the_timeline_takes_the_keys() -> None:
    async with app_over(_session()).run_test(size=WIDE) as pilot:
        screen = session_screen(pilot)
        await open_tab(pilot, "Turns")
        await pilot.press("escape")
        await pilot.click(tab(pilot), offset=(5, 1))
        await until(pilot, lambda: screen.timeline.selected == 4)
        assert panel(pilot).has_keys
        await pilot.click(screen.timeline, offset=(30, 3))
        await until(pilot, lambda: not panel(pilot).has_keys)


@pytest.mark.slow
async def test_a_tab_that_is_not_in_front_hears_of_nothing() -> None:
    session = _session()
    async with app_over(session).run_test(size=WIDE) as pilot:
        await open_tab(pilot, "Turns")
        turns = tab(pilot)
        heard: list[str] = []
        take = turns.take
        turns.take = lambda change: (heard.append("change"), take(change))[1]
        session.append(answer("more"))
        await until(pilot, lambda: bool(heard))
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: tab(pilot) is not turns)
        heard.clear()
        session.append(prompt("task 3"), answer("more"))
        await pilot.pause(0.2)
        await pilot.press("s")
        session.append(answer("more"))
        await pilot.pause(0.2)
        assert heard == []
        await open_tab(pilot, "Turns")
        assert any("task 3" in line for line in lines(pilot))


@pytest.mark.slow
async def test_a_cover_of_twenty_by_five_does_not_break_it() -> None:
    async with app_over(_session()).run_test(size=(20, 5)) as pilot:
        await pilot.press("s")
        for _ in range(7):
            await pilot.press("right_square_bracket", "j", "G")
            await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert not _open(pilot)


async def test_every_name_of_a_tab_can_be_clicked_however_narrow_it_is() -> None:
    async with app_over(_session()).run_test(size=(60, 15)) as pilot:
        await open_tab(pilot, "Turns")
        for width in (60, 46, 38, 24):
            await pilot.resize_terminal(width, 15)
            await pilot.pause()
            names = panel(pilot).query_one(TabNames)
            assert names.render_line(0).cell_length == width
            places = list(names._laid_out(width))  # pyright: ignore[reportPrivateUsage]
            assert all(start + len(name) <= width and name for _, start, name in places)


@pytest.mark.slow
async def test_secrets_are_masked_in_the_panel_as_soon_as_that_is_asked_for() -> None:
    secret = "AKIA" + "QWERTYUIOPASDFGH"
    session = MemorySession([prompt(f"use {secret} please"), shell(f"echo {secret}", exit_code=1)])
    async with app_over(session).run_test(size=WIDE) as pilot:
        for name in ("Turns", "Problems"):
            await open_tab(pilot, name)
            assert secret in "\n".join(lines(pilot))
            await pilot.press("x")
            await pilot.pause()
            assert secret not in "\n".join(lines(pilot))
            await pilot.press("x")
            await pilot.pause()
            assert secret in "\n".join(lines(pilot))


async def test_another_theme_reaches_the_panel() -> None:
    async with app_over(_session()).run_test(size=WIDE) as pilot:
        await open_tab(pilot, "Turns")
        await until(pilot, lambda: "agentview-light" in pilot.app.available_themes)
        before = tab(pilot).render_line(0)
        pilot.app.theme = "agentview-light"
        await pilot.pause()
        after = tab(pilot).render_line(0)
        assert before.text == after.text
        assert list(before) != list(after)
