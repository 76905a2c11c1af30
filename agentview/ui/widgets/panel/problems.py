"""Problems of a session, under an account of the fates of all its records."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from agentview.domain.events import Hidden
from agentview.domain.index_entry import PROBLEMS
from agentview.domain.value import Value
from agentview.facts.accounting.outcome import TROUBLE, RecordOutcome, label
from agentview.facts.accounting.session_report import LiveOutcomes
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.filter.row_search import RowSearch
from agentview.timeline.view.format_numbers import clock_time, counted
from agentview.timeline.view.header import OpenSession
from agentview.timeline.view.rows_protocol import LogRows
from agentview.timeline.view.sanitize import one_line
from agentview.timeline.view.titles.title import StatusIcon, title_of
from agentview.ui.render.text_lines import Piece
from agentview.ui.widgets.panel.tab import PanelTab, PanelView, TabLine

_HIDDEN_LOOKED_AT = 512
"""Most hidden rows of which the reason is found: the newest ones."""

_REASONS = 6
"""Lines of reasons for one fate, at most."""


class _Entry(Value):
    """A line of the account: a fate, or, set in, one of the reasons for it and its newest row."""

    text: str
    count: int
    trouble: bool = False
    row: int | None = None


class ProblemsTab(PanelTab):
    """The account on top, then one line a problem, in the order of the timeline."""

    NAME: ClassVar[str] = "Problems"

    def __init__(self, session: OpenSession, view: PanelView) -> None:
        super().__init__(session, view)
        self._problems = RowSearch(session.store, lambda _, flags: bool(PROBLEMS[flags]))
        self._fates: LiveOutcomes | None = None
        self._reasons: dict[int, str] = {}
        """Why hidden rows are hidden, of those that were looked at."""
        self._account: list[_Entry] = []
        self._rows: Sequence[int] = ()
        """Problems, as there are lines for them."""
        self._lines: dict[int, TabLine] = {}
        self._selected: int | None = None
        self._read = 0.0

    def begin(self) -> None:
        """Find and count all again."""
        store = self.session.store
        self._fates = LiveOutcomes(store) if isinstance(store, SessionStore) else None
        self._reasons.clear()
        self._problems.forget()
        self._lines.clear()
        self.work_through(self._find())

    def take(self, change: RowsChanged) -> None:
        """Take what came and changed into the account."""
        if self._fates is not None:
            self._fates.changed(change)
        for row in change.updated:
            self._lines.pop(row, None)
            self._reasons.pop(row, None)
        self._problems.take(change.updated)
        self.work_through(self._find())

    def selected(self, row: int | None) -> None:
        """Mark the problem that is selected in the timeline."""
        self._selected = row
        self.refresh()

    def _find(self) -> Iterator[None]:
        self._count()
        yield from self._problems.catch_up()
        self._count()
        yield
        if self._fates is not None:
            yield from self._fates.sorting()
            yield from self._look_at_hidden(self._fates)
            self._count()

    def _look_at_hidden(self, fates: LiveOutcomes) -> Iterator[None]:
        rows = self.session.store
        if not isinstance(rows, LogRows):
            return
        for row in fates.places(RecordOutcome.HIDDEN, _HIDDEN_LOOKED_AT):
            if row not in self._reasons:
                body = rows.body(row)
                reason = body.reason if isinstance(body, Hidden) else "counts and titles"
                self._reasons[row] = one_line(reason, 60)
                yield

    def _count(self) -> None:
        """Make the account again, and say how many lines there are."""
        held = self.row_of_line(self.cursor) if self.moved else None
        self._read = self.session.header().indexed
        self._account = [] if self._fates is None else list(self._entries(self._fates))
        self._rows = list(self._problems)
        count = self._top + max(1, len(self._rows))
        at = None if held is None else self._line_of(held)
        if at is None:
            # The account comes first, until the person goes somewhere.
            self.show_lines(count, cursor=self._top if self._rows else None)
        else:
            self.show_lines(count, moved=at - self.cursor)

    def _line_of(self, row: int) -> int | None:
        """Where a row stands now."""
        rows = self._rows
        at = bisect_left(rows, row)
        if at < len(rows) and rows[at] == row:
            return self._top + at
        return next((at for at, entry in enumerate(self._account) if entry.row == row), None)

    def _entries(self, fates: LiveOutcomes) -> Iterator[_Entry]:
        counts = fates.counts()
        for fate in RecordOutcome:
            if not counts[fate] and fate is not RecordOutcome.EVENT:
                continue
            yield _Entry(label(fate), counts[fate], trouble=fate in TROUBLE)
            if fate is RecordOutcome.HIDDEN:
                yield from _by_reason(self._reasons, trouble=False)
            elif fate in TROUBLE:
                reasons = {row: fates.reason(row) or "" for row in fates.places(fate)}
                yield from _by_reason(reasons, trouble=True)
        if fates.unsorted:
            yield _Entry("could not be read", fates.unsorted, trouble=True)

    @property
    def _top(self) -> int:
        """Lines before the first problem: the account, an empty line, a heading."""
        return len(self._account) + 2 if self._account else 1

    def row_of_line(self, index: int) -> int | None:
        """The problem, or the newest record of a reason."""
        if index < len(self._account):
            return self._account[index].row
        rows = self._rows
        at = index - self._top
        return rows[at] if 0 <= at < len(rows) else None

    def line(self, index: int, width: int) -> TabLine:
        """An entry of the account, the heading, or a problem."""
        del width
        palette = self.view.space.palette
        if index < len(self._account):
            return self._entry_line(self._account[index])
        rows = self._rows
        if index < self._top - 1:
            return TabLine([])
        if index == self._top - 1:
            return TabLine(self._heading(len(rows)))
        if not rows:
            done = self._read >= 1.0 and self._problems.complete
            return TabLine([("no problems" if done else "none so far", palette.dim)])
        row = rows[index - self._top]
        known = self._lines.get(row)
        if known is None:
            known = self._lines[row] = self._problem_line(row)
        mark = self.view.space.glyphs.bar if row == self._selected else " "
        return TabLine([(mark, palette.accent), *known.left], known.right)

    def _heading(self, count: int) -> Sequence[Piece]:
        palette = self.view.space.palette
        pieces: list[Piece] = [(counted(count, "problem"), palette.heading)]
        if self._read < 1.0:
            pieces.append((f"  {self._read:.0%} read", palette.dim))
        return pieces

    def _entry_line(self, entry: _Entry) -> TabLine:
        palette = self.view.space.palette
        if entry.row is not None:
            left = [(f"          {entry.text}", palette.dim)]
            return TabLine(left, [(f"{entry.count:,}", palette.dim)])
        style = palette.warning if entry.trouble else palette.text
        return TabLine([(f"{entry.count:>8,} ", style), (f" {entry.text}", style)])

    def _problem_line(self, row: int) -> TabLine:
        space = self.view.space
        palette = space.palette
        title = title_of(self.view.seen(self.session.store.activity(row)))
        denied = title.mark in (StatusIcon.DENIED, StatusIcon.WARNING)
        style = palette.warning if denied else palette.error
        left: list[Piece] = [
            (f"{space.glyphs.marks[title.mark]} ", style),
            (f"{title.label} ", palette.accent),
            (title.subject, palette.text),
        ]
        if title.detail:
            left.append((f"  {title.detail}", palette.dim))
        return TabLine(left, [(clock_time(title.time), palette.dim)])


def _by_reason(reasons: dict[int, str], *, trouble: bool) -> Iterator[_Entry]:
    """The most frequent reasons, each with the newest row that has it."""
    newest: dict[str, int] = {}
    for row in sorted(reasons):
        newest[reasons[row]] = row
    for reason, count in Counter(reasons.values()).most_common(_REASONS):
        yield _Entry(reason or "no reason is recorded", count, trouble, newest[reason])
