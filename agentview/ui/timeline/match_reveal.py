"""The line of a body in which something was found: looked for in slices, and brought into view."""

import asyncio
from collections.abc import Callable, Generator, Iterator

from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.style.highlight_matches import TextPattern
from agentview.ui.widgets.sliced_work import work_for

_SLICE = 0.004
"""Seconds of looking at a time, between which keys and frames have their turn."""

_ROWS = 16
"""Lines that are made at a time while looking."""


class MatchLine:
    """Looks through the lines of one row after the other; the last one that was asked for counts.

    `view` gives the layout of a row as it is shown, `unfold` opens or folds back its parts, `show`
    brings a line of it into view.
    """

    def __init__(
        self,
        view: Callable[[int], RowLayout],
        unfold: Callable[[int, bool], None],
        show: Callable[[int, int], None],
    ) -> None:
        self._view = view
        self._unfold = unfold
        self._show = show
        self._looking: asyncio.Task[None] | None = None

    def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def seek(self, row: int, found: TextPattern) -> None:
        """Bring the first line of the row that has it into view; its parts unfold for that."""
        self.close()
        steps = self._steps(row, found)
        if not work_for(steps, _SLICE):
            self._looking = asyncio.create_task(self._run_rest(steps))

    async def _run_rest(self, steps: Iterator[None]) -> None:
        done = False
        while not done:
            await asyncio.sleep(0)
            done = work_for(steps, _SLICE)

    def _steps(self, row: int, found: TextPattern) -> Iterator[None]:
        line = yield from _first_line(self._view(row), found)
        if line is None and _folds(self._view(row)):
            self._unfold(row, True)
            line = yield from _first_line(self._view(row), found)
            if line is None:
                self._unfold(row, False)
        if line is not None:
            self._show(row, line)


def _first_line(view: RowLayout, found: TextPattern) -> Generator[None, None, int | None]:
    for start in range(0, view.height, _ROWS):
        for line, text in enumerate(view.texts(start, start + _ROWS), start):
            if found.search(text):
                return line
        yield
    return None


def _folds(view: RowLayout) -> bool:
    return any(view.fold_at(line) is not None for line in range(view.height))
