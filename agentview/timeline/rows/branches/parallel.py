"""Forks with which a conversation did not go back, since both of their branches continue."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from agentview.domain.value import Value

_NEVER = 1 << 62


class Fork(Value):
    """A record that does not continue behind the one before it."""

    row: int
    parent: int | None
    """Row that it continues behind; None at the root."""
    start: int | None
    """First row that it leaves behind; None if it leaves nothing."""
    given: bool
    """A person gave it."""
    works: bool
    """The model gave it, and more than the end of a call."""


def parallel(forks: Iterable[Fork]) -> set[int]:
    """Rows of forks whose both branches continue.

    A fork leaves rows behind, and a later one continues behind one of those. If a person gave both,
    that person went back and then forth. If not, both branches were at work: a command ended while
    a prompt was answered, or two clients wrote in turns. The late end of a call alone does not show
    that a branch that a person left continues.
    """
    ordered = sorted(forks, key=lambda fork: fork.row)
    found = _pairs(ordered, [fork for fork in ordered if fork.works])
    return found | _pairs([fork for fork in ordered if not fork.given], ordered)


def _pairs(leaving: Sequence[Fork], returning: Sequence[Fork]) -> set[int]:
    """Rows of forks that leave rows to which a later one returns, and of those that return."""
    found: set[int] = set()
    rows = [fork.row for fork in leaving]
    first = _Minima([_NEVER if fork.start is None else fork.start for fork in leaving])
    back = sorted((fork.parent, fork.row) for fork in returning if fork.parent is not None)
    for parent, row in back:
        low, high = bisect_left(rows, parent + 1), bisect_left(rows, row)
        if first.of(low, high) <= parent:
            found.add(row)
    last = _Minima([-row for _, row in back])
    for fork in leaving:
        if fork.start is not None:
            low, high = bisect_left(back, (fork.start,)), bisect_left(back, (fork.row,))
            if -last.of(low, high) > fork.row:
                found.add(fork.row)
    return found


class _Minima:
    """Gives the least of consecutive numbers in constant time."""

    def __init__(self, numbers: list[int]) -> None:
        self._levels = [numbers]
        width = 1
        while 2 * width <= len(numbers):
            below = self._levels[-1]
            self._levels.append(list(map(min, below, below[width:])))
            width *= 2

    def of(self, start: int, stop: int) -> int:
        if start >= stop:
            return _NEVER
        level = (stop - start).bit_length() - 1
        numbers = self._levels[level]
        return min(numbers[start], numbers[stop - (1 << level)])
