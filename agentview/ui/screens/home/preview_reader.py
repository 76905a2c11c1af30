"""Fills a preview next to a list: reads in a thread what it shows once the cursor rests."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec.structs import replace
from textual.timer import Timer
from textual.widget import Widget

from agentview.ui.widgets.preview import Preview, PreviewContent

Item = TypeVar("Item")
Found = TypeVar("Found")

_REST = 0.12
"""Seconds that the cursor rests on a row before a log is read."""

_KEPT = 16


class PreviewReader(Generic[Item, Found]):
    """Shows what belongs to a given row; keeps the last ones it has read."""

    def __init__(
        self,
        preview: Preview,
        key: Callable[[Item], object],
        head: Callable[[Item], PreviewContent],
        read: Callable[[Item], Found | str],
        lay_out: Callable[[Item, Found, int], PreviewContent],
    ) -> None:
        """`key` identifies what is read of a row, `head` gives what needs no reading.

        `read` and `lay_out`, which gets the cells of a row, run in a thread. `read` gives a
        sentence where nothing can be read now.
        """
        self._preview = preview
        self._key, self._head, self._read_item, self._laid_out = key, head, read, lay_out
        self._item: Item | None = None
        self._kept: OrderedDict[object, Found] = OrderedDict()
        self._timer: Timer | None = None
        self._task: asyncio.Task[None] | None = None

    def follow(self, item: Item | None, owner: Widget) -> None:
        """Show this row as soon as the cursor rests; at once what needs no reading."""
        self._item = item
        self.stop()
        if item is None:
            self._preview.show(PreviewContent())
            return
        if self._preview.room <= 0:
            return
        kept = self._kept.get(self._key(item))
        if kept is None:
            self._preview.show(self._head(item))
            self._timer = owner.set_timer(_REST, self._read)
        else:
            self._task = asyncio.create_task(self._lay_out(item, kept))

    def is_shown(self, item: Item) -> bool:
        return self._item is item

    def again(self, owner: Widget) -> None:
        self.follow(self._item, owner)

    def stop(self) -> None:
        """Read nothing more."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _read(self) -> None:
        if self._item is not None:
            self._task = asyncio.create_task(self._read_on(self._item))

    async def _read_on(self, item: Item) -> None:
        found = await asyncio.to_thread(self._read_item, item)
        if isinstance(found, str):
            if self._item is item:
                self._preview.show(replace(self._head(item), note=found))
            return
        self._kept[self._key(item)] = found
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        await self._lay_out(item, found)

    async def _lay_out(self, item: Item, found: Found) -> None:
        """Lay out in a thread too: a long message takes a while even in short."""
        content = await asyncio.to_thread(self._laid_out, item, found, self._preview.room)
        if self._item is item:
            self._preview.show(content)
