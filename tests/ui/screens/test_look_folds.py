"""Looks are one row on the session screen, and open where they are."""

from textual.pilot import Pilot

from agentview.domain.events import Reasoning
from agentview.normalize.shell_command import with_reading
from tests.timeline.view.memory import MemorySession, answer, prompt, read, shell
from tests.ui.app_under_test import app_over, screen_text, session_screen, typed, until

SIZE = (100, 30)


def _session() -> MemorySession:
    return MemorySession(
        [
            prompt("find the needle"),
            read("src/a.py", "needle = 1"),
            Reasoning("it may be in b"),
            read("src/b.py", "hay"),
            with_reading(shell("rg -n needle src", "src/a.py:1:needle = 1")),
            answer("found in a"),
            shell("make", "no rule", exit_code=2),
        ]
    )


async def _shows(pilot: Pilot[None], *words: str) -> None:
    await until(pilot, lambda: all(word in screen_text(pilot) for word in words))


async def test_looks_are_one_row_that_opens_and_closes() -> None:
    app = app_over(_session())
    async with app.run_test(size=SIZE) as pilot:
        await _shows(pilot, "Looked", "2 files, 1 search, 1 thought", 'a.py, b.py, "needle"')
        assert "src/b.py" not in screen_text(pilot)
        await pilot.press("g", "j", "enter")
        await _shows(pilot, "src/a.py", "it may be in b", "src/b.py", "rg -n needle src")
        assert "Looked" not in screen_text(pilot)
        assert session_screen(pilot).timeline.selected == 1
        await pilot.press("j", "z")
        await _shows(pilot, "Looked")
        assert "src/b.py" not in screen_text(pilot)
        assert session_screen(pilot).timeline.selected == 1


async def test_levels_and_filters_show_each_look() -> None:
    app = app_over(_session())
    async with app.run_test(size=SIZE) as pilot:
        await _shows(pilot, "Looked")
        await pilot.press("1")
        await _shows(pilot, "src/a.py", "src/b.py")
        assert "Looked" not in screen_text(pilot)
        await pilot.press("0")
        await _shows(pilot, "Looked")
        await pilot.press("f")
        await typed(pilot, "kind:read")
        await pilot.press("enter")
        await _shows(pilot, "src/a.py", "src/b.py")
        assert "Looked" not in screen_text(pilot)


async def test_a_search_goes_into_folds() -> None:
    app = app_over(_session())
    async with app.run_test(size=SIZE) as pilot:
        await _shows(pilot, "Looked")
        await pilot.press("slash")
        await typed(pilot, "hay")
        await pilot.press("enter")
        await until(pilot, lambda: session_screen(pilot).timeline.selected == 3)
        await _shows(pilot, "src/b.py")


async def test_a_click_opens_a_fold() -> None:
    app = app_over(_session())
    async with app.run_test(size=SIZE) as pilot:
        await _shows(pilot, "Looked")
        line = next(
            number
            for number, text in enumerate(screen_text(pilot).splitlines())
            if "Looked" in text
        )
        await pilot.click(offset=(30, line))
        await _shows(pilot, "src/b.py")


async def test_a_call_that_ends_is_folded_into_the_looks_above_it() -> None:
    session = _session()
    app = app_over(session)
    async with app.run_test(size=SIZE) as pilot:
        session.append(read("src/c.py"), shell("cat src/d.py", exit_code=None))
        await _shows(pilot, "src/c.py", "cat src/d.py")
        session.change(8, with_reading(shell("cat src/d.py", "text")))
        await _shows(pilot, "2 files  c.py, d.py")
        assert session_screen(pilot).timeline.selected == 7
