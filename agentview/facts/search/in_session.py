"""The rows of a log that hold a term of a query, found in its bytes by a child process.

Hits come as places in the file. They become rows as far as rows are known; the others wait until
reading gets there. What is written after the search began is looked at here, as it comes.
"""

from collections import deque
from collections.abc import Iterable
from itertools import chain
from time import perf_counter

from agentview.domain.activity import Kind, RowKind
from agentview.domain.index_entry import KINDS
from agentview.facts.search.matcher import Matcher
from agentview.facts.search.session_worker import Answer, Hit, Request
from agentview.query.parser import Term
from agentview.sources.member import is_member
from agentview.timeline.view.filter.row_search import codes_of
from agentview.timeline.view.filter.row_set import RowSet
from agentview.timeline.view.rows_protocol import LogRows, is_folded

OWN_WORDS: frozenset[Kind] = frozenset(
    {
        RowKind.NOTICE,
        RowKind.COMMAND,
        RowKind.COMPACTION,
        RowKind.ATTACHMENT,
        RowKind.UNPARSED,
    }
)
"""Kinds that are reported in words that are not in the log as they are shown."""

_OWN = bytes(kind in OWN_WORDS for kind in KINDS).ljust(256, b"\0")
SMALL = 2 * 1024 * 1024
"""Bytes up to which starting a worker would take longer than looking here."""

_PART = 16_384
"""Rows that are listed at a time."""


def log_end(rows: LogRows) -> int:
    """The byte behind the last record that is known."""
    if rows.end == rows.first:
        return 0
    last = rows.source(rows.end - 1)
    return last.offset + last.length


def is_for_worker(rows: LogRows) -> bool:
    """Return True if a log is so long that a worker is to look through it.

    A worker would read the records of a database or a directory as they are then, at other
    places than here.
    """
    end = log_end(rows)
    return end >= SMALL and not is_member(rows.source(rows.end - 1).path)


class TextSearch:
    """One search outward from row `start`."""

    def __init__(
        self,
        rows: LogRows,
        term: Term,
        start: int,
        places: tuple[str, ...] = (),
        *,
        folded: bool = False,
    ) -> None:
        """`places` are the values of `in:`; with `folded` rows of folded branches are found too."""
        self._rows = rows
        self._term = term
        self._places = places
        self._folded = folded
        self._matcher = Matcher(term, places)
        self._extent = log_end(rows)
        known = rows.first <= start < rows.end
        self._origin = rows.source(start).offset if known else self._extent
        self._first: int = rows.first
        self._end: int = rows.end
        self._fraction = 0.0
        self._said = RowSet()
        """Rows whose own record holds the text, whether they stand anywhere or not."""
        self._unread: list[Hit] = []
        """Hits before the first row that is known."""
        self._own_words: deque[int] = deque()
        """Rows to be looked at here."""
        self._unlisted: deque[range] = deque()
        """Ranges of rows that are still to be listed."""
        self._began = False
        """Whether it is their turn, which most searches never see: the next letter comes before."""
        self.hits = RowSet()
        """Rows that show the text."""

    def place_hits(self) -> None:
        if (self._first, self._end) != (self._rows.first, self._rows.end):
            self.rows_changed(())

    @property
    def swept(self) -> bool:
        """True if the child has looked at all that was there at the beginning."""
        return self._fraction >= 1.0

    @property
    def done(self) -> bool:
        return self.swept and self._began and not self._own_words and not self._unlisted

    @property
    def fraction(self) -> float:
        """Part of the log that has been looked at, 0 to 1."""
        return self._fraction if self.done else min(self._fraction, 0.99)

    @property
    def unread(self) -> int:
        """Hits whose rows are not known yet: all of them are before the first that is."""
        return len(self._unread)

    def request(self, number: int) -> Request:
        """Return the request for the child."""
        session = self._rows.session
        return Request(number, session, self._term, self._places, self._origin, self._extent)

    def take(self, answer: Answer) -> None:
        """Take what the child found."""
        self._fraction = answer.fraction
        for hit in answer.hits:
            self._place(hit)

    def step(self, budget: float) -> bool:
        """Look for about `budget` seconds at what has words of its own; true when that is done."""
        deadline = perf_counter() + budget
        if not self._began:
            self._began = True
            self._unlisted.append(range(self._rows.first, self._rows.end))
        while perf_counter() < deadline:
            if self._own_words:
                self._look_at(self._own_words.popleft())
            elif self._unlisted:
                self._list(self._unlisted.popleft())
            else:
                break
        return self.done

    def _list(self, span: range) -> None:
        """List the first rows that have words of their own."""
        part, rest = span[:_PART], span[_PART:]
        if rest:
            self._unlisted.appendleft(rest)
        kinds, _ = codes_of(self._rows, part.start, part.stop)
        own = kinds.translate(_OWN)
        at = own.find(1)
        while at >= 0:
            self._own_words.append(part.start + at)
            at = own.find(1, at + 1)
        self._own_words.extend(self._rows.reports(part.start, part.stop))

    def rows_changed(self, updated: Iterable[int]) -> None:
        """Take rows into account that came, or that were joined with others."""
        rows, first, end = self._rows, self._first, self._end
        self._first, self._end = rows.first, rows.end
        for row in range(end, rows.end):
            self._look_at(row)
        if rows.first < first:
            if self._began:
                self._unlisted.append(range(rows.first, first))
            waiting, self._unread = self._unread, []
            for hit in waiting:
                self._place(hit)
        for row in updated:
            if rows.first <= row < rows.end:
                self._settle(row)

    def _look_at(self, row: int) -> None:
        """Look at a row here: the child cannot, or it was written after the child began."""
        if self._matcher.finds(self._rows.body(row)):
            self._said.put(row, True)
            self._settle(row)

    def _place(self, hit: Hit) -> None:
        rows = self._rows
        row = rows.row_of(*hit)
        if row is not None:
            self._said.put(row, True)
            self._settle(row)
        elif rows.end == rows.first or hit[0] < rows.source(rows.first).offset:
            self._unread.append(hit)

    def _settle(self, row: int) -> None:
        """Find out whether the row, and the one it is joined with, show the text."""
        owner = self._rows.joined_with(row)
        for each in (row,) if owner is None else (row, owner):
            stands = self._rows.shown(each) or (self._folded and is_folded(self._rows, each))
            covered = self._matcher.covers(self._rows.kind(each))
            self.hits.put(each, stands and covered and self._shows(each))

    def _shows(self, row: int) -> bool:
        return any(part in self._said for part in chain((row,), self._rows.joined(row)))
