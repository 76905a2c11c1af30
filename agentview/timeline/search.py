"""Finds the activities that match, a slice of time at a time, outward from where the reader is."""

from collections import deque
from collections.abc import Callable
from enum import StrEnum
from time import perf_counter

from agentview.domain.activity import Activity
from agentview.timeline.model import Rows
from agentview.timeline.row_set import RowSet
from agentview.timeline.texts import searchable

Test = Callable[[Activity], bool]


class Field(StrEnum):
    """Where in an activity something is looked for."""

    TEXT = "text"
    """All that it shows."""
    TOOL = "tool"
    """The names of its tool."""
    FILE = "file"
    """The paths of its files."""


def counts_case(query: str) -> bool:
    """Whether case counts: when the query has a capital letter."""
    return query != query.lower()


def text_test(query: str) -> Test:
    """Matches activities that contain `query`; case counts when the query has a capital letter."""
    if counts_case(query):
        return lambda activity: any(query in text for text in searchable(activity))
    return lambda activity: any(query in text.lower() for text in searchable(activity))


class Scan:
    """The rows that pass a test, found by and by: from `start` to the end, then to the front.

    Rows that are added while it runs are looked at too. Rows that stand nowhere are left out, and
    those that are not `among` the wanted ones, which is told before they are decoded; without a
    test it alone tells.
    """

    def __init__(
        self,
        rows: Rows,
        test: Test | None,
        start: int,
        among: Callable[[int], bool] = lambda _row: True,
    ) -> None:
        self._rows = rows
        self._test = test
        self._among = among
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
        return known and not any(self._ranges)

    @property
    def fraction(self) -> float:
        """Part of the rows that has been looked at, 0 to 1."""
        total = self._end - self._first
        left = sum(len(span) for span in self._ranges)
        return 1.0 if total == 0 else 1.0 - left / total

    def step(self, budget: float) -> bool:
        """Go on for about `budget` seconds; true when there is nothing left to look at."""
        deadline = perf_counter() + budget
        self._take_new_rows()
        while self._ranges:
            span = self._ranges.popleft()
            for place, row in enumerate(span, 1):
                self._look_at(row)
                if perf_counter() >= deadline:
                    self._ranges.appendleft(span[place:])
                    return self.done
        return self.done

    def look_again(self, row: int) -> None:
        """Look at a row whose activity has changed."""
        self.hits.put(row, False)
        if self._first <= row < self._end:
            self._look_at(row)

    def __contains__(self, row: int) -> bool:
        """Whether the row was there when the scan last looked for new ones, and was looked at."""
        return self._first <= row < self._end and not any(row in span for span in self._ranges)

    def _look_at(self, row: int) -> None:
        wanted = self._rows.shown(row) and self._among(row)
        if wanted and (self._test is None or self._test(self._rows.activity(row))):
            self.hits.put(row, True)

    def _take_new_rows(self) -> None:
        first, end = self._rows.first, self._rows.end
        if end > self._end:
            self._ranges.append(range(self._end, end))
        if first < self._first:
            self._ranges.append(range(self._first - 1, first - 1, -1))
        self._first, self._end = first, end
