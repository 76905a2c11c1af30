"""Keeps the index of the search up to date next to the library, which fills it."""

import asyncio
from collections.abc import Callable, Generator

from agentview.sessions.library.session_list import Entry
from agentview.sessions.library.sort_group import ListQuery, ListView, arrange
from agentview.ui.screens.home.feed import LibraryFeed
from agentview.ui.widgets.sliced_work import LatestWork

SOON = 2.0
"""Seconds after a change before it is begun: the library's own child may be about to start."""

AGAIN = 60.0
"""Seconds between two times at which logs that have been written to are indexed."""


class IndexUpdater:
    """Has a child of the lowest priority index what `feed` has found, once it is done itself.

    It never creates an index: the scan of the library does that, where it can.
    """

    def __init__(self, feed: LibraryFeed, clock: Callable[[], float]) -> None:
        self._feed = feed
        self._clock = clock
        self._choosing = LatestWork(self._everything, self._take)
        self._busy = False
        self._waits = False
        self._known: tuple[int, int] | None = None
        feed.subscribe(self._changed)

    def _changed(self) -> None:
        if not (self._busy or self._waits or self._at_work()):
            self._wait(SOON)

    def _at_work(self) -> bool:
        progress = self._feed.progress
        return progress.scanning or progress.indexing

    def _wait(self, seconds: float) -> None:
        self._waits = True
        asyncio.get_running_loop().call_later(seconds, self._wake)

    def _wake(self) -> None:
        self._waits = False
        if self._at_work():
            # A change says when that is over.
            return
        # Late: nothing of the search is needed for the library's first frames.
        from agentview.facts.search.fts_index import index_path

        if index_path().is_file():
            self._busy = True
            self._choosing.renew()

    def _everything(self) -> Generator[None, None, ListView]:
        return arrange(self._feed.listing, ListQuery(agents=True), self._clock())

    def _take(self, arranged: ListView) -> None:
        from agentview.ui.screens.search.source import SearchFeed

        every = (row.info.ref for row in arranged.rows if isinstance(row, Entry))
        refs = [ref for ref in every if not ref.is_remote]
        known = len(refs), sum(ref.size or 0 for ref in refs)
        # A program that ends is to start no child.
        if known == self._known or not refs or self._feed.closed:
            self._busy = False
            return
        self._known = known
        self._busy = True
        builder = SearchFeed(_nothing, lambda progress: None if progress else self._rest())
        builder.build(builder.number(refs))

    def _rest(self) -> None:
        """Wait before it is done again, since one that is at work writes all the time."""
        self._busy = False
        self._wait(AGAIN)


def _nothing() -> None:
    return
