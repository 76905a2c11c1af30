"""Search and filter of a session: rows are looked at in slices, so that the loop is never held."""

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable

from agentview.timeline.filters import Filter, parse_filter
from agentview.timeline.model import Rows
from agentview.timeline.search import Scan, Test, text_test

SLICE = 0.006
"""Seconds of looking at a time, between which keys and frames have their turn."""


class _Looking:
    """A scan that goes on in the background and tells what it has found each time it paused."""

    def __init__(self, rows: Rows, told: Callable[[], None]) -> None:
        self._rows = rows
        self._told = told
        self._task: asyncio.Task[None] | None = None
        self.scan: Scan | None = None

    def close(self) -> None:
        """Stop looking and forget what was found."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.scan = None

    def look(
        self, test: Test, start: int, among: Callable[[int], bool] = lambda _row: True
    ) -> None:
        """Look for the rows that pass, from `start` on."""
        self.close()
        self.scan = Scan(self._rows, test, start, among)
        self._go_on()

    def rows_changed(self, updated: Iterable[int]) -> None:
        """Look at rows that came or changed."""
        if self.scan is None:
            return
        for row in updated:
            self.scan.look_again(row)
        self._go_on()

    def _go_on(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        scan = self.scan
        while scan is not None and scan is self.scan:
            done = scan.step(SLICE)
            self._told()
            if done:
                return
            await asyncio.sleep(0)


class Search(_Looking):
    """The rows that contain a text."""

    def __init__(self, rows: Rows, told: Callable[[], None]) -> None:
        super().__init__(rows, told)
        self.query = ""

    def begin(self, query: str, start: int) -> None:
        """Look for another text; an empty one ends the search."""
        self.query = query
        if query:
            self.look(text_test(query), start)
        else:
            self.close()

    def nearest(self, row: int) -> int | None:
        """The hit at or after a row, else the first one of all."""
        hits = self.scan.hits if self.scan else []
        place = bisect_left(hits, row)
        return hits[place] if place < len(hits) else hits[0] if hits else None

    def step(self, row: int, direction: int, shown: Callable[[int], bool]) -> int | None:
        """The next (1) or previous (-1) hit that is shown, around the ends; None without any."""
        hits = self.scan.hits if self.scan else []
        if not hits:
            return None
        place = bisect_right(hits, row) if direction > 0 else bisect_left(hits, row) - 1
        for offset in range(len(hits)):
            hit = hits[(place + offset * direction) % len(hits)]
            if shown(hit):
                return hit
        return None

    def report(self, row: int | None) -> str:
        """Where the row stands among the hits: `3 of 41`, and how far the search has come."""
        if self.scan is None:
            return ""
        rank, total = self.scan.rank(row) if row is not None else (0, len(self.scan.hits))
        text = f"{rank:,} of {total:,}" if rank else f"{total:,} found"
        return text if self.scan.done else f"{text}, {self.scan.fraction:.0%} searched"


class Narrowing(_Looking):
    """The rows that a filter line leaves in."""

    def __init__(self, rows: Rows, told: Callable[[], None]) -> None:
        super().__init__(rows, told)
        self.line = ""
        self._filter: Filter | None = None

    @property
    def active(self) -> bool:
        """Whether anything is filtered."""
        return self._filter is not None

    @property
    def ready(self) -> bool:
        """Whether every row is known to pass or not."""
        return self.scan is None or self.scan.done

    def begin(self, line: str) -> None:
        """Take another line; an empty one ends the filter."""
        self.line = line.strip()
        wanted = self._filter = parse_filter(line)
        if wanted is None or not wanted.needs_content:
            self.close()
            self._told()
            return
        rows = self._rows
        self.look(wanted.passes_content, rows.first, lambda row: wanted.passes_row(rows, row))

    def passes(self, row: int) -> bool:
        """Whether a row is left in; a row that was not looked at yet is looked at now."""
        wanted = self._filter
        if wanted is None:
            return True
        if not wanted.passes_row(self._rows, row):
            return False
        if self.scan is None or row not in self.scan:
            return wanted.passes(self._rows, row)
        return self.scan.rank(row)[0] > 0

    def report(self) -> str:
        """How far the filter has come."""
        if self.scan is None or self.scan.done:
            return ""
        return f"{self.scan.fraction:.0%} looked at"
