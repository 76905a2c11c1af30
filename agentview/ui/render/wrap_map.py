"""Which row shows which part of which line, where most lines take one row."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from agentview.timeline.view.sanitize import TAB_SIZE, clean
from agentview.ui.render.text_lines import COUNTED, fold_count

_CHUNK = 512


class RowMap:
    """Rows of `count` lines, of which each takes one unless `heights` says how many it takes."""

    def __init__(self, count: int, heights: Iterable[int] | None = None) -> None:
        self._ends = None if heights is None else list(accumulate(heights))
        self.height = count if self._ends is None else self._ends[-1] if self._ends else 0

    def at(self, row: int) -> tuple[int, int]:
        """The line that a row shows, and which of the line's rows it is, from 0."""
        if self._ends is None:
            return row, 0
        line = bisect_right(self._ends, row)
        return line, row - (self._ends[line - 1] if line else 0)


def tall_lines(signed: Sequence[str], room: int) -> dict[int, int]:
    """Rows, by index, of the lines that do not fit in one row of `room` cells.

    Each line has a sign in front that takes no room. Lines of plain ASCII cost next to nothing.
    """
    tall: dict[int, int] = {}
    limit = room + 1
    for first in range(0, len(signed), _CHUNK):
        chunk = signed[first : first + _CHUNK]
        text = "".join(chunk)
        sizes = list(map(len, chunk))
        # Control characters become signs that are one cell wide.
        if text.isascii() and "\t" not in text and max(sizes) <= COUNTED:
            if max(sizes) > limit:
                long = [index for index, size in enumerate(sizes) if size > limit]
                tall.update([(first + index, -(-(sizes[index] - 1) // room)) for index in long])
            continue
        for index, line in enumerate(chunk, first):
            if _most_cells(line) > room:
                rows = fold_count(clean(line[1:]), room)
                if rows > 1:
                    tall[index] = rows
    return tall


def _most_cells(signed: str) -> int:
    """Cells that a line takes at most, however it is cleaned."""
    size = len(signed) - 1
    return (size if signed.isascii() else 2 * size) + (TAB_SIZE - 1) * signed.count("\t")
