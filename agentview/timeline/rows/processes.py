"""Processes that calls began, by name: the call that began it, and the calls that act on it."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct


class _Named(Struct, eq=False, gc=False):
    """Processes of one name, one after the other."""

    began: list[int]
    """Rows of the results that say that it began, in order."""
    calls: list[int]
    """Rows of the calls that act on it, in order."""


class Processes:
    """Rows by the name of what they began or act on; they may be read in any order.

    A call acts on what began last before it. Names are paths of `domain.events.runs`.
    """

    def __init__(self) -> None:
        self._named: dict[str, _Named] = {}
        self._new: dict[str, set[int]] = {}

    def acts(self, name: str, row: int) -> int | None:
        """Take a call; the row of the result that says that what it acts on began, if known."""
        named = self._of(name)
        if not _has(named.calls, row):
            insort(named.calls, row)
        at = bisect_left(named.began, row)
        return named.began[at - 1] if at else None

    def has(self, name: str, call: int) -> bool:
        """True for a call that acts on what goes by a name."""
        named = self._named.get(name)
        return named is not None and _has(named.calls, call)

    def begins(self, name: str, row: int) -> Sequence[int]:
        """Take a result that says that something began; the calls that act on it, as known."""
        named = self._of(name)
        if not _has(named.began, row):
            insort(named.began, row)
        self._new.setdefault(name, set()).add(row)
        return self._acting(named, bisect_left(named.began, row))

    def each(self) -> Iterator[tuple[int, Sequence[int]]]:
        """The row of each result that says that something began, and the calls that act on it."""
        for named in self._named.values():
            for at, row in enumerate(named.began):
                yield row, self._acting(named, at)

    def new(self) -> dict[str, list[int]]:
        """New processes since the last call: rows of results by names."""
        found = {name: sorted(rows) for name, rows in self._new.items()}
        self._new.clear()
        return found

    def all(self) -> dict[str, list[int]]:
        """All that began: rows of results by names."""
        return {name: [*named.began] for name, named in self._named.items() if named.began}

    def absorb(self, began: Mapping[str, Sequence[int]]) -> None:
        for name, rows in began.items():
            for row in rows:
                self.begins(name, row)

    def _of(self, name: str) -> _Named:
        return self._named.setdefault(name, _Named([], []))

    def _acting(self, named: _Named, at: int) -> Sequence[int]:
        first = bisect_right(named.calls, named.began[at])
        if at + 1 == len(named.began):
            return named.calls[first:]
        return named.calls[first : bisect_left(named.calls, named.began[at + 1])]


def _has(rows: Sequence[int], row: int) -> bool:
    at = bisect_left(rows, row)
    return at < len(rows) and rows[at] == row
