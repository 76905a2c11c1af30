"""Search inside what a pager shows: the line to type into, and the way between matches."""

import asyncio
from bisect import bisect_left
from operator import attrgetter
from time import perf_counter
from typing import ClassVar

from textual import on
from textual.containers import Vertical

from agentview.query.parser import QueryError, parse_query
from agentview.query.vocabulary import Surface
from agentview.ui.render.style.query_pattern import found_pattern
from agentview.ui.widgets.pager import Match, Pager
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.status_line import StatusLine

_SLICE = 0.003
"""Seconds of looking at a time, between which keys and frames have their turn."""

_row = attrgetter("row")
_ROWS = 16
"""Rows that are made at a time while looking."""


class PageSearch(Vertical):
    """Takes no room until it is asked for a line. Moves the pager, updates the status line."""

    DEFAULT_CSS: ClassVar[str] = """
    PageSearch { height: auto; }
    """

    def __init__(self, pager: Pager, status: StatusLine) -> None:
        super().__init__()
        self._pager = pager
        self._status = status
        self._query = ""
        self._matches: list[Match] = []
        self._current: int | None = None
        self._looking: asyncio.Task[None] | None = None
        self._origin = 0
        self._error: QueryError | None = None
        self._line: InputLine | None = None

    def on_unmount(self) -> None:
        self._stop()

    async def ask(self) -> None:
        """Let the person type what to look for."""
        await self.remove_children()
        self._origin = self._pager.place
        self._line = InputLine("/", id="search")
        await self.mount(self._line)
        self._line.start()

    def look_again(self) -> None:
        if self._query:
            self._begin(self._query, moves=False)

    def step(self, direction: int) -> None:
        """Go to the next (1) or previous (-1) match, around the ends."""
        if not self._query:
            self._status.say("no search yet; / starts one")
        elif not self._matches:
            self._status.say(f"nothing found for {self._query}")
        else:
            self._go((self._nearest(direction) if self._current is None else
                      self._current + direction) % len(self._matches))  # fmt: skip

    def dismiss(self) -> bool:
        """End the search; false when there is none."""
        active = bool(self._query)
        self._stop()
        self._query = ""
        self._matches, self._current = [], None
        self._pager.show_matches(None, None)
        self._show_result()
        return active

    def _nearest(self, direction: int) -> int:
        after = bisect_left(self._matches, self._pager.place, key=_row)
        return after if direction > 0 else after - 1

    def _begin(self, query: str, *, moves: bool) -> None:
        self._stop()
        self._query = query
        self._matches, self._current = [], None
        self._error = parse_query(query, Surface.ACTIVITIES).error
        self._pager.show_matches(found_pattern(query), None)
        self._looking = asyncio.create_task(self._look(moves=moves))

    def _stop(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    async def _look(self, *, moves: bool) -> None:
        found = found_pattern(self._query)
        start, began = 0, perf_counter()
        while found is not None and start < self._pager.height:
            for row, text in enumerate(self._pager.texts(start, start + _ROWS), start):
                self._matches += (Match(row, *match.span()) for match in found.finditer(text))
            start += _ROWS
            if perf_counter() - began > _SLICE:
                moves = self._arrive(moves)
                await asyncio.sleep(0)
                began = perf_counter()
        self._looking = None
        self._arrive(moves)
        if moves and not self._matches:
            self._pager.place = self._origin

    def _arrive(self, moves: bool) -> bool:
        """Go to the first match behind where the search began; false once that was done."""
        if moves and self._matches and self._matches[-1].row >= self._origin:
            self._go(bisect_left(self._matches, self._origin, key=_row))
            return False
        if moves and self._looking is None and self._matches:
            self._go(0)
            return False
        self._show_result()
        return moves

    def _go(self, index: int) -> None:
        self._current = index
        self._pager.show_matches(found_pattern(self._query), self._matches[index])
        self._show_result()

    def _show_result(self) -> None:
        total = len(self._matches)
        text = f"{total:,} found" if self._error is None else self._error.short
        if self._current is not None:
            text = f"{self._current + 1:,} of {total:,}"
        if self._looking is not None:
            text = f"{text} so far"
        if self._line is not None:
            self._line.report(text if self._query else "")
        shown = self._query and self._line is None
        self._status.show_search(f"/{self._query}  {text}" if shown else None)

    async def _leave(self, line: InputLine) -> None:
        self._line = None
        await line.remove()
        self._pager.focus()

    @on(InputLine.Changed)
    def _typed(self, event: InputLine.Changed) -> None:
        event.stop()
        if event.value:
            self._begin(event.value, moves=True)
        else:
            self.dismiss()

    @on(InputLine.Submitted)
    async def _submitted(self, event: InputLine.Submitted) -> None:
        event.stop()
        await self._leave(event.line)
        self._show_result()

    @on(InputLine.Cancelled)
    async def _cancelled(self, event: InputLine.Cancelled) -> None:
        event.stop()
        await self._leave(event.line)
        self.dismiss()
        self._pager.place = self._origin

    @on(InputLine.Stepped)
    def _stepped(self, event: InputLine.Stepped) -> None:
        event.stop()
        self.step(event.direction)
