"""Histories that a client writes again: what they are copies of, and what they leave out.

A client writes a history again to shorten it, and when a person goes back to a saved one. Only the
records above distinguish the two: their prompts are compared with those that are written again.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from zlib import crc32

from agentview.domain.index_entry import KIND_CODES, Flag
from agentview.domain.tools import ToolKind
from agentview.timeline.rows.tables.row_table import PackedRows

_COMPARED = 50
"""The last prompts of a history, which are compared."""

_LOOKED_AT = 1_000
"""Prompts above a history among which its last one is looked for."""

_CALLS = frozenset(KIND_CODES[kind] for kind in ToolKind)


class RepeatedHistory:
    """Compares histories that are written again with the rows above them, each once.

    `answered` says whether the model said anything in a range of rows.
    """

    def __init__(self, rows: PackedRows, answered: Callable[[int, int], bool]) -> None:
        self.prompts: dict[int, int] = {}
        """Digests of prompts of the main stream, by row."""
        self.starts: dict[int, int | None] = {}
        """Row behind a history -> first row of it; None where it is not a copy of what is above."""
        self.left: dict[int, int] = {}
        """First row of a history -> first row above that it leaves out."""
        self._rows = rows
        self._answered = answered
        self._order: list[int] = []
        """Rows of the prompts, in order."""

    def forget(self) -> None:
        """Forget all but the prompts: the histories are compared again."""
        self.starts.clear()
        self.left.clear()

    def say(self, row: int, prompt: str) -> None:
        self._take(row, crc32(prompt.encode("utf-8", "surrogatepass")))

    def absorb(self, prompts: dict[int, int]) -> None:
        for row, said in prompts.items():
            self._take(row, said)

    def copies(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Ranges of rows from `start` to `stop` - 1 that are copies, in order."""
        found = ((first, behind) for behind, first in self.starts.items() if first is not None)
        return sorted(each for each in found if start <= each[0] and each[1] <= stop)

    def compare(self, start: int, fork: int, abandoned: Iterable[tuple[int, int]]) -> None:
        """Look at the history from row `start` to before `fork`.

        `abandoned` are the ranges of rows above that count no more, from the last one back.
        """
        said = [self.prompts[row] for row in self._last_prompts(start, fork)]
        above = self._above(start, abandoned)
        last = _last_repeated(said, [self.prompts[row] for row in above])
        if last is None and self._is_new(start, fork, above):
            self.starts[fork] = None
            return
        self.starts[fork] = start
        later = above[last - 1] if last else None
        if later is not None and self._answered(later, start):
            self.left[start] = self._rows.first_of_record(later)

    def _take(self, row: int, said: int) -> None:
        if row not in self.prompts:
            insort(self._order, row)
        self.prompts[row] = said

    def _last_prompts(self, start: int, fork: int) -> list[int]:
        """Rows of the last prompts of a history, from the last one back."""
        found: list[int] = []
        for row in self._backward(start, fork):
            found.append(row)
            if len(found) == _COMPARED:
                break
        return found

    def _above(self, start: int, abandoned: Iterable[tuple[int, int]]) -> list[int]:
        """Rows of the prompts that count above a row, from the last one back."""
        found: list[int] = []
        stop = start
        for first, behind in (*abandoned, (self._rows.first, self._rows.first)):
            for row in self._backward(behind, stop):
                found.append(row)
                if len(found) == _LOOKED_AT:
                    return found
            stop = first
        return found

    def _backward(self, start: int, stop: int) -> Iterator[int]:
        """Rows of prompts that no later record replaced, from the last one back."""
        order = self._order
        for at in range(bisect_left(order, stop) - 1, bisect_left(order, start) - 1, -1):
            if not self._rows.flags(order[at]) & Flag.SUPERSEDED:
                yield order[at]

    def _is_new(self, start: int, fork: int, above: Sequence[int]) -> bool:
        """True if nothing of a history is above it, as far as the whole log above is read."""
        whole = self._rows.offset(self._rows.first) == 0 and len(above) < _LOOKED_AT
        prompts = {self.prompts[row] for row in self._backward(start, fork)}
        if not prompts or not whole or not prompts.isdisjoint(self.prompts[row] for row in above):
            return False
        kinds, flags = self._rows.codes(start, fork)
        pairs = zip(kinds, flags, strict=True)
        return not any(kind in _CALLS and flag & Flag.SUPERSEDED for kind, flag in pairs)


def _last_repeated(recent: Sequence[int], above: Sequence[int]) -> int | None:
    """Return the index of the last prompt above that was repeated; both lists are newest first.

    None if it is none of them: then the end of the repetition is unknown. Of several equal prompts
    the one counts that has most of the others in front of it, then the last one.
    """
    best, most = None, 0
    for at, said in enumerate(above):
        if not recent or said != recent[0]:
            continue
        run = _run(recent, above[at : at + len(recent)])
        if run > most:
            best, most = at, run
        if most == len(recent):
            break
    return best


def _run(recent: Sequence[int], above: Sequence[int]) -> int:
    """How many prompts are the same at the beginning of both."""
    pairs = enumerate(zip(recent, above, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(recent), len(above)))
