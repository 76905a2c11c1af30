"""Numbers that few rows have: ten bytes each, where a table of the language takes a hundred."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import Self

_SHIFT = 11


class SparseArray:
    """Numbers by small index (below 65,536), in order of the indexes."""

    __slots__ = ("indexes", "values")

    def __init__(self) -> None:
        self.indexes = array("H")
        self.values = array("q")

    def state(self) -> tuple[bytes, bytes]:
        return self.indexes.tobytes(), self.values.tobytes()

    @classmethod
    def of(cls, state: tuple[bytes, bytes]) -> Self:
        """The array of a state. Raises ValueError and TypeError."""
        made = cls()
        made.indexes, made.values = array("H", state[0]), array("q", state[1])
        if len(made.indexes) != len(made.values):
            raise ValueError("indexes without numbers")
        return made

    def get(self, index: int) -> int | None:
        """The number of an index, None when it has none."""
        at = bisect_left(self.indexes, index)
        found = at < len(self.indexes) and self.indexes[at] == index
        return self.values[at] if found else None

    def setdefault(self, index: int, value: int) -> int:
        """The number of an index, which gets this one when it has none."""
        at = bisect_left(self.indexes, index)
        if at < len(self.indexes) and self.indexes[at] == index:
            return self.values[at]
        self.indexes.insert(at, index)
        self.values.insert(at, value)
        return value

    def put(self, index: int, value: int | None) -> None:
        """Give an index a number, or take it away."""
        at = bisect_left(self.indexes, index)
        known = at < len(self.indexes) and self.indexes[at] == index
        if value is None:
            if known:
                del self.indexes[at], self.values[at]
        elif known:
            self.values[at] = value
        else:
            self.indexes.insert(at, index)
            self.values.insert(at, value)


class SparseIntMap:
    """Numbers by row, of rows that may be numbered below zero; used like a dictionary."""

    def __init__(self) -> None:
        self._parts: dict[int, SparseArray] = {}

    def get(self, row: int) -> int | None:
        """The number of a row, None when it has none."""
        part = self._parts.get(row >> _SHIFT)
        return None if part is None else part.get(row & (1 << _SHIFT) - 1)

    def __contains__(self, row: int) -> bool:
        return self.get(row) is not None

    def __getitem__(self, row: int) -> int:
        value = self.get(row)
        if value is None:
            raise KeyError(row)
        return value

    def __setitem__(self, row: int, value: int) -> None:
        self._part(row).put(row & (1 << _SHIFT) - 1, value)

    def _part(self, row: int) -> SparseArray:
        part = self._parts.get(row >> _SHIFT)
        if part is None:
            part = self._parts[row >> _SHIFT] = SparseArray()
        return part

    def setdefault(self, row: int, value: int) -> int:
        return self._part(row).setdefault(row & (1 << _SHIFT) - 1, value)

    def pop(self, row: int) -> int:
        """Take the number of a row away. Raises KeyError when it has none."""
        value = self[row]
        self._parts[row >> _SHIFT].put(row & (1 << _SHIFT) - 1, None)
        return value

    def items(self) -> Iterator[tuple[int, int]]:
        for number, part in self._parts.items():
            for index, value in zip(part.indexes, part.values, strict=True):
                yield (number << _SHIFT) + index, value
