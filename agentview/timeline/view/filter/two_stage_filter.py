"""The rows that pass tests: found without decoding where possible, else decoded."""

from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter

from agentview.timeline.view.filter.filters import ContentTest
from agentview.timeline.view.filter.outward_scan import OutwardScan
from agentview.timeline.view.filter.row_flags import SHOWN, overlap, traits_of
from agentview.timeline.view.filter.row_search import codes_of
from agentview.timeline.view.rows_protocol import Rows

STEP = 16_384
"""Rows whose codes are looked at together."""

_NEW = 64
"""Rows behind those that were looked at that are decoded when they are asked for."""

Mask = Callable[[bytes, bytes, int], bytes]
"""Given kinds and traits of rows and the first: 255 for each that may pass, else 0."""


class TwoStageFilter(OutwardScan):
    """Goes outward from row `start` over the rows that `among` leaves; all `tests` have to hold.

    `hits` are rows that passed when they were decoded.
    """

    def __init__(self, rows: Rows, tests: Sequence[ContentTest], start: int, among: Mask) -> None:
        super().__init__(rows, start)
        self._tests = tests
        self._among = among
        self._waiting: deque[int] = deque()
        """Rows of the part under way that have to be decoded."""

    def _left(self) -> int:
        return super()._left() + len(self._waiting)

    def step(self, budget: float) -> bool:
        """Continue for about `budget` seconds; True when there is nothing left to look at."""
        deadline = perf_counter() + budget
        self._take_new_rows()
        while perf_counter() < deadline:
            if self._waiting:
                self._decode(self._waiting.popleft())
            elif self._ranges:
                self._begin_part(self._ranges.popleft())
            else:
                break
        return self.done

    def look_again(self, row: int) -> None:
        if self._first <= row < self._end:
            self.hits.put(row, False)
            if self._open(row, row + 1)[0]:
                self._decode(row)

    def passes(self, row: int) -> bool:
        """Return True if a row passes; one that was just added is decoded now if it has to be."""
        while self._end <= row < self._end + _NEW:
            self._end += 1
            self.look_again(self._end - 1)
        kinds, flags = self._codes(row, row + 1)
        return self.mask(kinds, flags, row) == b"\xff"

    def mask(self, kinds: bytes, flags: bytes, first: int) -> bytes:
        """Return the mask of rows by now: 255 for each that passes the tests, else 0."""
        passing, possible = self._known(kinds, flags, first)
        found = int.from_bytes(self.hits.mask(first, first + len(kinds))) & int.from_bytes(possible)
        return (int.from_bytes(passing) | found).to_bytes(len(kinds))

    def _known(self, kinds: bytes, flags: bytes, first: int) -> tuple[bytes, bytes]:
        """Rows that pass all tests, and those that may: 255 for each, else 0."""
        passing = possible = int.from_bytes(flags.translate(SHOWN))
        for test in self._tests:
            one, other = test.masks(self._rows, kinds, flags, first)
            passing &= int.from_bytes(one)
            possible &= int.from_bytes(one) | int.from_bytes(other)
        return passing.to_bytes(len(kinds)), possible.to_bytes(len(kinds))

    def _codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        kinds, flags = codes_of(self._rows, start, stop)
        return kinds, traits_of(flags)

    def _open(self, start: int, stop: int) -> bytes:
        """Rows that have to be decoded: 255 for each, else 0."""
        kinds, flags = self._codes(start, stop)
        passing, possible = self._known(kinds, flags, start)
        mask = overlap((possible, self._among(kinds, flags, start)), len(kinds))
        return (int.from_bytes(mask) & ~int.from_bytes(passing)).to_bytes(len(kinds))

    def _begin_part(self, span: range) -> None:
        part, rest = span[:STEP], span[STEP:]
        if rest:
            # In turns forwards and backwards, so that what is near comes first.
            self._ranges.append(rest)
        if not part:
            return
        start, stop = min(part[0], part[-1]), max(part[0], part[-1]) + 1
        mask = self._open(start, stop)
        at = mask.find(255)
        found: list[int] = []
        while at >= 0:
            found.append(start + at)
            at = mask.find(255, at + 1)
        self._waiting.extend(found if part.step > 0 else reversed(found))

    def _decode(self, row: int) -> None:
        if all(test.passes(self._rows, row) for test in self._tests):
            self.hits.put(row, True)
