"""A set of rows that grows at both ends: a byte a row, so that a million hits cost a megabyte."""

from collections.abc import Iterator


class RowSet:
    """Rows by number, negative ones too; finding, counting and ranking run at memory speed."""

    __slots__ = ("_base", "_count", "_data")

    def __init__(self) -> None:
        self._data = bytearray()
        self._base = 0
        """Number of the row of the first byte."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, row: int) -> bool:
        at = row - self._base
        return 0 <= at < len(self._data) and self._data[at] == 1

    def __iter__(self) -> Iterator[int]:
        row = self.next(self._base)
        while row is not None:
            yield row
            row = self.next(row + 1)

    def put(self, row: int, present: bool) -> None:
        """Take the row in, or out."""
        if (row in self) == present:
            return
        if present:
            self._make_room(row)
        self._data[row - self._base] = present
        self._count += 1 if present else -1

    def next(self, row: int) -> int | None:
        """The first row of the set at or after this one."""
        at = self._data.find(1, max(0, row - self._base))
        return None if at < 0 else at + self._base

    def previous(self, row: int) -> int | None:
        """The last row of the set at or before this one."""
        stop = row - self._base + 1
        at = self._data.rfind(1, 0, stop) if stop > 0 else -1
        return None if at < 0 else at + self._base

    def rank(self, row: int) -> int:
        """Place of the row in the set, 1-based; 0 when it is not in it."""
        return self._data.count(1, 0, row - self._base + 1) if row in self else 0

    def mask(self, first: int, end: int) -> bytes:
        """A byte for each row from `first` to `end` - 1: 255 for one in the set, else 0."""
        start, stop = first - self._base, end - self._base
        inside = bytes(self._data[max(0, start) : max(0, stop)])
        before = bytes(min(max(0, -start), end - first))
        return (before + inside).ljust(end - first, b"\0").translate(_FULL)

    def _make_room(self, row: int) -> None:
        data = self._data
        if not data:
            self._base = row
        if row < self._base:
            room = self._base - row + len(data) // 4
            data[:0] = bytes(room)
            self._base -= room
        missing = row - self._base + 1 - len(data)
        if missing > 0:
            data += bytes(missing + len(data) // 4)


_FULL = bytes(255 if value else 0 for value in range(256))
