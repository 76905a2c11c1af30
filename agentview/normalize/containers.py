"""Which call made another one, where the log records both and links neither: by place and time."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator

from agentview.domain.index_entry import EventFact, Nesting
from agentview.domain.session import Stream

_MOST = 64
"""Containers before a nested call that may have made it, and nested calls whose container may
still be read."""

Container = tuple[Stream | None, int, float | None]
"""The stream, row and time of a call that only makes others."""


class Containers:
    """Containers are calls that only make other calls; rows may be read in any order.

    The newest container before a nested call made it, unless that container began later than the
    nested call: the record of a call may be written when it ends.
    """

    def __init__(self) -> None:
        self._rows: dict[Stream | None, list[int]] = {}
        self._times: dict[int, float | None] = {}
        self._nested: dict[int, list[int]] = {}
        """Container -> the calls that it made, in order."""
        self._made_by: dict[int, int] = {}
        self._open: dict[Stream | None, list[tuple[int, float | None]]] = {}
        """Nested calls without a container that fits, the last ones: rows and times."""
        self._new: list[Container] = []

    def __contains__(self, row: int) -> bool:
        return row in self._times

    def take(self, row: int, fact: EventFact) -> Iterable[int]:
        """Take a call; the containers of which more or other calls are known now."""
        if fact.nesting == Nesting.CONTAINER:
            return self.add(fact.stream, row, fact.time)
        if fact.nesting != Nesting.NESTED or row in self._made_by:
            return ()
        found = self._place(fact.stream, row, fact.time)
        return () if found is None else (found,)

    def add(self, stream: Stream | None, row: int, time: float | None) -> set[int]:
        """Take a container; those of which other calls are known now."""
        if row in self._times:
            return set()
        insort(self._rows.setdefault(stream, []), row)
        self._times[row] = time
        self._new.append((stream, row, time))
        changed: set[int] = set()
        waiting, self._open[stream] = self._open.get(stream, []), []
        for nested, began in waiting:
            before = self._made_by.pop(nested, None) if nested > row else None
            if before is not None:
                self._nested[before].remove(nested)
            if nested < row:
                self._open[stream].append((nested, began))
                continue
            found = self._place(stream, nested, began)
            if found != before:
                changed |= {each for each in (found, before) if each is not None}
        return changed

    def container_of(self, row: int) -> int | None:
        """The container that made a nested call."""
        return self._made_by.get(row)

    def nested(self, container: int) -> Iterator[int]:
        """The calls that a container made, in order."""
        return iter(self._nested.get(container, ()))

    def new(self) -> list[Container]:
        """The containers taken since the last call."""
        found, self._new = self._new, []
        return found

    def all(self) -> list[Container]:
        """All containers."""
        return [
            (stream, row, self._times[row]) for stream, rows in self._rows.items() for row in rows
        ]

    def with_calls(self) -> list[int]:
        """The containers of which calls are known."""
        return [container for container, rows in self._nested.items() if rows]

    def _place(self, stream: Stream | None, row: int, time: float | None) -> int | None:
        known = self._rows.get(stream, [])
        at = bisect_left(known, row)
        before = known[max(0, at - _MOST) : at]
        found = next((each for each in reversed(before) if self._fits(each, time)), None)
        if found is None:
            waiting = self._open.setdefault(stream, [])
            waiting.append((row, time))
            del waiting[:-_MOST]
            if not before:
                return None
            found = before[-1]
        self._made_by[row] = found
        insort(self._nested.setdefault(found, []), row)
        return found

    def _fits(self, container: int, time: float | None) -> bool:
        began = self._times[container]
        return began is None or time is None or began <= time
