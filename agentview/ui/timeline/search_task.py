"""The search of a session: rows that pass a query, found in slices or by a worker."""

from collections.abc import Callable, Iterable, Sequence

from agentview.facts.search.matcher import matcher_test
from agentview.query.parser import parse_query
from agentview.query.vocabulary import Surface
from agentview.timeline.view.filter.filters import ContentTest, Filter, row_filter
from agentview.timeline.view.filter.row_flags import overlap
from agentview.timeline.view.filter.row_set import RowSet
from agentview.timeline.view.filter.search import Scan
from agentview.timeline.view.rows_protocol import Rows
from agentview.ui.timeline.term_search import TermSearches
from agentview.ui.widgets.sliced_work import TimeSlicer

_REPORT_SECONDS = 0.05
"""Seconds between two reports of progress."""


class SearchTask:
    """The rows that pass a query, those of folded branches too.

    `on_change` is called each time it paused, `said` with a sentence when something goes wrong.
    """

    def __init__(
        self,
        rows: Rows,
        on_change: Callable[[], None],
        said: Callable[[str], None],
        noted: Callable[[str], Sequence[int]] = lambda _: (),
    ) -> None:
        """`noted` gives the rows whose notes a query finds, which are no part of the log."""
        self._noted = noted
        self._rows = rows
        self._on_change = on_change
        self._said = said
        self._slices = TimeSlicer(self._work, on_change, _REPORT_SECONDS)
        self._terms = TermSearches(self._on_progress, self._on_failure)
        self.query = ""
        self.error: str | None = None
        """Part of the query that is not valid."""
        self._filter: Filter | None = None
        self._here: Sequence[ContentTest] = ()
        """Tests that no worker makes."""
        self._scan: Scan | None = None
        """Looks at rows here, once the worker is done; None where one term is all."""
        self._start = 0

    @property
    def hits(self) -> RowSet:
        """Rows found so far."""
        if self._alone():
            return self._terms.sought[0].search.hits
        return self._scan.hits if self._scan is not None else RowSet()

    @property
    def unread(self) -> int:
        """Hits before the first row that is known."""
        return self._terms.sought[0].search.unread if self._alone() else 0

    @property
    def done(self) -> bool:
        """True if all has been looked at, or nothing is looked for."""
        if self._filter is None:
            return True
        return self._terms.done and (self._alone() or (self._scan is not None and self._scan.done))

    def prepare(self) -> None:
        self._terms.prepare(self._rows)

    def rest(self) -> None:
        self._terms.rest()

    def close(self) -> None:
        """Stop looking, here and in the worker."""
        self._slices.stop()
        self._terms.close()
        self._filter = self._scan = None

    def begin(self, query: str, start: int) -> None:
        """Look for another query outward from a row; an empty one ends the search."""
        parsed = parse_query(query, Surface.ACTIVITIES)
        self.query, self._start = query, start
        self.error = None if parsed.error is None else parsed.error.short
        self._slices.stop()
        wanted = self._filter = row_filter(parsed, self._rows, matcher_test)
        self._scan = None
        if wanted is None:
            if not query:
                self._terms.close()
            return
        self._here = self._terms.begin(
            self._rows, wanted.content_tests, wanted.places, start, folded=True
        )
        self._slices.ensure_running()

    def rows_changed(self, updated: Iterable[int]) -> None:
        """Look at rows that came or changed."""
        updated = tuple(updated)
        self._terms.rows_changed(updated)
        if self._scan is not None:
            for row in updated:
                self._scan.look_again(row)
        if self._filter is not None:
            self._slices.ensure_running()

    def nearest(self, row: int) -> int | None:
        """The hit at or after a row, else the one before it."""
        after = self.hits.next(row)
        return self.hits.previous(row) if after is None else after

    def step(self, row: int, direction: int, shown: Callable[[int], bool]) -> int | None:
        """The next (1) or previous (-1) hit that is shown, around the ends; None without any."""
        hits = self.hits
        advance = hits.next if direction > 0 else hits.previous
        around = self._rows.first if direction > 0 else self._rows.end
        for start in (row + direction, around):
            hit = advance(start)
            while hit is not None and not shown(hit):
                hit = advance(hit + direction)
            if hit is not None:
                return hit
        return None

    def report(self, row: int | None, left_out: bytes | None = None) -> str:
        """Where the row stands among the hits: `3 of 41`, and how far the search has come.

        `left_out` has 255 for each row that a filter hides, from the first row on: hits in those
        are counted apart.
        """
        if self.error is not None:
            return self.error
        if self._filter is None:
            return ""
        hits, hidden = self.hits, b""
        if left_out is not None:
            first = self._rows.first
            hidden = overlap((hits.mask(first, first + len(left_out)), left_out), len(left_out))
        total = len(hits) + self.unread - hidden.count(255)
        rank = hits.rank(row) if row is not None else 0
        if rank and hidden and row is not None:
            at = row - self._rows.first
            rank = 0 if hidden[at : at + 1] == b"\xff" else rank - hidden.count(255, 0, at)
        text = f"{rank + self.unread:,} of {total:,}" if rank else f"{total:,} found"
        if 255 in hidden:
            text = f"{text}, {hidden.count(255):,} hidden by the filter"
        return text if self.done else f"{text}, {self._fraction:.0%} searched"

    @property
    def _fraction(self) -> float:
        """Part of the work that is done, 0 to 1."""
        parts = self._terms.fractions
        if not self._alone():
            parts.append(self._scan.fraction if self._scan is not None else 0.0)
        return sum(parts) / len(parts)

    def _alone(self) -> bool:
        """Return True if one term that the worker looks for is all that is asked for."""
        wanted, sought = self._filter, self._terms.sought
        if wanted is None or self._here or wanted.row_tests:
            return False
        return len(sought) == 1 and not sought[0].negative

    def _work(self, budget: float) -> bool:
        """Look on for about `budget` seconds; True when there is nothing to look at for now."""
        finished = self._look_on(budget)
        if self._filter is not None and (self._alone() or self._scan is not None):
            for row in self._noted(self.query):
                self.hits.put(row, present=True)
        return finished

    def _look_on(self, budget: float) -> bool:
        if not self._terms.step(budget):
            return False
        if self._filter is None or not self._terms.swept or self._alone():
            return True
        if self._scan is None:
            self._scan = Scan(self._rows, None, self._start, self._passes, folded=True)
        return self._scan.step(budget)

    def _passes(self, row: int) -> bool:
        wanted = self._filter
        return (
            wanted is not None
            and wanted.passes_row(self._rows, row)
            and self._terms.passes(row)
            and all(test.passes(self._rows, row) for test in self._here)
        )

    def _on_progress(self) -> None:
        self._on_change()
        if self._terms.swept:
            self._slices.ensure_running()

    def _on_failure(self, why: str) -> None:
        self._said(f"{why}; searching on without it")
        self._here = () if self._filter is None else self._filter.content_tests
        self._scan = None
        self._slices.ensure_running()
