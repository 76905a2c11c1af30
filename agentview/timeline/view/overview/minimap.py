"""Where in a session the work was done: rows counted in buckets, which are merged as they grow."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, pairwise
from time import perf_counter

from agentview.domain.activity import Kind
from agentview.domain.index_entry import KINDS, PROBLEMS, Flag
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.timeline.view.filter.row_search import codes_of
from agentview.timeline.view.rows_protocol import Rows, RowsChanged

BUCKETS = 4096
"""Buckets at most: one more row than they hold, and two neighbours become one."""

_CHUNK = 32768
"""Rows that are counted between two looks at the clock."""

_NO_LIMIT = 1e9

# Which flags count, one table each: a row that stands nowhere counts for nothing.
_SHOWN = bytes(0 if flags & Flag.ABSENT else 1 for flags in range(256))
_TURN = bytes(_SHOWN[flags] if flags & Flag.ASIDE == Flag.TURN else 0 for flags in range(256))

_TEXT, _OTHER, _COMMAND, _CHANGE = 1, 3, 5, 8
_WORK: dict[Kind, int] = {
    **dict.fromkeys(ToolKind, _OTHER),
    **dict.fromkeys((ToolKind.SHELL, ToolKind.SUBAGENT_TASK), _COMMAND),
    **dict.fromkeys((ToolKind.EDIT, ToolKind.WRITE, ToolKind.DELETE), _CHANGE),
    ToolKind.NOTEBOOK_EDIT: _CHANGE,
}
_WORKS = bytes(_WORK.get(kind, _TEXT) for kind in KINDS).ljust(256, b"\0")
_ALL = bytes(255 if shown else 0 for shown in _SHOWN)


class MinimapCell(Value):
    """A part of a session: rows `first` to `last`."""

    first: int
    last: int
    shown: int = 0
    """Rows that are in the timeline."""
    work: int = 0
    """Sum of their work: 8 for a change, 5 for a command, 3 for other calls, 1 for text."""
    problems: int = 0
    turns: int = 0
    """Turns that begin here."""

    @property
    def height(self) -> float:
        """Height of a row in it, 1 to 8; 0 where there is no row."""
        return self.work / self.shown if self.shown else 0.0


class _Counts:
    """One number a bucket, for each thing that is counted."""

    __slots__ = ("problems", "shown", "turns", "work")

    def __init__(self) -> None:
        self.shown: list[int] = []
        self.work: list[int] = []
        self.problems: list[int] = []
        self.turns: list[int] = []

    @property
    def all(self) -> tuple[list[int], ...]:
        return (self.shown, self.work, self.problems, self.turns)


class ActivityHistogram:
    """Counts of `rows` by place. Changes are only noted by `take`; `settle` counts.

    A bucket holds the rows of which the number, divided by its size, is the same, so that buckets
    stay what they are when rows come in front.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._begin()

    def _begin(self) -> None:
        self._shift = 0
        self._low = 0
        self._counts = _Counts()
        self._dirty: set[int] = set()
        self._first: int = self._rows.first
        self._end = self._first
        self._low = self._first
        self._widen()

    @property
    def settled(self) -> bool:
        return not self._dirty

    def take(self, change: RowsChanged) -> None:
        """Note what changed: rows that came, at either end, and others that are not as before."""
        if change.reset or self._rows.first > self._first or self._rows.end < self._end:
            self._begin()
            return
        shift, low = self._shift, self._low
        high = low + len(self._counts.shown)
        touched = {row >> shift for row in change.updated}
        self._dirty.update(bucket for bucket in touched if low <= bucket < high)
        self._widen()

    def settle(self, budget: float = _NO_LIMIT) -> bool:
        """Count for about `budget` seconds; true when nothing is left to count."""
        deadline = perf_counter() + budget
        for start, stop in self._runs():
            self._count(start, stop)
            self._dirty.difference_update(range(start, stop))
            if perf_counter() > deadline:
                break
        return not self._dirty

    def cells(self, width: int) -> list[MinimapCell]:
        """The session in `width` parts of about as many shown rows each; none without rows."""
        buckets = len(self._counts.shown)
        if not buckets or width <= 0:
            return []
        sums = list(accumulate(self._counts.shown))
        if not sums[-1]:
            sums = list(range(1, buckets + 1))
        starts = [bisect_right(sums, cell * sums[-1] // width) for cell in range(1, width)]
        starts = [0, *(min(start, buckets - 1) for start in starts)]
        parts: dict[int, MinimapCell] = {}
        for start, stop in pairwise([*sorted({*starts}), buckets]):
            parts[start] = self._cell(start, stop)
        return [parts[start] for start in starts]

    def _cell(self, start: int, stop: int) -> MinimapCell:
        first = max((self._low + start) << self._shift, self._first)
        last = min((self._low + stop) << self._shift, self._end) - 1
        return MinimapCell(first, last, *(sum(counts[start:stop]) for counts in self._counts.all))

    def _widen(self) -> None:
        """Have buckets for all rows that there are now, and count those that hold new ones."""
        first, end = self._rows.first, self._rows.end
        if (first, end) == (self._first, self._end):
            return
        while ((end - 1) >> self._shift) - (first >> self._shift) >= BUCKETS:
            self._double()
        low, high = first >> self._shift, ((end - 1) >> self._shift) + 1
        front = self._low - low if self._counts.shown else 0
        self._low = low
        for counts in self._counts.all:
            counts[:0] = bytes(front)
            counts.extend(bytes(high - low - len(counts)))
        if first < self._first:
            self._dirty.update(range(low, (self._first >> self._shift) + 1))
        if end > self._end:
            self._dirty.update(range(self._end >> self._shift, high))
        self._dirty = {bucket for bucket in self._dirty if low <= bucket < high}
        self._first, self._end = first, end

    def _double(self) -> None:
        odd = self._low & 1
        for counts in self._counts.all:
            padded = [0] * odd + counts
            padded += [0] * (len(padded) & 1)
            pairs = zip(padded[::2], padded[1::2], strict=True)
            counts[:] = [left + right for left, right in pairs]
        self._low >>= 1
        self._shift += 1
        self._dirty = {bucket >> 1 for bucket in self._dirty}

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Neighbouring buckets to be counted, as many at a time as hold so many rows."""
        most = max(1, _CHUNK >> self._shift)
        run: list[int] = []
        for bucket in sorted(self._dirty):
            if run and (bucket != run[-1] + 1 or len(run) == most):
                yield run[0], run[-1] + 1
                run = []
            run.append(bucket)
        if run:
            yield run[0], run[-1] + 1

    def _count(self, start: int, stop: int) -> None:
        """Count the buckets from `start` to `stop` again."""
        size = 1 << self._shift
        first = max(start * size, self._first)
        kinds, flags = codes_of(self._rows, first, min(stop * size, self._end))
        shown = flags.translate(_SHOWN)
        work = _both(kinds.translate(_WORKS), flags.translate(_ALL))
        problems, turns = flags.translate(PROBLEMS), flags.translate(_TURN)
        counts = self._counts
        for bucket in range(start, stop):
            begin, end = max(bucket * size - first, 0), (bucket + 1) * size - first
            at = bucket - self._low
            counts.shown[at] = shown.count(1, begin, end)
            counts.work[at] = sum(work[begin:end])
            counts.problems[at] = problems.count(1, begin, end)
            counts.turns[at] = turns.count(1, begin, end)


def _both(left: bytes, right: bytes) -> bytes:
    both = int.from_bytes(left, "little") & int.from_bytes(right, "little")
    return both.to_bytes(len(left), "little")
