"""Rows of one sort, found by their codes without decoding any, and kept up to date."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator

from agentview.domain.activity import Kind
from agentview.domain.index_entry import KIND_CODES, KINDS, Flag
from agentview.timeline.view.rows_protocol import Rows

_Codes = Callable[[int, int], tuple[bytes, bytes]]

CHUNK = 32_768
"""Rows that are looked at between two pauses: a third of a millisecond or so."""

MANY = 2_000
"""Changed rows from which looking at all of them again is quicker than at each."""


def codes_of(rows: Rows, start: int, stop: int) -> tuple[bytes, bytes]:
    """Kind codes and flags of rows, a byte each, as `CodedRows.codes` gives them."""
    # Not by `isinstance`, which compares all names of the protocol: 20 µs for each message.
    codes: _Codes | None = getattr(rows, "codes", None)
    if codes is not None:
        return codes(start, stop)
    kinds = bytes(KIND_CODES[rows.kind(row)] for row in range(start, stop))
    return kinds, bytes(_flags_of(rows, row) for row in range(start, stop))


def _flags_of(rows: Rows, row: int) -> int:
    hidden = 0 if rows.shown(row) else Flag.BOOKKEEPING
    problem = Flag.PROBLEM if rows.problem(row) else 0
    turn = Flag.TURN if rows.starts_turn(row) else 0
    return hidden | problem | turn | (Flag.SIDE if rows.nested(row) else 0)


class RowSearch:
    """Numbers of the rows that are wanted, in order. What is not looked at yet is not in it.

    `wanted` is asked once for each pair of kind and flags.
    """

    def __init__(self, rows: Rows, wanted: Callable[[Kind, int], bool]) -> None:
        self._rows = rows
        # A kind's rows are found by their flags; kinds whose flags are judged alike go together.
        self._tables: dict[bytes, bytearray] = {}
        for code, kind in enumerate(KINDS):
            flags = bytes(wanted(kind, flags) for flags in range(256))
            if any(flags):
                self._tables.setdefault(flags, bytearray(256))[code] = 1
        self._found: list[int] = []
        self._first = self._end = rows.end

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, index: int) -> int:
        return self._found[index]

    def __iter__(self) -> Iterator[int]:
        return iter(self._found)

    @property
    def complete(self) -> bool:
        return self._first == self._rows.first and self._end == self._rows.end

    def at_or_before(self, row: int) -> int | None:
        """Index of the last one that is not behind the row; None before the first."""
        return bisect_right(self._found, row) - 1 if self._found and row >= self._found[0] else None

    def forget(self) -> None:
        """Look at all rows again: nothing known of them holds."""
        self._found = []
        self._first = self._end = self._rows.end

    def take(self, updated: Iterable[int]) -> None:
        """Look again at rows that changed."""
        changed = {row for row in updated if self._first <= row < self._end}
        if len(changed) > MANY:
            self.forget()
            return
        for row in changed:
            at = bisect_left(self._found, row)
            known = at < len(self._found) and self._found[at] == row
            if bool(self._look(row, row + 1)) != known:
                self._found[at : at + known] = [] if known else [row]

    def catch_up(self) -> Iterator[None]:
        """Look at the rows that came at either end, the newest first; pauses now and then."""
        while self._end < self._rows.end:
            stop = min(self._end + CHUNK, self._rows.end)
            self._found += self._look(self._end, stop)
            self._end = stop
            yield
        while self._first > self._rows.first:
            start = max(self._first - CHUNK, self._rows.first)
            self._found[:0] = self._look(start, self._first)
            self._first = start
            yield

    def _look(self, start: int, stop: int) -> list[int]:
        kinds, flags = codes_of(self._rows, start, stop)
        found: list[int] = []
        for flag_table, kind_table in self._tables.items():
            one = int.from_bytes(flags.translate(flag_table), "little")
            both = one & int.from_bytes(kinds.translate(kind_table), "little")
            mask = both.to_bytes(len(flags), "little")
            at = mask.find(1)
            while at >= 0:
                found.append(start + at)
                at = mask.find(1, at + 1)
        return sorted(found) if len(self._tables) > 1 else found
