"""The filter of a session: what its line leaves in, found in slices or by a worker."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agentview.search.in_session import TextSearch, is_for_worker
from agentview.search.matcher import Matcher
from agentview.search.session_messages import HANDLER, Answer
from agentview.timeline.filters import ContentTest, Filter, parse_filter
from agentview.timeline.row_flags import RowFilter, overlap
from agentview.timeline.rows_protocol import LogRows, Rows
from agentview.timeline.search import Field, Test
from agentview.timeline.two_stage_filter import TwoStageFilter
from agentview.ui.widgets.slices import TimeSlicer
from agentview.workers.process import Worker

_OTHERS = bytes(255 - value for value in range(256))

_TOLD = 0.1
"""Seconds between two words on how far it has come."""


@dataclass(slots=True)
class _FilterTerm:
    """A term of the line that a child looks for, in all of the log."""

    search: TextSearch
    negative: bool

    def passes(self, row: int) -> bool:
        self.search.place_hits()
        return (row in self.search.hits) != self.negative

    def mask(self, first: int, end: int) -> bytes:
        self.search.place_hits()
        mask = self.search.hits.mask(first, end)
        return mask.translate(_OTHERS) if self.negative else mask


class FilterTask:
    """The rows that a filter line leaves in. `on_change` is called as it gets further.

    What has to be looked for in a large log is looked for by a child, one term after the other;
    what only the activity tells is then looked at here, in rows that may still pass. `said` is told
    when something goes wrong.
    """

    def __init__(
        self, rows: Rows, on_change: Callable[[], None], said: Callable[[str], None]
    ) -> None:
        self.line = ""
        self.number = 0
        """Counts the lines."""
        self.found = 0
        """Grows when rows are known to pass that were not before."""
        self._rows = rows
        self._on_change = on_change
        self._said = said
        self._filter: Filter | None = None
        self._start = 0
        self._sought: list[_FilterTerm] = []
        self._left: Sequence[ContentTest] = ()
        """Tests that no child makes."""
        self._sieve: TwoStageFilter | None = None
        self._worker: Worker | None = None
        self._asked_for = 0
        self._typing = False
        self._slices = TimeSlicer(self._work, on_change, _TOLD)

    @property
    def active(self) -> bool:
        """Whether anything is filtered."""
        return self._filter is not None

    @property
    def done(self) -> bool:
        """Whether it is known of all rows whether they are left in."""
        swept = all(each.search.done for each in self._sought)
        return swept and (not self._left or (self._sieve is not None and self._sieve.done))

    @property
    def partly(self) -> bool:
        """Whether what is known of some rows can be shown: no other row will be left out later."""
        if self._filter is None:
            return False
        under_way = next((each for each in self._sought if not each.search.done), None)
        if under_way is None:
            return True
        last = not self._left and under_way is self._sought[-1]
        return last and not under_way.negative and self.found > 0

    @property
    def passes(self) -> RowFilter:
        """Tells which rows are left in."""
        return RowFilter(self._passes, self._mask)

    @property
    def trouble(self) -> str | None:
        """Why the line can leave nothing in; None for a line that is as it should be."""
        patterns = [test for test in self._tests if test.field is Field.TEXT]
        return next((why for why in map(_trouble, patterns) if why is not None), None)

    @property
    def _tests(self) -> Sequence[ContentTest]:
        return () if self._filter is None else self._filter.content_tests

    def prepare(self) -> None:
        """A line is being typed: keep the worker from one letter to the next."""
        self._typing = True

    def rest(self) -> None:
        """Nothing more is typed: the worker may go as soon as all is found."""
        self._typing = False
        if self._asked() is None:
            self._dismiss()

    def close(self) -> None:
        """Stop looking, here and in the worker."""
        self._forget()
        self._dismiss()

    def _forget(self) -> None:
        self._sought, self._left, self._sieve, self.found = [], (), None, 0
        self._asked_for += 1
        self._slices.stop()

    def begin(self, line: str, start: int | None = None) -> None:
        """Take another line, and look outward from a row; an empty one ends the filter."""
        rows = self._rows
        self.line, self.number = line.strip(), self.number + 1
        wanted = self._filter = parse_filter(line, rows, _made)
        self._start = rows.end - 1 if start is None else start
        self._forget()
        if wanted is not None:
            if isinstance(rows, LogRows) and is_for_worker(rows):
                self._seek(rows, wanted)
            else:
                self._left = wanted.content_tests
            self._slices.go_on()
        if not self._sought and not self._typing:
            self._dismiss()
        self._on_change()

    def rows_changed(self, updated: Iterable[int]) -> None:
        """Look at rows that came or changed."""
        updated = tuple(updated)
        for each in self._sought:
            each.search.rows_changed(updated)
        if self._sieve is not None:
            for row in updated:
                self._sieve.look_again(row)
        if self._sought or self._left:
            self._slices.go_on()

    def report(self) -> str:
        """How far the filter has come."""
        if self.trouble is not None:
            return self.trouble
        parts = [each.search.fraction for each in self._sought]
        if self._left:
            parts.append(self._sieve.fraction if self._sieve is not None else 0.0)
        return "" if self.done else f"{sum(parts) / len(parts):.0%} looked at"

    # In the worker

    def _seek(self, rows: LogRows, wanted: Filter) -> None:
        for test in wanted.content_tests:
            if test.field is not None:
                search = TextSearch(rows, test.query, self._start, field=test.field)
                self._sought.append(_FilterTerm(search, test.negative))
        self._left = [test for test in wanted.content_tests if test.field is None]
        if self._sought:
            self._ask()

    def _ask(self) -> None:
        """Have the worker look for the next term."""
        sought = self._asked()
        if sought is None:
            if not self._typing:
                self._dismiss()
            return
        if self._worker is None:
            self._worker = Worker(HANDLER, self._answered, self._worker_ended)
        self._asked_for += 1
        self._worker.send(sought.search.request(self._asked_for))

    def _asked(self) -> _FilterTerm | None:
        return next((each for each in self._sought if not each.search.swept), None)

    def _answered(self, answer: Answer) -> None:
        sought = self._asked()
        if sought is None or answer.number != self._asked_for:
            return
        if answer.trouble is not None:
            self._do_without(answer.trouble)
            return
        sought.search.take(answer)
        self.found += len(answer.hits)
        if sought.search.swept:
            self._ask()
            self._slices.go_on()
        self._on_change()

    def _worker_ended(self) -> None:
        self._worker = None
        if self._asked() is not None:
            self._do_without("the search process ended")

    def _do_without(self, why: str) -> None:
        self._said(f"{why}; filtering on without it")
        self._forget()
        self._dismiss()
        self._left = self._tests
        self._slices.go_on()

    def _dismiss(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    # Here

    def _work(self, budget: float) -> bool:
        """Look on for about `budget` seconds; True when there is nothing to look at for now."""
        for each in self._sought:
            if not each.search.swept:
                # Goes on when the worker has told what it found.
                return True
            if not each.search.done:
                self.found -= len(each.search.hits)
                each.search.step(budget)
                self.found += len(each.search.hits)
                return False
        if not self._left:
            return True
        if self._sieve is None:
            self._sieve = TwoStageFilter(self._rows, self._left, self._start, self._among)
        self.found -= len(self._sieve.hits)
        done = self._sieve.step(budget)
        self.found += len(self._sieve.hits)
        return done

    def _passes(self, row: int) -> bool:
        """Whether a row is left in, as far as it is known."""
        wanted = self._filter
        if wanted is None:
            return True
        if not wanted.passes_row(self._rows, row):
            return False
        if not all(each.passes(row) for each in self._sought):
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
        masks = [each.mask(first, end) for each in self._sought]
        if self._filter is not None:
            masks.append(self._filter.mask(kinds, flags))
        return overlap(masks, len(kinds))


def _made(query: str, field: Field) -> Test:
    return Matcher(query, field).fits


def _trouble(test: ContentTest) -> str | None:
    return Matcher(test.query).trouble if test.query.lower().startswith("regex:/") else None
