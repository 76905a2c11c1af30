"""What went wrong in a session: rows that say so by their flags, and calls that nobody answered."""

from collections.abc import Iterable, Iterator

from agentview.domain.activity import Kind
from agentview.domain.index_entry import KINDS, Flag
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.store.session_store import SessionStore
from agentview.timeline.filter.row_search import CHUNK, MANY, RowSearch, codes_of
from agentview.timeline.rows_protocol import LogRows, Rows

_CALLS = bytes(isinstance(kind, ToolKind) for kind in KINDS).ljust(256, b"\0")
_OPEN = bytes(not flags & (Flag.ABSENT | Flag.PROBLEM) for flags in range(256))


class ProblemRows:
    """Rows of problems, in order. Nothing is decoded but calls that have no result."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._failed = RowSearch(rows, _is_problem)
        self._abandoned: set[int] = set()
        self._first = self._end = rows.end
        self._all: list[int] | None = None

    def rows(self) -> list[int]:
        """All that were found so far."""
        if self._all is None:
            self._all = list(self._failed)
            if self._abandoned:
                self._all = sorted({*self._all, *self._abandoned})
        return self._all

    @property
    def complete(self) -> bool:
        """True if all rows that are known have been looked at."""
        known = self._first == self._rows.first and self._end == self._rows.end
        return known and self._failed.complete

    def forget(self) -> None:
        """Look at all rows again."""
        self._failed.forget()
        self._abandoned.clear()
        self._first = self._end = self._rows.end
        self._all = None

    def take(self, updated: Iterable[int]) -> None:
        """Look again at rows that changed."""
        changed = [row for row in set(updated) if self._rows.first <= row < self._rows.end]
        if len(changed) > MANY:
            self.forget()
            return
        self._failed.take(changed)
        for row in changed:
            if self._first <= row < self._end:
                self._abandoned.discard(row)
                for _ in self._look(row, row + 1):
                    pass
        self._all = None

    def catch_up(self) -> Iterator[None]:
        """Look at the rows that came at either end, the newest first; pauses now and then."""
        for pause in self._failed.catch_up():
            self._all = None
            yield pause
        while self._end < self._rows.end:
            stop = min(self._end + CHUNK, self._rows.end)
            yield from self._look(self._end, stop)
            self._end = stop
            yield
        while self._first > self._rows.first:
            start = max(self._first - CHUNK, self._rows.first)
            yield from self._look(start, self._first)
            self._first = start
            yield

    def _look(self, start: int, stop: int) -> Iterator[None]:
        """Find calls without a result that the log continued from; pauses behind each of them."""
        rows = self._rows
        kinds, flags = codes_of(rows, start, stop)
        masks = [kinds.translate(_CALLS), flags.translate(_OPEN)]
        if isinstance(rows, SessionStore):
            masks.append(rows.unlinked(start, stop))
        common = (1 << 8 * len(kinds)) - 1
        for mask in masks:
            common &= int.from_bytes(mask, "little")
        found = common.to_bytes(len(kinds), "little")
        at = found.find(1)
        while at >= 0:
            if self._is_abandoned(start + at):
                self._abandoned.add(start + at)
                self._all = None
            yield
            at = found.find(1, at + 1)

    def _is_abandoned(self, row: int) -> bool:
        rows = self._rows
        if isinstance(rows, LogRows) and rows.joined(row):
            return False
        body = rows.activity(row).body
        return isinstance(body, ToolCall) and body.state is ToolState.ABANDONED


def _is_problem(kind: Kind, flags: int) -> bool:
    del kind
    return bool(flags & Flag.PROBLEM) and not flags & Flag.ABSENT
