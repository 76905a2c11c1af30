"""The lines of a diff in order: their signs, numbers and counterparts, found when asked for.

Nothing is made for each line beforehand but one character, so that a diff of 20,000 lines is ready
at once.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, zip_longest
from operator import itemgetter

from agentview.domain.tool_results import Hunk

BETWEEN = "@"
"""Sign of a line that stands for what was left out above a hunk."""

_SIGNS = " +-\\" + BETWEEN
_ODD = re.compile(r"[^ +\-\\]")
_RUN = re.compile(r"(-*)(\\*)(\+*)(\\*)([ @]*\\*)")
_WORD = re.compile(r"\w+")
_FIRST = itemgetter(0)
_OTHERS = {"-": "+\\" + BETWEEN, "+": "-\\" + BETWEEN}
"""Signs of lines that are not in a side's text."""
_BLOCK = 1_024
_MATCHED_BY_LIKENESS = 600
"""Lines of a diff up to which lines of unequal runs are paired by what they have in common."""
_COMPARED = 144
"""Pairs of lines that are compared for that in one place."""
_ALIKE = 0.4

Pair = tuple[int | None, int | None]
"""Indexes of an old line and of the new line next to it."""


class DiffLines:
    """Lines of hunks by index, what is left out between two hunks being a line too.

    `signs` has one character a line: ' ', '+', '-', a backslash (a note about the line before), or
    BETWEEN. Line numbers are None unless `numbered`.
    """

    def __init__(self, hunks: Sequence[Hunk], *, numbered: bool = True) -> None:
        self.hunks = hunks
        self.numbered = numbered
        self._raw: list[str] = []
        self._starts: list[int] = []
        parts: list[str] = []
        for number, hunk in enumerate(hunks):
            if number or hunk.heading:
                parts.append(BETWEEN)
                self._raw.append(BETWEEN)
            self._starts.append(len(self._raw))
            self._raw += hunk.lines
            parts.append(_ODD.sub(" ", signs_of(hunk)))
        self.signs = "".join(parts)
        self._partners: dict[int, dict[int, int]] = {}
        self._counts: dict[str, list[int]] = {}
        self._last_run: re.Match[str] | None = None

    def __len__(self) -> int:
        return len(self.signs)

    @property
    def raw(self) -> Sequence[str]:
        """All lines, each behind its sign; an empty one may have none."""
        return self._raw

    def text(self, index: int) -> str:
        return self._raw[index][1:]

    def hunk(self, index: int) -> int:
        """Number of the hunk that a line is in; the one below for what is left out between two."""
        return max(0, bisect_right(self._starts, index + (self.signs[index] == BETWEEN)) - 1)

    def start(self, hunk: int) -> int:
        return self._starts[hunk]

    def place(self, index: int, side: str, start: int | None = None) -> int:
        """How many lines of the old ('-') or new ('+') text stand before a line in its hunk.

        They are counted from the line `start` on where that is given.
        """
        first = self._starts[self.hunk(index)] if start is None else start
        others = _OTHERS[side]
        return index - first - self._before(others, index) + self._before(others, first)

    def _before(self, others: str, index: int) -> int:
        """How many lines of some signs stand before a line; counted once for each block."""
        known = self._counts.get(others)
        if known is None:
            ends = range(_BLOCK, len(self.signs) + 1, _BLOCK)
            blocks = (self._count(others, end - _BLOCK, end) for end in ends)
            known = self._counts[others] = [0, *accumulate(blocks)]
        block = index // _BLOCK
        return known[block] + self._count(others, block * _BLOCK, index)

    def _count(self, others: str, start: int, stop: int) -> int:
        return sum(self.signs.count(sign, start, stop) for sign in others)

    def numbers(self, index: int) -> tuple[int | None, int | None]:
        """Line numbers in the old and the new file; None where it is in neither."""
        sign = self.signs[index]
        if not self.numbered or sign not in " +-":
            return None, None
        hunk = self.hunks[self.hunk(index)]
        old = None if sign == "+" else hunk.old_start + self.place(index, "-")
        new = None if sign == "-" else hunk.new_start + self.place(index, "+")
        return old, new

    def left_out(self, index: int) -> int | None:
        """Count of unchanged lines between two hunks, None where it is not known."""
        number = self.hunk(index)
        if not self.numbered or not number:
            return None
        before, after = self.hunks[number - 1], self.hunks[number]
        count = after.old_start - before.old_start - before.old_lines
        return count if count > 0 else None

    def partner(self, index: int) -> int | None:
        """The line that a removed or added one became or was; None for none."""
        match = self._run(index) if self.signs[index] in "+-" else None
        if match is None or not match[1]:
            return None
        start = match.start()
        old, new = range(*match.span(1)), range(*match.span(3))
        if len(old) == len(new) or not self._is_short(old, new):
            opposite = index + (new.start - old.start) * (1 if index in old else -1)
            return opposite if opposite in (new if index in old else old) else None
        if start not in self._partners:
            found: dict[int, int] = {}
            for left, right in self._side_by_side(match):
                if left is not None and right is not None and left in old and right in new:
                    found[left], found[right] = right, left
            self._partners[start] = found
        return self._partners[start].get(index)

    def _run(self, index: int) -> re.Match[str] | None:
        """The removed and added lines that a removed or added line is among."""
        last = self._last_run
        if last is None or not last.start() <= index < last.end(3):
            start = index
            if self.signs[index] == "+":
                start = self._after_other("\\", self._after_other("+", index))
            last = self._last_run = _RUN.match(self.signs, self._after_other("-", start))
        return last

    def _after_other(self, sign: str, stop: int) -> int:
        return 1 + max(self.signs.rfind(other, 0, stop) for other in _SIGNS if other != sign)

    def sides(self) -> tuple[list[int | None], list[int | None]]:
        """Indexes of old and of new lines as they stand side by side, None for nothing.

        The two are equally long. Each line is on its side once, and on both if it was kept.
        """
        left: list[int | None] = []
        right: list[int | None] = []
        for match in _RUN.finditer(self.signs):
            (start, end), (_, removed), _, (added, last), (_, changed), _ = match.regs
            if removed - start == last - added and changed == last and removed == added:
                left.extend(range(start, removed))
                right.extend(range(added, last))
            else:
                for old, new in self._side_by_side(match):
                    left.append(old)
                    right.append(new)
            if changed < end:
                left.extend(range(changed, end))
                right.extend(range(changed, end))
        return left, right

    def _side_by_side(self, match: re.Match[str]) -> Iterator[Pair]:
        """Removed lines next to the added lines right below them, each with the notes below it."""
        old = range(*match.span(1))
        new = range(*match.span(3))
        old_notes = range(*match.span(2))
        new_notes = range(*match.span(4))
        if old and new and len(old) != len(new) and self._is_short(old, new):
            pairs = list(self._by_likeness(old, new))
            alike = any(left is not None and right is not None for left, right in pairs)
            yield from pairs if alike else zip_longest(old, new)
            yield from zip_longest(old_notes, new_notes)
        else:
            yield from zip_longest([*old, *old_notes], [*new, *new_notes])

    def _is_short(self, old: range, new: range) -> bool:
        return len(self) <= _MATCHED_BY_LIKENESS and len(old) * len(new) <= _COMPARED

    def _by_likeness(self, old: range, new: range) -> Iterator[Pair]:
        """Each old line next to the first new one that it has much in common with, in order."""
        words = {at: _WORD.findall(self._raw[at]) for at in (*old, *new)}
        below = new.start
        for removed in old:
            like = next(
                (at for at in range(below, new.stop) if _alike(words[removed], words[at])), None
            )
            if like is None:
                yield removed, None
                continue
            for added in range(below, like):
                yield None, added
            yield removed, like
            below = like + 1
        for added in range(below, new.stop):
            yield None, added


def signs_of(hunk: Hunk) -> str:
    """The first character of each line of a hunk, a space for an empty line."""
    try:
        return "".join(map(_FIRST, hunk.lines))
    except IndexError:
        return "".join([line[:1] or " " for line in hunk.lines])


def _alike(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return True if two lines have much of their words in common."""
    rest = list(new)
    same = 0
    for word in old:
        if word in rest:
            rest.remove(word)
            same += len(word)
    return same > 0 and same >= _ALIKE * max(sum(map(len, old)), sum(map(len, new)))
