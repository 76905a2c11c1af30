"""The filter of a session: what its line leaves in, found in slices or by a child process."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agentview.finding.child_process import SearchChild
from agentview.finding.matcher import Matcher
from agentview.finding.messages import Answer
from agentview.finding.text_search import TextSearch, log_end
from agentview.timeline.filters import ContentTest, Filter, parse_filter
from agentview.timeline.model import LogRows, Rows
from agentview.timeline.search import Field, Scan, Test
from agentview.timeline.traits import RowFilter, overlap
from agentview.ui.widgets.looking import SMALL, Looking

_OTHERS = bytes(255 - value for value in range(256))


@dataclass(slots=True)
class _Sought:
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


class Narrowing(Looking):
    """The rows that a filter line leaves in. `said` is told when something goes wrong.

    What has to be looked for in a large log is looked for by a child, one term after the other;
    what only the activity tells is then looked at here, in rows that may still pass.
    """

    def __init__(self, rows: Rows, told: Callable[[], None], said: Callable[[str], None]) -> None:
        super().__init__(rows, told)
        self.line = ""
        self._said = said
        self._filter: Filter | None = None
        self._sought: list[_Sought] = []
        self._left: tuple[ContentTest, ...] = ()
        """Tests that no child makes."""
        self._child: SearchChild | None = None
        self._number = 0

    @property
    def active(self) -> bool:
        """Whether anything is filtered."""
        return self._filter is not None

    @property
    def done(self) -> bool:
        """Whether it is known of all rows whether they are left in."""
        swept = all(each.search.done for each in self._sought)
        # The scan of what is left begins behind the searches.
        return swept and super().done and not (self._left and self.scan is None)

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

    def close(self) -> None:
        """Stop looking, here and in the child."""
        super().close()
        self._sought, self._left = [], ()
        self._dismiss()

    def begin(self, line: str) -> None:
        """Take another line; an empty one ends the filter."""
        self.line = line.strip()
        rows = self._rows
        wanted = self._filter = parse_filter(line, rows, _made)
        self.close()
        if wanted is None or not wanted.needs_content:
            self._told()
            return
        if isinstance(rows, LogRows) and log_end(rows) >= SMALL:
            self._begin_large(rows, wanted)
        else:
            self._scan(wanted.content_tests)

    def rows_changed(self, updated: Iterable[int]) -> None:
        """Look at rows that came or changed."""
        updated = tuple(updated)
        for each in self._sought:
            each.search.rows_changed(updated)
        super().rows_changed(updated)
        if self._sought:
            self._go_on()

    def report(self) -> str:
        """How far the filter has come."""
        if self.trouble is not None:
            return self.trouble
        parts = [each.search.fraction for each in self._sought]
        if self._left or not parts:
            parts.append(self.scan.fraction if self.scan is not None else 0.0)
        return "" if self.done else f"{sum(parts) / len(parts):.0%} looked at"

    # In the child

    def _begin_large(self, rows: LogRows, wanted: Filter) -> None:
        for test in wanted.content_tests:
            if test.field is None:
                self._left += (test,)
                continue
            search = TextSearch(rows, test.query, rows.end - 1, self._heard, test.field)
            self._sought.append(_Sought(search, test.negative))
        if self._sought:
            self._ask()
        else:
            self._scan(self._left)

    def _ask(self) -> None:
        """Have the child look for the next term."""
        sought = self._asked()
        if sought is None:
            self._dismiss()
            return
        if self._child is None:
            self._child = SearchChild(self._answered, self._died)
        self._number += 1
        self._child.ask(sought.search.request(self._number))

    def _asked(self) -> _Sought | None:
        return next((each for each in self._sought if not each.search.swept), None)

    def _answered(self, answer: Answer) -> None:
        sought = self._asked()
        if sought is None or answer.number != self._number:
            return
        if answer.trouble is not None:
            self._do_without(answer.trouble)
            return
        sought.search.take(answer)
        if sought.search.swept:
            self._ask()
            self._go_on()

    def _heard(self) -> None:
        self._told()

    def _died(self) -> None:
        self._child = None
        if self._asked() is not None:
            self._do_without("the search process ended")

    def _do_without(self, why: str) -> None:
        self._said(f"{why}; filtering on without it")
        self._dismiss()
        self._sought, self._left = [], ()
        self._scan(self._tests)

    def _dismiss(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None

    # Here

    def _scan(self, tests: Sequence[ContentTest]) -> None:
        """Look at rows that may pass, whether they pass these tests."""
        rows, wanted, sought = self._rows, self._filter, tuple(self._sought)
        if wanted is None:
            return

        def among(row: int) -> bool:
            return (
                wanted.passes_row(rows, row)
                and all(each.passes(row) for each in sought)
                and all(test.passes(rows, row) for test in tests)
            )

        self.scan = Scan(rows, None, rows.first, among)
        self._go_on()

    def _work(self, budget: float) -> bool:
        for each in self._sought:
            if not each.search.swept:
                # Goes on when the child has told what it found.
                return True
            if not each.search.done:
                each.search.step(budget)
                return False
        if self._left and self.scan is None:
            self._scan(self._left)
            return False
        return super()._work(budget)

    def _passes(self, row: int) -> bool:
        """Whether a row is left in; a row that was not looked at yet is looked at now."""
        wanted, rows = self._filter, self._rows
        if wanted is None:
            return True
        if not wanted.passes_row(rows, row):
            return False
        if self.scan is None:
            return all(each.passes(row) for each in self._sought)
        if isinstance(self.scan, Scan) and row in self.scan:
            return row in self.scan.hits
        if self._sought:
            left = all(test.passes(rows, row) for test in self._left)
            return left and all(each.passes(row) for each in self._sought)
        return wanted.passes(rows, row)

    def _mask(self, kinds: bytes, flags: bytes, first: int) -> bytes:
        """The same for all rows at once; those that were not looked at yet are left out."""
        end = first + len(kinds)
        masks: list[bytes] = [each.mask(first, end) for each in self._sought]
        if self._filter is not None:
            masks.append(self._filter.mask(kinds, flags))
        if self.scan is not None:
            masks.append(self.scan.hits.mask(first, end))
        return overlap(masks, len(kinds))


def _made(query: str, field: Field) -> Test:
    return Matcher(query, field).fits


def _trouble(test: ContentTest) -> str | None:
    return Matcher(test.query).trouble if test.query.lower().startswith("regex:/") else None
