"""The search of a session: what takes long goes on in slices, or in a worker."""

from collections.abc import Callable, Iterable
from typing import ClassVar

from agentview.search.in_session import TextSearch, is_for_worker
from agentview.search.matcher import Matcher
from agentview.search.session_messages import HANDLER, Answer, Request
from agentview.timeline.row_flags import overlap
from agentview.timeline.row_set import RowSet
from agentview.timeline.rows_protocol import LogRows, Rows
from agentview.timeline.search import Scan, Test
from agentview.ui.widgets.slices import TimeSlicer
from agentview.workers.process import Worker

_TOLD = 0.05
"""Seconds between two words on how far it has come."""


class BackgroundScan:
    """A scan that goes on in the background and tells what it has found each time it paused."""

    FOLDED: ClassVar[bool] = False
    """Whether rows of folded branches are found too."""

    def __init__(self, rows: Rows, on_change: Callable[[], None]) -> None:
        self._rows = rows
        self._on_change = on_change
        self._slices = TimeSlicer(self._work, on_change, _TOLD)
        self.scan: Scan | TextSearch | None = None

    @property
    def done(self) -> bool:
        """Whether all has been looked at, or nothing is looked for."""
        return self.scan is None or self.scan.done

    def close(self) -> None:
        """Stop looking and forget what was found."""
        self._slices.stop()
        self.scan = None

    def look(
        self, test: Test | None, start: int, among: Callable[[int], bool] = lambda _row: True
    ) -> None:
        """Look for the rows that pass, from `start` on."""
        self.close()
        self.scan = Scan(self._rows, test, start, among, folded=self.FOLDED)
        self._slices.go_on()

    def rows_changed(self, updated: Iterable[int]) -> None:
        """Look at rows that came or changed."""
        scan = self.scan
        if isinstance(scan, Scan):
            for row in updated:
                scan.look_again(row)
        elif scan is not None:
            scan.rows_changed(updated)
        if scan is not None:
            self._slices.go_on()

    def _work(self, budget: float) -> bool:
        """Look on for about `budget` seconds; True when there is nothing to look at for now."""
        scan = self.scan
        idle = isinstance(scan, TextSearch) and not scan.swept
        return scan is None or idle or scan.step(budget)


class SearchTask(BackgroundScan):
    """The rows that contain a text. `said` is told when something goes wrong."""

    FOLDED = True

    def __init__(
        self, rows: Rows, on_change: Callable[[], None], said: Callable[[str], None]
    ) -> None:
        super().__init__(rows, on_change)
        self.query = ""
        self.trouble: str | None = None
        """Why nothing can be found; None for what can be looked for."""
        self._said = said
        self._worker: Worker | None = None
        self._number = 0
        self._start = 0
        self._typing = False

    @property
    def hits(self) -> RowSet:
        """Rows found so far."""
        return self.scan.hits if self.scan else RowSet()

    @property
    def unread(self) -> int:
        """Hits before the first row that is known."""
        return self.scan.unread if isinstance(self.scan, TextSearch) else 0

    def prepare(self) -> None:
        """Have the worker ready when the first letter is typed."""
        self._typing = True
        if isinstance(self._rows, LogRows) and is_for_worker(self._rows):
            self._ask(Request(0, self._rows.session))

    def rest(self) -> None:
        """Nothing more is typed: the worker may go as soon as all is found."""
        self._typing = False
        self._dismiss()

    def close(self) -> None:
        """Stop looking, here and in the worker."""
        super().close()
        self._dismiss()

    def begin(self, query: str, start: int) -> None:
        """Look for another text; an empty one ends the search."""
        self.query = query
        self.trouble = Matcher(query).trouble
        self._start = start
        rows = self._rows
        if not query:
            self.close()
        elif isinstance(rows, LogRows) and is_for_worker(rows):
            super().close()
            self._number += 1
            self.scan = TextSearch(rows, query, start, self._heard, folded=self.FOLDED)
            self._ask(self.scan.request(self._number))
        else:
            self.look(Matcher(query).fits, start)

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
        if self.scan is None:
            return ""
        if self.trouble is not None:
            return self.trouble
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
        return text if self.done else f"{text}, {self.scan.fraction:.0%} searched"

    def _ask(self, request: Request) -> None:
        if self._worker is None:
            self._worker = Worker(HANDLER, self._answered, self._worker_ended)
        self._worker.send(request)

    def _answered(self, answer: Answer) -> None:
        scan = self.scan
        if not isinstance(scan, TextSearch) or answer.number != self._number:
            return
        if answer.trouble is not None:
            self._look_here(answer.trouble)
        else:
            scan.take(answer)

    def _heard(self) -> None:
        self._on_change()
        if isinstance(self.scan, TextSearch) and self.scan.swept:
            self._dismiss()
            self._slices.go_on()

    def _worker_ended(self) -> None:
        self._worker = None
        if isinstance(self.scan, TextSearch) and not self.scan.swept:
            self._look_here("the search process ended")

    def _look_here(self, why: str) -> None:
        """Do without the worker."""
        self._said(f"{why}; searching on without it")
        self.look(Matcher(self.query).fits, self._start)

    def _dismiss(self) -> None:
        """End the worker when nothing is to be asked or heard any more."""
        scan = self.scan
        busy = isinstance(scan, TextSearch) and not scan.swept
        if self._worker is not None and not busy and not self._typing:
            self._worker.close()
            self._worker = None
