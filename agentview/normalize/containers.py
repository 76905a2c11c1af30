"""Which call made another one, where the log records both: by its id, else by place and time."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator

from agentview.domain.index_entry import EventFact, Nesting
from agentview.domain.session import Stream

_MOST = 64
"""Containers before a nested call that may have made it, and nested calls whose container may
still be read."""

Container = tuple[Stream | None, int, float | None, str | None]
"""The stream, row, time and id of a call that only makes others."""
_Nested = tuple[int, float | None, str | None]
"""The row and time of a call that another one made, and the id of that, if the log has it."""


class Containers:
    """Containers are calls that only make other calls; rows may be read in any order.

    The container that a nested call names made it. Where it names none it was the newest one before
    it, unless that began later than the nested call, whose record may be written when it ends.
    """

    def __init__(self) -> None:
        self._rows: dict[Stream | None, list[int]] = {}
        self._times: dict[int, float | None] = {}
        self._call_ids: dict[int, str | None] = {}
        self._nested: dict[int, list[int]] = {}
        """Container -> the calls that it made, in order."""
        self._made_by: dict[int, int] = {}
        self._ids: dict[str, list[int]] = {}
        """Containers by their ids, each in order."""
        self._open: dict[Stream | None, list[_Nested]] = {}
        """Nested calls of which the container may still be read, the last ones."""
        self._new: list[Container] = []

    def __contains__(self, row: int) -> bool:
        return row in self._times

    def take(self, row: int, fact: EventFact) -> Iterable[int]:
        """Take a call; the containers of which more or other calls are known now."""
        if fact.nesting == Nesting.CONTAINER:
            return self.add(fact.stream, row, fact.time, fact.key)
        if fact.nesting != Nesting.NESTED or row in self._made_by:
            return ()
        nested = row, fact.time, fact.made_by
        found = self._place(fact.stream, nested)
        if found is None or not self._is_certain(found, nested):
            waiting = self._open.setdefault(fact.stream, [])
            waiting.append(nested)
            del waiting[:-_MOST]
        return () if found is None else (found,)

    def add(
        self, stream: Stream | None, row: int, time: float | None, call_id: str | None = None
    ) -> set[int]:
        """Take a container; those of which other calls are known now."""
        if row in self._times:
            return set()
        insort(self._rows.setdefault(stream, []), row)
        self._times[row] = time
        if call_id is not None:
            insort(self._ids.setdefault(call_id, []), row)
        self._call_ids[row] = call_id
        self._new.append((stream, row, time, call_id))
        waiting, self._open[stream] = self._open.get(stream, []), []
        changed: set[int] = set()
        for each in waiting:
            # Another container may follow, which is nearer to the call.
            self._open[stream].append(each)
            nested = each[0]
            if nested > row:
                before = self._made_by.pop(nested, None)
                if before is not None:
                    self._nested[before].remove(nested)
                found = self._place(stream, each)
                changed |= {at for at in (found, before) if at is not None and found != before}
        return changed

    def container_of(self, row: int) -> int | None:
        return self._made_by.get(row)

    def nested(self, container: int) -> Iterator[int]:
        return iter(self._nested.get(container, ()))

    def new(self) -> list[Container]:
        """The containers taken since the last call."""
        found, self._new = self._new, []
        return found

    def all(self) -> list[Container]:
        return [
            (stream, row, self._times[row], self._call_ids[row])
            for stream, rows in self._rows.items()
            for row in rows
        ]

    def with_calls(self) -> list[int]:
        return [container for container, rows in self._nested.items() if rows]

    def _place(self, stream: Stream | None, nested: _Nested) -> int | None:
        """Find the container of a call; None while none is known."""
        row, time, made_by = nested
        known = self._rows.get(stream, []) if made_by is None else self._ids.get(made_by, [])
        at = bisect_left(known, row)
        before = known[max(0, at - _MOST) : at]
        fits = (each for each in reversed(before) if made_by or self._fits(each, time))
        found = next(fits, before[-1] if before else None)
        if found is not None:
            self._made_by[row] = found
            insort(self._nested.setdefault(found, []), row)
        return found

    def _is_certain(self, container: int, nested: _Nested) -> bool:
        """True if no container that is read later, in front of this one, can be the right one."""
        return nested[2] is not None or self._fits(container, nested[1])

    def _fits(self, container: int, time: float | None) -> bool:
        began = self._times[container]
        return began is None or time is None or began <= time
