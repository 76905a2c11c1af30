"""A session whose log may be awaited, go away, come back and move to another place."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from agentview.domain.activity import Activity
from agentview.domain.session import SessionRef
from agentview.providers.base import Provider
from agentview.sources.document_lines import LogReader
from agentview.sources.lines import LineReader
from agentview.store.background_index import SLICE
from agentview.store.folded_store import FoldedStore
from agentview.timeline.header import LogPresence

# A session on an event loop: long todo lists are put together in slices, behind what is shown.


class LongListsSession(FoldedStore):
    """Gives an activity without its todo list where that takes long, and tells when it is there."""

    LISTS_AT_ONCE = 16
    _lists: asyncio.Task[None] | None = None

    def activity(self, row: int) -> Activity:
        """The row decoded and joined; a long todo list comes later, with a change of the row."""
        found = super().activity(row)
        if not self.lists_wait or self._lists is not None:
            return found
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            # Nobody is kept waiting by doing it now.
            for _ in self.finish_lists():
                pass
            return super().activity(row)
        self._lists = asyncio.create_task(self._finish(self.finish_lists()))
        return found

    async def _finish(self, steps: Iterator[None]) -> None:
        until = perf_counter() + SLICE
        for _ in steps:
            if perf_counter() > until:
                await asyncio.sleep(0)
                until = perf_counter() + SLICE
        self._lists = None


class PlacedSession(LongListsSession):
    """Knows where the log is, and reads on there."""

    def __init__(self, provider: Provider, ref: SessionRef, *, live: bool = False) -> None:
        super().__init__(provider, ref, live=live)
        self.presence = LogPresence.PRESENT
        self._path = Path(ref.path)
        self._reader: LogReader = LineReader(self._path)

    @property
    def ref(self) -> SessionRef:
        """The log that is read."""
        return self.session

    def move(self, ref: SessionRef) -> None:
        """Go on where the log is now."""
        self.relocate(ref)
        self._path = Path(ref.path)
        self._reader.move(self._path)
        self._set_presence(LogPresence.MOVED)

    def _set_presence(self, presence: LogPresence) -> None:
        if presence is not self.presence:
            self.presence = presence
            self.announce_state()
