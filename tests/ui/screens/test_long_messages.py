"""A long message is whole after a moment, in the timeline and on the detail screen."""

import pytest

from agentview.ui.screens.detail import DetailScreen
from agentview.ui.widgets.pager import Pager
from tests.timeline.view.memory import MemorySession, answer, prompt
from tests.ui.app_under_test import app_over, screen_text, session_screen, until

TEXT = "".join(f"## Part {n}\n\n**Words** of part {n}.\n\n- one\n- two\n\n" for n in range(900))


@pytest.mark.slow
async def test_a_long_message_is_laid_out_whole_and_followed() -> None:
    session = MemorySession([prompt("write a lot"), answer(TEXT)])
    async with app_over(session).run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "part 899" in screen_text(pilot))
        assert session_screen(pilot).timeline.follow
        assert "being laid out" not in screen_text(pilot)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(pilot.app.screen, DetailScreen))
        pager = pilot.app.screen.query_one("#content", Pager)
        await until(pilot, lambda: pager.height > 5_000)
        await pilot.press("G")
        await until(pilot, lambda: "part 899" in screen_text(pilot))
