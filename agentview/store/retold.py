"""Histories that a client writes again: what they are copies of, and what they leave out.

A client writes a history again to shorten it, and when a person goes back to a saved one. Only what
stands above tells the two apart: its prompts are compared with those that are written again.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from zlib import crc32

from agentview.domain.outline import KIND_CODES, Flag
from agentview.domain.tools import ToolKind
from agentview.store.rows import PackedRows

_COMPARED = 50
"""Prompts of a run that are compared."""

_CALLS = frozenset(KIND_CODES[kind] for kind in ToolKind)


class Retold:
    """Compares histories that are written again with the rows above them.

    `answered` tells whether the model said anything in a range of rows.
    """

    def __init__(self, rows: PackedRows, answered: Callable[[int, int], bool]) -> None:
        self.prompts: dict[int, int] = {}
        """Digests of prompts of the main stream, by row."""
        self.left: dict[int, int] = {}
        """First row of a history that is written again -> first row that it leaves out."""
        self.copies: list[tuple[int, int]] = []
        """Ranges of rows that are copies, in order."""
        self._rows = rows
        self._answered = answered

    def forget(self) -> None:
        """Forget all but the prompts: the histories are compared again."""
        self.left.clear()
        self.copies.clear()

    def say(self, row: int, prompt: str) -> None:
        """Take a prompt."""
        self.prompts[row] = crc32(prompt.encode("utf-8", "surrogatepass"))

    def begins(self, start: int, fork: int, abandoned: Sequence[tuple[int, int]]) -> int | None:
        """Where copies begin; None where the rows up to `fork` are no copies of what is above.

        `abandoned` are the ranges of rows above that count no more.
        """
        told = self._standing(start, fork)
        above = [
            row
            for row in self._standing(self._rows.first, start)
            if not any(first <= row < stop for first, stop in abandoned)
        ]
        said = [self.prompts[row] for row in told]
        known = [self.prompts[row] for row in above]
        count = _told_again(said, known)
        if count is None and self._is_new(start, fork, said, known):
            return None
        self.copies.append((start, fork))
        later = above[count] if count is not None and count < len(above) else None
        if later is not None and self._answered(later, start):
            self.left[start] = self._rows.first_of_record(later)
        return start

    def _standing(self, start: int, stop: int) -> list[int]:
        """Rows of prompts that no later record replaced."""
        rows = sorted(self.prompts)
        found = rows[bisect_left(rows, start) : bisect_left(rows, stop)]
        return [row for row in found if not self._rows.flags(row) & Flag.SUPERSEDED]

    def _is_new(self, start: int, fork: int, said: Sequence[int], known: Sequence[int]) -> bool:
        """Whether nothing of a history is above it, as far as the whole log above is read."""
        whole = self._rows.place(self._rows.first).offset == 0
        if not said or not whole or not {*said}.isdisjoint(known):
            return False
        kinds, flags = self._rows.codes(start, fork)
        pairs = zip(kinds, flags, strict=True)
        return not any(kind in _CALLS and flag & Flag.SUPERSEDED for kind, flag in pairs)


def _told_again(told: Sequence[int], before: Sequence[int]) -> int | None:
    """How many of the prompts before were told again, counted from the first one.

    None where none was told, or the last one that was is none of those before: it cannot be said up
    to where they were. Of several equal prompts the one counts that has most others in front.
    """
    places = [at for at, said in enumerate(before) if said == told[-1]] if told else []
    if not places:
        return None
    return max(places, key=lambda at: (_run(told, before[: at + 1]), at)) + 1


def _run(told: Sequence[int], before: Sequence[int]) -> int:
    """How many prompts are the same at the end of both."""
    count = 0
    for one, other in zip(reversed(told), reversed(before), strict=False):
        if one != other or count == _COMPARED:
            break
        count += 1
    return count
