"""Closed screens and their sessions leave memory."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual._styles_cache import StylesCache

from agentview.ui.screens.library.screen import LibraryScreen
from tests.ui.app_under_test import until
from tests.ui.closed_screens import opener_over


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    """What was taken out of Python's passes is looked at again after the test."""
    yield
    gc.unfreeze()


@pytest.mark.slow
async def test_closed_screens_and_their_sessions_are_freed(tmp_path: Path) -> None:
    drawn: list[int] = []
    async with opener_over(tmp_path) as (opener, plain, agents):
        for _ in range(2):
            await opener.search()
            await opener.session_with_all(agents)
            await opener.session(plain)
            await opener.back_to(LibraryScreen)
            await opener.all_freed()
            drawn.append(_drawn())
        assert len(opener.closed) >= 20
        await until(opener.pilot, lambda: _drawn() <= drawn[0])


def _drawn() -> int:
    """Return how many widgets have lines that were drawn."""
    return sum(isinstance(one, StylesCache) for one in gc.get_objects())
