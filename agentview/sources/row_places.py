"""Which rows of a database are the lines of a session, so that rows are read when they are wanted.

What the lines are is known from an earlier run: for each line its table, its rowid, its length and
a digest of its row. A line is read again by its rowid, and holds only with that digest.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from agentview.domain.value import Value

_BLOCK = 64 * 1024
"""Bytes of lines that are read at a time: to open the database takes as long as some rows."""


class RowPlaces(Value):
    """The lines of a session in their order, in plain values that can be kept on disk."""

    tables: tuple[str, ...]
    """The description of each table."""
    ranks: bytes
    """For each line the number of its table."""
    rows: bytes
    """Rowids: signed numbers of 8 bytes."""
    starts: bytes
    """Where the lines begin, and where the last one ends: numbers of 8 bytes, as are digests."""
    digests: bytes
    since: tuple[float | None, ...]
    """For each table the largest value that says when a row was written."""
    stamp: tuple[object, ...] | None
    """Stamp of the files of the database; None where they may have changed unnoticed since."""


def places_of(
    tables: tuple[str, ...],
    lines: Sequence[tuple[int, int, int]],
    starts: Sequence[int],
    since: Sequence[float | None],
    stamp: tuple[object, ...] | None,
) -> RowPlaces | None:
    """Places of lines, each given as rank, rowid and digest; None where one has no rowid.

    None too where two lines have the same rowid of a table.
    """
    ranks, rows, digests = zip(*lines, strict=True)
    if len({*zip(ranks, rows, strict=True)}) < len(lines):
        return None
    try:
        return RowPlaces(
            tables,
            bytes(ranks),
            array("q", rows).tobytes(),
            array("Q", starts).tobytes(),
            array("Q", digests).tobytes(),
            tuple(since),
            stamp,
        )
    except (TypeError, ValueError, OverflowError):
        return None


class UnreadRows:
    """Lines of which each is read when it is wanted."""

    def __init__(self, places: RowPlaces) -> None:
        """Raises ValueError for what cannot be places."""
        self.ranks = places.ranks
        self.rows, self.starts, self.digests = array("q"), array("Q"), array("Q")
        self.rows.frombytes(places.rows)
        self.starts.frombytes(places.starts)
        self.digests.frombytes(places.digests)
        self.count = len(self.ranks)
        if {len(self.rows), len(self.starts) - 1, len(self.digests)} != {self.count or -1}:
            raise ValueError("columns of different lengths")
        self._read = bytearray(self.count)
        self.left = self.count
        """How many were not read yet."""

    def wanted(self, start: int, end: int) -> Sequence[int]:
        """Numbers of lines that were not read, from byte `start` to byte `end`."""
        if not self.left or start >= min(end, self.starts[-1]):
            return ()
        first = bisect_right(self.starts, max(0, start)) - 1
        last = min(bisect_left(self.starts, end), self.count)
        return [at for at in range(first, last) if not self._read[at]]

    def wanted_near(self, start: int, end: int) -> Sequence[int]:
        """The same with lines near them; none where all of these were read."""
        if not self.wanted(start, end):
            return ()
        return self.wanted(start - start % _BLOCK, end + -end % _BLOCK)

    def place(self, at: int) -> tuple[int, int, int]:
        return self.ranks[at], self.rows[at], self.digests[at]

    def length(self, at: int) -> int:
        """Bytes of a line with its line feed."""
        return self.starts[at + 1] - self.starts[at]

    def start_of_last(self, most: int, size: int) -> int:
        """The byte at which the last lines begin: so many, so many bytes at most, at least one."""
        at = max(self.count - most, bisect_left(self.starts, max(0, self.starts[-1] - size)))
        return self.starts[min(at, self.count - 1)]

    def take(self, lines: Mapping[int, bytes]) -> Iterator[tuple[int, list[bytes]]]:
        """Note that these lines were read; those without a gap between them, behind the first."""
        first = end = -1
        run: list[bytes] = []
        for at in sorted(lines):
            self._read[at] = True
            if at != end:
                if run:
                    yield first, run
                first, run = at, []
            run.append(lines[at])
            end = at + 1
        self.left -= len(lines)
        if run:
            yield first, run

    def digest(self, rank: int, row: int) -> int | None:
        """The digest of a row whose line was not read; None of any other row."""
        at = self._numbers.get((rank, row))
        return None if at is None or self._read[at] else self.digests[at]

    @cached_property
    def _numbers(self) -> Mapping[tuple[int, int], int]:
        places = zip(self.ranks, self.rows, strict=True)
        return {place: at for at, place in enumerate(places)}
