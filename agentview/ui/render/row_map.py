"""Which row shows which part of which line, where most lines take one row."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from agentview.timeline.plain import TAB_SIZE, clean
from agentview.ui.render.lines import LONG_LINE, fold_count

_CHUNK = 512


class RowMap:
    """Rows of `count` lines. `tall` are those of more than one row, in order, and their rows."""

    def __init__(self, count: int, tall: Sequence[tuple[int, int]] = ()) -> None:
        self._tall = tall
        self._first: list[int] = []
        self._extra: list[int] = []
        extra = 0
        for line, rows in tall:
            self._first.append(line + extra)
            extra += rows - 1
            self._extra.append(extra)
        self.height = count + extra

    def at(self, row: int) -> tuple[int, int]:
        """The line that a row shows, and which of the line's rows it is, from 0."""
        found = bisect_right(self._first, row) - 1
        if found < 0:
            return row, 0
        line, rows = self._tall[found]
        part = row - self._first[found]
        return (line, part) if part < rows else (row - self._extra[found], 0)


def tall_lines(signed: Sequence[str], room: int) -> Iterator[tuple[int, int]]:
    """Indexes and rows of the lines that do not stand in one row of `room` cells.

    Each line has a sign in front that takes no room. Lines of plain ASCII cost next to nothing.
    """
    limit = room + 1
    for first in range(0, len(signed), _CHUNK):
        chunk = signed[first : first + _CHUNK]
        text = "".join(chunk)
        sizes = list(map(len, chunk))
        # Control characters become signs that are one cell wide.
        if text.isascii() and "\t" not in text and max(sizes) <= LONG_LINE:
            if max(sizes) > limit:
                for index, size in enumerate(sizes, first):
                    if size > limit:
                        yield index, -(-(size - 1) // room)
            continue
        for index, line in enumerate(chunk, first):
            if _most_cells(line) > room:
                rows = fold_count(clean(line[1:]), room)
                if rows > 1:
                    yield index, rows


def _most_cells(signed: str) -> int:
    """Cells that a line takes at most, however it is cleaned."""
    size = len(signed) - 1
    return (size if signed.isascii() else 2 * size) + (TAB_SIZE - 1) * signed.count("\t")
