"""Closed screens and their sessions leave memory, however many are opened."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual._styles_cache import StylesCache

from agentview.ui.screens.library.screen import LibraryScreen
from tests.ui.app_under_test import until
from tests.ui.closed_screens import opener_over

_OPENED = 250
_ROOM = 1.2
"""Memory after all sessions, by what was used after the first ten."""


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


@pytest.mark.slow
@pytest.mark.long
def test_the_memory_of_250_sessions_is_that_of_ten(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.ui.closed_screens", str(tmp_path), str(_OPENED)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    first, last = (int(line) for line in done.stdout.split())
    assert last <= first * _ROOM, f"{first / 1e6:.1f} MB, then {last / 1e6:.1f} MB"
