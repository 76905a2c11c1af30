"""Places of sessions made of the samples, and the library over them."""

import os
import re
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from textual.pilot import Pilot

from agentview.settings import LaunchOptions, Screen
from agentview.settings.reading import EffectiveSettings
from agentview.system.paths import sample_sessions_dir
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.widgets.home_header import HomeHeader
from agentview.ui.widgets.lists.session_list import SessionList
from tests.ui.app_under_test import bar_text, until

_STAMP = re.compile(r'("timestamp": ?)"([^"]+)"')


def library_over(
    root: Path,
    *names: str,
    clock: Callable[[], float] = time.time,
    settings: EffectiveSettings | None = None,
) -> AgentViewApp:
    """The application with the library over a directory of each provider under `root`."""
    start = LaunchOptions(Screen.LIBRARY, settings=settings or EffectiveSettings())
    return AgentViewApp(start, clock=clock, roots=[(name, root / name) for name in names])


def samples(root: Path, *names: str) -> None:
    """Lay out all samples of some providers."""
    for name in names:
        shutil.copytree(sample_sessions_dir() / name, root / name)
        for path in (root / name).rglob("*"):
            os.utime(path)


def moved_to(lines: list[str], moment: float) -> list[str]:
    """Records as if the last of them had been written at a moment."""

    def epoch(text: str) -> float:
        return datetime.fromisoformat(text).timestamp()

    stamps = [epoch(found[2]) for line in lines for found in _STAMP.finditer(line)]
    offset = moment - max(stamps)

    def moved(found: re.Match[str]) -> str:
        time_of = datetime.fromtimestamp(epoch(found[2]) + offset, UTC)
        return f'{found[1]}"{time_of.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]}Z"'

    return [_STAMP.sub(moved, line) for line in lines]


def header_text(pilot: Pilot[None]) -> str:
    """What the first row says."""
    return bar_text(pilot.app.screen.query_one(HomeHeader))


async def all_indexed(pilot: Pilot[None]) -> None:
    """Wait until everything is found and indexed."""

    def done() -> bool:
        library = pilot.app.screen
        # In a narrow terminal the header leaves out how far it is.
        if not isinstance(library, LibraryScreen) or library.feed.progress.scanning:
            return False
        known = all(each.totals is not None for each in library.feed.listing.facts())
        counted = known and not library.feed.progress.indexing
        return counted and library.query_one(SessionList).current is not None

    await until(pilot, done)
    await pilot.pause(0.1)
