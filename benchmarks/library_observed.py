"""The library with a watch inside: `python -m benchmarks.library_observed FD HOME [--pulse]`.

Tells, as `benchmarks.observed` does, when the list is complete and when the event loop was held.
"""

import argparse
import asyncio
import gc
import os
import time
from pathlib import Path
from typing import ClassVar

from textual.types import CSSPathType

from agentview.settings import LaunchOptions, Screen
from agentview.ui import app
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.home.feed import LibraryFeed
from agentview.ui.screens.library.screen import LibraryScreen
from benchmarks.observed import Watch

# Textual looks for them next to the module of the class.
_STYLES = AgentViewApp.CSS_PATH if isinstance(AgentViewApp.CSS_PATH, list) else []


class WatchedApp(AgentViewApp):
    """The program; tells when all sessions are listed."""

    CSS_PATH: ClassVar[CSSPathType | None] = [
        Path(app.__file__).parent / str(name) for name in _STYLES
    ]

    def __init__(self, watch: Watch, *, pulse: bool) -> None:
        super().__init__(LaunchOptions(Screen.LIBRARY))
        self._watch, self._pulse = watch, pulse
        self._reported = False

    def on_ready(self) -> None:
        """Begin to look at itself once it shows something."""
        if self._pulse:
            self._feeling = asyncio.create_task(self._watch.feel_pulse())
        screen = self.screen
        if isinstance(screen, LibraryScreen):
            screen.feed.subscribe(lambda: self._changed(screen.feed))
            self._changed(screen.feed)

    def _changed(self, feed: LibraryFeed) -> None:
        if not feed.progress.scanning and not self._reported:
            self._reported = True
            self._watch.tell(complete=time.perf_counter(), listed=len(feed.listing))


def main() -> None:
    """Run with a watch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("descriptor", type=int)
    parser.add_argument("home", type=Path)
    parser.add_argument("--pulse", action="store_true")
    options = parser.parse_args()
    os.environ["HOME"] = str(options.home)
    gc.disable()
    WatchedApp(Watch(options.descriptor), pulse=options.pulse).run()


if __name__ == "__main__":
    main()
