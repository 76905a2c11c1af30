"""Which rows of a session are in the timeline, at which level, and how high they may be."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from agentview.domain.activity import Kind, RowKind
from agentview.domain.tools import ToolCall
from agentview.timeline.view.detail_levels import Detail, DetailLevel, DetailPreferences
from agentview.timeline.view.filter.row_flags import HeightTable, RowFlag, RowFlags
from agentview.timeline.view.looks import PLAIN_LOOKS, QUIET, is_quiet
from agentview.timeline.view.rows_protocol import JudgedRows, Rows, RowsChanged
from agentview.timeline.view.view_state.heights import Heights
from agentview.timeline.view.view_state.look_folds import LookFolds

_STEP = 32_768
"""Rows of a step."""


class VisibleRows:
    """The rows of a session with their levels, their filter, and heights.

    Heights are estimates until somebody measures a row and writes its height to `heights`; a row
    that is not shown has the height 0.
    """

    def __init__(self, rows: Rows, preferences: DetailPreferences, *, ruled: bool = True) -> None:
        self.detail = Detail(preferences, self._names_of)
        self.hidden_too = False
        self.ruled = ruled
        """A rule stands above each turn."""
        self.first_new: int | None = None
        """The row above which a line says that it is new, and all after it."""
        self._passes: Callable[[int], bool] | None = None
        self._under_way: _Filtering | None = None
        self._open(rows)

    def _open(self, rows: Rows) -> None:
        self.rows = rows
        self.traits = RowFlags(rows, self._passes)
        self.heights = Heights(self.traits.first)
        self.folds = LookFolds(self.heights, self._is_quiet, self._together, self.estimate)
        self._table = self._new_table()
        self.heights.extend_back(self._estimates(self.traits.first, self.traits.end))

    def load(self, rows: Rows) -> None:
        """Begin again with other rows; filter and levels by kind are kept."""
        self.detail.forget_rows()
        self.first_new = None
        self._open(rows)

    def take(self, change: RowsChanged) -> int:
        """Take over what changed, but a reset; returns how many shown rows the end gained."""
        traits, added = self.traits, 0
        if self.rows.first < traits.first:
            end = traits.first
            if (first := self.heights.next_shown(end)) is not None:
                self.folds.changed(first)
            traits.extend_front(self.rows.first)
            self.heights.extend_front(self._estimates(traits.first, end))
        if self.rows.end > traits.end:
            start = traits.end
            traits.extend_back(self.rows.end)
            fresh = self._estimates(start, traits.end)
            self.heights.extend_back(fresh)
            added = len(fresh) - fresh.count(0)
        self.reread(row for row in change.updated if traits.first <= row < traits.end)
        return added

    def reread(self, rows: Iterable[int]) -> None:
        """Take these rows again, and ask the filter about them."""
        traits = self.traits
        for row in rows:
            if self._under_way is not None:
                self._under_way.changed.add(row)
            self.folds.changed(row)
            before = traits.kind(row), self.heights.height(row) > 0
            traits.reread(row)
            if before != (traits.kind(row), self.is_shown(row)):
                self.estimate(row)

    def estimate(self, row: int) -> None:
        """Forget the measured height of the row."""
        height = 0
        if self.is_shown(row) and not self.folds.inside(row):
            lines = self.detail.estimate(row, self.traits.kind(row))
            height = (1 if self.folds.rows(row) else lines) + self.has_rule(row)
        self.heights.set(row, height)

    def estimate_all(self) -> None:
        """Forget all measured heights, and what was folded."""
        self.folds.clear()
        self._table = self._new_table()
        self.heights.rebuild(self._estimates(self.traits.first, self.traits.end))
        self._estimate_single()

    def _estimate_single(self) -> None:
        for row in self.detail.changed():
            self.estimate(row)
        self.set_first_new(self.first_new)

    def set_filter(self, passes: Callable[[int], bool] | None) -> None:
        """Leave out the rows that do not pass; None leaves none out."""
        for _ in self.filtering(passes):
            pass

    def filtering(
        self, passes: Callable[[int], bool] | None, *, partly: bool = False
    ) -> Iterator[None]:
        """The same in steps of a few milliseconds; it takes effect with the last one.

        A filter that knows only `partly` which rows it leaves in takes none where it knows of none.
        """
        while True:
            before = self._table
            steps = self._under_way = _Filtering(self.traits, self._new_table(), passes)
            yield from steps.run()
            if self._under_way is not steps:
                return
            self._under_way = None
            if partly and not steps.heights.total:
                return
            # Levels may have changed meanwhile, or all rows be others.
            if steps.traits is self.traits and before is self._table:
                break
        self._passes = passes
        self.traits.put_filter(passes, steps.flags)
        self.heights.adopt(steps.heights)
        self.folds.clear()
        self._table = steps.table
        self.reread(steps.changed)
        self._estimate_single()

    def set_hidden_too(self, hidden: bool) -> None:
        if hidden != self.hidden_too:
            self.hidden_too = hidden
            self.estimate_all()

    def is_shown(self, row: int) -> bool:
        """Return True if the row exists and is in the timeline."""
        traits = self.traits
        return traits.first <= row < traits.end and traits.shown(row, hidden=self.hidden_too)

    def has_rule(self, row: int) -> bool:
        """Return True if a rule stands above the row: a turn starts there, or what is new."""
        return row == self.first_new or (self.ruled and self.traits.has(row, RowFlag.RULE))

    def set_first_new(self, row: int | None) -> None:
        """Let the line of what is new stand above this row, or nowhere."""
        before, self.first_new = self.first_new, row
        for each in {before, row}:
            if each is not None and self.traits.first <= each < self.traits.end:
                self.folds.changed(each)
                self.estimate(each)

    def kind(self, row: int) -> Kind:
        return self.traits.kind(row)

    def level(self, row: int) -> DetailLevel:
        return self.detail.level(row, self.traits.kind(row))

    def _names_of(self, row: int) -> Sequence[str]:
        body = self.rows.activity(row).body
        return body.names if isinstance(body, ToolCall) else ()

    def find(self, trait: RowFlag, row: int, step: int) -> int | None:
        """The nearest shown row with the flag from `row` on, forwards (1) or backwards (-1)."""
        return self.traits.find(trait, row, step, hidden=self.hidden_too)

    def first(self) -> int | None:
        return self.folds.shown_from(self.heights.first)

    def last(self) -> int | None:
        return self.folds.shown_until(self.heights.end - 1)

    def after(self, row: int) -> int | None:
        return self.folds.shown_from(row + 1)

    def before(self, row: int) -> int | None:
        return self.folds.shown_until(row - 1)

    def nearest(self, row: int) -> int | None:
        """The row shown that is nearest by number, or whose fold has it; the later one of two."""
        if self.folds.inside(row):
            return self.folds.head(row)
        after, before = self.heights.next_shown(row), self.heights.previous_shown(row)
        if after is None or (before is not None and after - row > row - before):
            after = before
        return None if after is None else self.folds.head(after)

    def unfolded(self, row: int, step: int) -> Iterator[int]:
        """Yield the rows after this one (1) or before it (-1), also those inside folds."""
        at = row + step
        while self.traits.first <= at < self.traits.end:
            if self.is_shown(at):
                yield at
            at += step

    def _is_quiet(self, row: int) -> bool:
        traits = self.traits
        if self._passes is not None or self.hidden_too:
            return False
        kind = traits.kind(row)
        if kind not in QUIET or traits.has(row, RowFlag.PROBLEM | RowFlag.RULE):
            return False
        if not self.detail.folds(row, kind):
            return False
        if kind is RowKind.REASONING:
            return True
        rows = self.rows
        if (
            kind in PLAIN_LOOKS
            and isinstance(rows, JudgedRows)
            and rows.ended_well(row, row + 1)[0]
        ):
            return True
        return is_quiet(rows.activity(row))

    def _together(self, above: int, below: int) -> bool:
        side = self.traits.has(above, RowFlag.SIDE) == self.traits.has(below, RowFlag.SIDE)
        return side and below != self.first_new

    def _new_table(self) -> HeightTable:
        return HeightTable(self.detail.estimate_kind, hidden=self.hidden_too, ruled=self.ruled)

    def _estimates(self, start: int, stop: int) -> bytes:
        return self.traits.heights(self._table, start, stop)


class _Filtering:
    """Flags and heights of all rows as they are with another filter."""

    def __init__(
        self, traits: RowFlags, table: HeightTable, passes: Callable[[int], bool] | None
    ) -> None:
        self.traits = traits
        self.table = table
        self._passes = passes
        self.flags = bytearray()
        self.heights = Heights(traits.first)
        self.changed: set[int] = set()
        """Rows that changed meanwhile."""

    def run(self) -> Iterator[None]:
        traits, heights = self.traits, self.heights
        while heights.end < traits.end:
            flags, lines = self._part(heights.end, min(heights.end + _STEP, traits.end))
            self.flags += flags
            heights.extend_back(lines)
            yield
        while traits.first < heights.first:
            flags, lines = self._part(max(heights.first - _STEP, traits.first), heights.first)
            self.flags[:0] = flags
            heights.extend_front(lines)

    def _part(self, start: int, stop: int) -> tuple[bytes, bytes]:
        kinds, flags = self.traits.judged(self._passes, start, stop)
        return flags, self.table.heights(kinds, flags)
