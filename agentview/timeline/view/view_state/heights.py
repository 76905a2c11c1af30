"""Heights of numbered rows in screen lines: one byte a row, found in microseconds."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

SEGMENT_ROWS = 2048
"""Rows of a segment; segments begin at row numbers that are multiples of it."""
_SHIFT = 11
_MASK = SEGMENT_ROWS - 1
_BLOCK = 64
_TALL = 255
"""In a cell: the height is 255 or more and is in the side table."""


class Heights:
    """Heights of the rows `first` to `end` - 1; a height of 0 is a row that is not shown.

    Rows may be numbered below zero and are added at either end. `top_of` and `row_at` take the
    total of all rows above, in lines.
    """

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self.end = first
        self._cells: list[bytearray] = []
        self._totals: list[int] = []
        self._tops: list[int] | None = [0]
        self._tall: dict[int, int] = {}

    @property
    def total(self) -> int:
        return self._prefix()[-1]

    def height(self, row: int) -> int:
        """Lines of the row. Raises IndexError for a row that does not exist."""
        cells, at, _ = self._locate(row)
        height = cells[at]
        return height if height < _TALL else self._tall[row]

    def set(self, row: int, height: int) -> None:
        """Replace the height of the row. Raises IndexError for a row that does not exist."""
        cells, at, segment = self._locate(row)
        old = cells[at] if cells[at] < _TALL else self._tall.pop(row)
        if height >= _TALL:
            self._tall[row] = height
        if height != old:
            cells[at] = min(height, _TALL)
            self._totals[segment] += height - old
            self._tops = None

    def extend_back(self, heights: Sequence[int]) -> None:
        """Add rows behind the last, in row order."""
        row = self.end
        cells = self._encode(row, heights)
        done = 0
        while done < len(cells):
            used = row & _MASK
            if not used or not self._cells:
                self._cells.append(bytearray())
                self._totals.append(0)
            part = cells[done : done + SEGMENT_ROWS - used]
            self._cells[-1] += part
            self._totals[-1] += self._sum(part, row)
            done += len(part)
            row += len(part)
        self.end = row
        self._tops = None

    def extend_front(self, heights: Sequence[int]) -> None:
        """Add rows in front of the first, in row order: the last height is of row `first` - 1."""
        row = self.first
        cells = self._encode(row - len(heights), heights)
        fresh: list[bytearray] = []
        totals: list[int] = []
        left = len(cells)
        while left:
            room = row & _MASK or SEGMENT_ROWS
            part = cells[max(0, left - room) : left]
            left -= len(part)
            row -= len(part)
            if self._cells and not fresh and room < SEGMENT_ROWS:
                self._cells[0][:0] = part
                self._totals[0] += self._sum(part, row)
            else:
                fresh.append(part)
                totals.append(self._sum(part, row))
        self._cells[:0] = reversed(fresh)
        self._totals[:0] = reversed(totals)
        self.first = row
        self._tops = None

    def rebuild(self, heights: Sequence[int]) -> None:
        """Replace the heights of all rows; `heights` has one for each, in row order."""
        if len(heights) != self.end - self.first:
            raise ValueError("a height for each row is needed")
        self._cells, self._totals, self._tall = [], [], {}
        self.end = self.first
        self.extend_back(heights)

    def adopt(self, other: "Heights") -> None:
        """Take over rows and heights of another, which is used no more."""
        self.first, self.end = other.first, other.end
        self._cells, self._totals, self._tall = other.handed_over()
        self._tops = None

    def handed_over(self) -> tuple[list[bytearray], list[int], dict[int, int]]:
        return self._cells, self._totals, self._tall

    def top_of(self, row: int) -> int:
        """Lines above the row; the total for `end`. Raises IndexError for any other number."""
        if row == self.end:
            return self.total
        cells, at, segment = self._locate(row)
        return self._prefix()[segment] + self._sum(cells[:at], row - at)

    def row_at(self, line: int) -> tuple[int, int]:
        """The row that covers a line of the total, and how many of its lines lie above that one.

        A line outside the total is taken to the nearest inside. Raises IndexError when no row is
        shown.
        """
        tops = self._prefix()
        if not tops[-1]:
            raise IndexError("no row is shown")
        line = min(max(line, 0), tops[-1] - 1)
        segment = bisect_right(tops, line) - 1
        rest = line - tops[segment]
        cells = self._cells[segment]
        start = self._start(segment)
        at = 0
        while rest >= (lines := self._sum(cells[at : at + _BLOCK], start + at)):
            rest -= lines
            at += _BLOCK
        while rest >= (lines := self.height(start + at)):
            rest -= lines
            at += 1
        return start + at, rest

    def next_shown(self, row: int) -> int | None:
        """The first shown row from `row` on; None when there is none."""
        row = max(row, self.first)
        while row < self.end:
            cells, at, segment = self._locate(row)
            if self._totals[segment]:
                hidden = len(cells) - at - len(cells[at:].lstrip(b"\0"))
                if at + hidden < len(cells):
                    return row + hidden
            row += len(cells) - at
        return None

    def previous_shown(self, row: int) -> int | None:
        """The last shown row up to and with `row`; None when there is none."""
        row = min(row, self.end - 1)
        while row >= self.first:
            cells, at, segment = self._locate(row)
            if self._totals[segment]:
                shown = len(cells[: at + 1].rstrip(b"\0"))
                if shown:
                    return row - (at + 1 - shown)
            row -= at + 1
        return None

    def _start(self, segment: int) -> int:
        """Number of the first row of a segment."""
        if not segment:
            return self.first
        return ((self.first >> _SHIFT) + segment) << _SHIFT

    def _locate(self, row: int) -> tuple[bytearray, int, int]:
        """Cells, the row's place in them, and the number of the segment."""
        if not self.first <= row < self.end:
            raise IndexError(row)
        segment = (row >> _SHIFT) - (self.first >> _SHIFT)
        return self._cells[segment], row - self._start(segment), segment

    def _prefix(self) -> list[int]:
        """Lines above each segment, and the total as the last."""
        if self._tops is None:
            self._tops = [0, *accumulate(self._totals)]
        return self._tops

    def _encode(self, row: int, heights: Sequence[int]) -> bytearray:
        """Cells for heights; what does not fit into one goes to the side table."""
        cells = bytearray(heights) if isinstance(heights, bytes | bytearray) else _capped(heights)
        at = cells.find(_TALL)
        while at >= 0:
            self._tall[row + at] = heights[at]
            at = cells.find(_TALL, at + 1)
        return cells

    def _sum(self, cells: bytearray, row: int) -> int:
        """Lines of consecutive cells whose first is that of `row`."""
        lines = sum(cells)
        at = cells.find(_TALL) if self._tall else -1
        while at >= 0:
            lines += self._tall[row + at] - _TALL
            at = cells.find(_TALL, at + 1)
        return lines


def _capped(heights: Iterable[int]) -> bytearray:
    return bytearray(min(height, _TALL) for height in heights)
