"""Lines that were drawn go when nothing shows them, without the garbage collector."""

import gc

from rich.segment import Segment
from textual.strip import Strip

from tests.timeline.view.memory import MemorySession, prompt, shell
from tests.ui.app_under_test import app_over


def _lines_in_cycles() -> int:
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        return sum(isinstance(found, Strip) for found in gc.garbage)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


async def test_no_line_of_a_screen_that_was_drawn_often_is_left_to_the_collector() -> None:
    steps = [prompt("Go on"), *(shell(f"echo {n}", f"call {n}") for n in range(200))]
    async with app_over(MemorySession(steps)).run_test(size=(100, 30)) as pilot:
        await pilot.press("g", "j")
        await pilot.pause()
        gc.collect()
        gc.disable()
        try:
            for _ in range(5):
                await pilot.press("pagedown")
            await pilot.pause()
            assert not _lines_in_cycles()
        finally:
            gc.enable()


def test_line_with_something_over_a_part_of_it_is_divided() -> None:
    line = Strip([Segment("one two")])
    assert [piece.text for piece in line.divide([3, 7])] == ["one", " two"]
    assert [piece.text for piece in line.divide([7, 9])] == ["one two"]
