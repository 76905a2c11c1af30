"""Lines that the calls of a turn added and removed, counted in steps as the turn grows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from agentview.domain.index_entry import KINDS, Flag
from agentview.domain.line_sum import LineSum
from agentview.domain.tools import ToolCall, ToolState
from agentview.facts.edits.call_operations import CHANGING, outcomes_of
from agentview.facts.edits.operations import FileAction, UnknownEffect, line_counts
from agentview.facts.edits.path_identity import absolute
from agentview.timeline.view.filter.row_search import codes_of
from agentview.timeline.view.rows_protocol import Rows

_CALLS = 500
"""Calls of a turn that are decoded; with more, the sum is a lower bound."""
_CHUNK = 256
_OPEN = frozenset({ToolState.INPUT_STREAMING, ToolState.INPUT_AVAILABLE})
_CHANGING = bytes(kind in CHANGING for kind in KINDS).ljust(256, b"\0")


@dataclass(slots=True)
class TurnLines:
    """Lines of the turn that begins at the row `begin`. A row that changes is counted again."""

    begin: int
    sum: LineSum | None = None
    """None until all calls have been counted once."""
    _next: int = field(init=False)
    _fresh: bool = False
    _calls: int = 0
    _counted: LineSum = field(default_factory=LineSum)
    _paths: set[str] = field(default_factory=set[str])
    _pending: list[int] = field(default_factory=list[int])
    """Rows of calls that had not ended when they were decoded."""

    def __post_init__(self) -> None:
        self._next = self.begin

    def is_counted(self, end: int) -> bool:
        """Return True if `sum` is that of all calls up to the row `end`."""
        return self._fresh and self._next == end

    def take(self, updated: Iterable[int], rows: Rows) -> None:
        """Note rows that changed: with a call that was counted, all are counted again."""
        pending = set(self._pending)
        for row in updated:
            if row in pending:
                self._fresh = False
            elif self.begin <= row < self._next and rows.kind(row) in CHANGING:
                self._start()
                return

    def count(self, rows: Rows, end: int) -> Iterator[None]:
        """Count the calls up to the row `end`; pauses after each that it decodes."""
        if self._next > end:
            self._start()
        pending, self._pending = self._pending, []
        while pending:
            self._add(rows, pending.pop())
            yield
        while self._next < end:
            start, stop = self._next, min(end, self._next + _CHUNK)
            kinds, flags = codes_of(rows, start, stop)
            for at, changes in enumerate(kinds.translate(_CHANGING)):
                if not changes or flags[at] & Flag.ABSENT:
                    continue
                if self._calls == _CALLS:
                    self._counted = _with(self._counted, 0, 0, whole=False)
                    stop = end
                    break
                self._next = start + at + 1
                self._calls += 1
                self._add(rows, start + at)
                yield
            self._next = stop
        self.sum = self._counted
        self._fresh = True

    def _start(self) -> None:
        self._next, self._calls, self._counted = self.begin, 0, LineSum()
        self._paths.clear()
        self._pending.clear()
        self._fresh = False

    def _add(self, rows: Rows, row: int) -> None:
        activity = rows.activity(row)
        call = activity.body
        if isinstance(call, ToolCall) and call.state in _OPEN:
            self._pending.append(row)
            return
        for outcome in outcomes_of(activity):
            effect = outcome.effect
            guess = isinstance(effect, UnknownEffect) and not effect.certain
            if effect is None or guess or outcome.act is FileAction.READ:
                continue
            path = absolute(outcome.path, outcome.cwd)
            added, removed = line_counts(effect)
            self._counted = _with(
                self._counted,
                added or 0,
                removed or 0,
                net=path not in self._paths,
                whole=added is not None and removed is not None,
            )
            self._paths.add(path)


def _with(
    known: LineSum, added: int, removed: int, *, net: bool = True, whole: bool = True
) -> LineSum:
    return LineSum(
        known.added + added, known.removed + removed, known.net and net, known.whole and whole
    )
