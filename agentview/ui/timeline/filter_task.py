"""The filter of a session: the rows that pass its query, found in slices or by a worker."""

from collections.abc import Callable, Iterable, Sequence

from agentview.facts.search.matcher import matcher_test
from agentview.query.parser import Query, parse_query
from agentview.query.vocabulary import Surface
from agentview.timeline.view.filter.filters import ContentTest, Filter, row_filter
from agentview.timeline.view.filter.row_flags import RowFilter, overlap
from agentview.timeline.view.filter.two_stage_filter import TwoStageFilter
from agentview.timeline.view.rows_protocol import Rows
from agentview.ui.timeline.term_search import TermSearches
from agentview.ui.widgets.sliced_work import TimeSlicer

_REPORT_SECONDS = 0.1
"""Seconds between two reports of progress."""


class FilterTask:
    """The rows that a filter line leaves in. `on_change` is called as it gets further.

    What has to be looked for in a large log is looked for by a child, one term after the other;
    what needs the activity is then looked at here, in rows that may still pass. `said` gets an
    error message when something goes wrong.
    """

    def __init__(
        self, rows: Rows, on_change: Callable[[], None], said: Callable[[str], None]
    ) -> None:
        self.line = ""
        self.number = 0
        """Counts the lines."""
        self._rows = rows
        self._on_change = on_change
        self._said = said
        self._query = Query()
        self._filter: Filter | None = None
        self._start = 0
        self._terms = TermSearches(self._on_progress, self._on_failure)
        self._left: Sequence[ContentTest] = ()
        """Tests that no child makes."""
        self._sieve: TwoStageFilter | None = None
        self._slices = TimeSlicer(self._work, on_change, _REPORT_SECONDS)

    @property
    def active(self) -> bool:
        return self._filter is not None

    @property
    def understood(self) -> bool:
        """False for a line that is not a filter; `report` says why."""
        return self._query.error is None

    @property
    def found(self) -> int:
        """Rows that are known to pass a term; grows while more is found."""
        count = sum(len(each.search.hits) for each in self._terms.sought)
        return count + (len(self._sieve.hits) if self._sieve is not None else 0)

    @property
    def done(self) -> bool:
        """True if it is known of all rows whether they are left in."""
        decoded = not self._left or (self._sieve is not None and self._sieve.done)
        return self._terms.done and decoded

    @property
    def partly(self) -> bool:
        """True if what is known of some rows can be shown: no other row will be left out later."""
        if self._filter is None:
            return False
        sought = self._terms.sought
        under_way = next((each for each in sought if not each.search.done), None)
        if under_way is None:
            return True
        last = not self._left and under_way is sought[-1]
        return last and not under_way.negative and self.found > 0

    @property
    def passes(self) -> RowFilter:
        return RowFilter(self._passes, self._mask)

    def prepare(self) -> None:
        self._terms.prepare(self._rows)

    def rest(self) -> None:
        self._terms.rest()

    def close(self) -> None:
        """Stop looking, here and in the worker."""
        self._left, self._sieve = (), None
        self._slices.stop()
        self._terms.close()

    def begin(self, line: str, start: int | None = None) -> None:
        """Take another line, and look outward from a row; an empty one ends the filter."""
        rows = self._rows
        self.line, self.number = line.strip(), self.number + 1
        self._query = parse_query(line, Surface.ACTIVITIES)
        wanted = self._filter = row_filter(self._query, rows, matcher_test)
        self._start = rows.end - 1 if start is None else start
        self._left, self._sieve = (), None
        self._slices.stop()
        if wanted is not None:
            tests = wanted.content_tests
            self._left = self._terms.begin(rows, tests, wanted.places, self._start)
            self._slices.ensure_running()
        else:
            self._terms.begin(rows, (), (), self._start)
        self._on_change()

    def rows_changed(self, updated: Iterable[int]) -> None:
        """Look at rows that came or changed."""
        updated = tuple(updated)
        self._terms.rows_changed(updated)
        if self._sieve is not None:
            for row in updated:
                self._sieve.look_again(row)
        if self._terms.sought or self._left:
            self._slices.ensure_running()

    def report(self) -> str:
        """How far the filter has come."""
        if self._query.error is not None:
            return self._query.error.short
        parts = self._terms.fractions
        if self._left:
            parts.append(self._sieve.fraction if self._sieve is not None else 0.0)
        return "" if self.done else f"{sum(parts) / len(parts):.0%} checked"

    def _on_progress(self) -> None:
        if self._terms.swept:
            self._slices.ensure_running()
        self._on_change()

    def _on_failure(self, why: str) -> None:
        self._said(f"{why}; filtering on without it")
        self._left, self._sieve = (() if self._filter is None else self._filter.content_tests), None
        self._slices.ensure_running()

    def _work(self, budget: float) -> bool:
        """Look on for about `budget` seconds; True when there is nothing to look at for now."""
        if not self._terms.step(budget):
            return False
        if not self._terms.swept:
            return True
        if not self._left:
            return True
        if self._sieve is None:
            self._sieve = TwoStageFilter(self._rows, self._left, self._start, self._among)
        return self._sieve.step(budget)

    def _passes(self, row: int) -> bool:
        """Return True if a row is left in, as far as it is known."""
        wanted = self._filter
        if wanted is None:
            return True
        if not wanted.passes_row(self._rows, row):
            return False
        if not self._terms.passes(row):
            return False
        return not self._left or (self._sieve is not None and self._sieve.passes(row))

    def _mask(self, kinds: bytes, flags: bytes, first: int) -> bytes:
        """The same for many rows at once."""
        mask = self._among(kinds, flags, first)
        if self._sieve is None:
            return bytes(len(kinds)) if self._left else mask
        return overlap((mask, self._sieve.mask(kinds, flags, first)), len(kinds))

    def _among(self, kinds: bytes, flags: bytes, first: int) -> bytes:
        """Rows that pass all but what is looked at here."""
        end = first + len(kinds)
        masks = [each.mask(first, end) for each in self._terms.sought]
        if self._filter is not None:
            masks.append(self._filter.mask(kinds, flags))
        return overlap(masks, len(kinds))
