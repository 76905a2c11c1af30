"""Goes through the rows of a session from where the reader is, to the end and to the front."""

from collections import deque

from agentview.timeline.view.filter.row_set import RowSet
from agentview.timeline.view.rows_protocol import Rows


class OutwardScan:
    """Rows found outward from row `start`; rows that are added meanwhile are looked at too."""

    def __init__(self, rows: Rows, start: int) -> None:
        self._rows = rows
        self._first: int = rows.first
        self._end: int = rows.end
        start = min(max(start, self._first), self._end)
        self._ranges = deque([range(start, self._end), range(start - 1, self._first - 1, -1)])
        self.hits = RowSet()
        """Rows found so far."""

    @property
    def done(self) -> bool:
        """True when every row known at this moment has been looked at."""
        known = self._end == self._rows.end and self._first == self._rows.first
        return known and not self._left()

    @property
    def fraction(self) -> float:
        """Part of the rows that has been looked at, 0 to 1."""
        total = self._end - self._first
        return 1.0 if total == 0 else 1.0 - self._left() / total

    def _left(self) -> int:
        return sum(map(len, self._ranges))

    def _take_new_rows(self) -> None:
        first, end = self._rows.first, self._rows.end
        if end > self._end:
            self._ranges.append(range(self._end, end))
        if first < self._first:
            self._ranges.append(range(self._first - 1, first - 1, -1))
        self._first, self._end = first, end
