"""Finds the activities that match, a slice of time at a time, outward from where the reader is."""

from collections.abc import Callable
from time import perf_counter

from agentview.domain.activity import Activity
from agentview.timeline.view.filter.outward_scan import OutwardScan
from agentview.timeline.view.rows_protocol import Rows, is_folded

Test = Callable[[Activity], bool]


class Scan(OutwardScan):
    """The rows that pass a test, found by and by: from `start` to the end, then to the front.

    Rows that are added while it runs are tested too. Rows that are not shown are left out, and
    those that are not `among` the wanted ones, which needs no decoding; without a test `among`
    decides.
    """

    def __init__(
        self,
        rows: Rows,
        test: Test | None,
        start: int,
        among: Callable[[int], bool] = lambda _row: True,
        *,
        folded: bool = False,
    ) -> None:
        """`folded`: rows of abandoned branches are looked at too while these are folded."""
        super().__init__(rows, start)
        self._test = test
        self._among = among
        self._folded = folded

    def step(self, budget: float) -> bool:
        """Continue for about `budget` seconds; true when there is nothing left to look at."""
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
        """True if the row was there when the scan last looked for new ones, and was looked at."""
        return self._first <= row < self._end and not any(row in span for span in self._ranges)

    def _look_at(self, row: int) -> None:
        stands = self._rows.shown(row) or (self._folded and is_folded(self._rows, row))
        wanted = stands and self._among(row)
        if wanted and (self._test is None or self._test(self._rows.activity(row))):
            self.hits.put(row, True)
