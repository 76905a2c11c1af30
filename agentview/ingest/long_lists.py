"""A session on an event loop: long todo lists are put together in slices, behind what is shown."""

import asyncio
from collections.abc import Iterator
from time import perf_counter

from agentview.domain.activity import Activity
from agentview.store.background_index import SLICE
from agentview.store.folded_store import FoldedStore


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
