"""Terms of a query that a worker looks for in a long log, one after the other."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agentview.facts.search.in_session import TextSearch, is_for_worker
from agentview.facts.search.session_worker import HANDLER, Answer, Request
from agentview.system.workers.process import Worker
from agentview.timeline.view.filter.filters import ContentTest
from agentview.timeline.view.rows_protocol import LogRows, Rows

_OTHERS = bytes(255 - value for value in range(256))


@dataclass(slots=True)
class SoughtTerm:
    """A term that is looked for in all of a log, and whether rows with it are left out."""

    search: TextSearch
    negative: bool

    def passes(self, row: int) -> bool:
        """Return True if the row passes, as far as it is known."""
        self.search.place_hits()
        return (row in self.search.hits) != self.negative

    def mask(self, first: int, end: int) -> bytes:
        """The same for many rows: 255 for each that passes, else 0."""
        self.search.place_hits()
        mask = self.search.hits.mask(first, end)
        return mask.translate(_OTHERS) if self.negative else mask


class TermSearches:
    """The searches of a query.

    `on_change` is called as they get further, `failed` with the reason when the worker is lost.
    """

    def __init__(self, on_change: Callable[[], None], failed: Callable[[str], None]) -> None:
        self.sought: list[SoughtTerm] = []
        self._on_change = on_change
        self._failed = failed
        self._worker: Worker | None = None
        self._number = 0
        self._typing = False

    def prepare(self, rows: Rows) -> None:
        """Have the worker ready when the first letter is typed."""
        self._typing = True
        if isinstance(rows, LogRows) and is_for_worker(rows):
            self._send(Request(0, rows.session))

    def rest(self) -> None:
        """Nothing more is typed: the worker may go as soon as all is found."""
        self._typing = False
        self._dismiss()

    def close(self) -> None:
        """Stop looking, here and in the worker."""
        self.sought = []
        self._number += 1
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def begin(
        self,
        rows: Rows,
        tests: Sequence[ContentTest],
        places: tuple[str, ...],
        start: int,
        *,
        folded: bool = False,
    ) -> Sequence[ContentTest]:
        """Look for the terms of tests outward from a row; gives the tests to be made here."""
        self.sought = []
        self._number += 1
        left = tests
        if isinstance(rows, LogRows) and is_for_worker(rows):
            self.sought = [
                SoughtTerm(TextSearch(rows, test.term, start, places, folded=folded), test.negative)
                for test in tests
                if test.term is not None
            ]
            left = [test for test in tests if test.term is None]
        self._ask()
        return left

    @property
    def swept(self) -> bool:
        return all(each.search.swept for each in self.sought)

    @property
    def done(self) -> bool:
        return all(each.search.done for each in self.sought)

    @property
    def fractions(self) -> list[float]:
        """How far each of the searches has come, 0 to 1."""
        return [each.search.fraction for each in self.sought]

    def passes(self, row: int) -> bool:
        return all(each.passes(row) for each in self.sought)

    def rows_changed(self, updated: Iterable[int]) -> None:
        for each in self.sought:
            each.search.rows_changed(updated)

    def step(self, budget: float) -> bool:
        """Look for about `budget` seconds at what no worker finds; True when that is done."""
        for each in self.sought:
            if each.search.swept and not each.search.done:
                each.search.step(budget)
                return False
        return True

    def _ask(self) -> None:
        """Have the worker look for the next term."""
        sought = self._under_way()
        if sought is None:
            self._dismiss()
            return
        self._number += 1
        self._send(sought.search.request(self._number))

    def _send(self, request: Request) -> None:
        if self._worker is None:
            self._worker = Worker(HANDLER, self._answered, self._worker_ended)
        self._worker.send(request)

    def _under_way(self) -> SoughtTerm | None:
        return next((each for each in self.sought if not each.search.swept), None)

    def _answered(self, answer: Answer) -> None:
        sought = self._under_way()
        if sought is None or answer.number != self._number:
            return
        if answer.trouble is not None:
            self._fail(answer.trouble)
            return
        sought.search.take(answer)
        if sought.search.swept:
            self._ask()
        self._on_change()

    def _worker_ended(self) -> None:
        self._worker = None
        if self._under_way() is not None:
            self._fail("the search process ended")

    def _fail(self, why: str) -> None:
        self.close()
        self._failed(why)

    def _dismiss(self) -> None:
        """End the worker when nothing is to be asked or heard any more."""
        if self._worker is not None and not self._typing and self._under_way() is None:
            self._worker.close()
            self._worker = None
