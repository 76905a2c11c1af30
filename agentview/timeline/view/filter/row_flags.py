"""Kind and flags of every row without decoding it, two bytes a row."""

from collections.abc import Callable, Iterable
from enum import IntFlag

from agentview.domain.activity import Kind
from agentview.domain.index_entry import KINDS, Flag
from agentview.domain.value import Value
from agentview.timeline.view.rows_protocol import CodedRows, Rows

_CODES = {kind: code for code, kind in enumerate(KINDS)}
_CHUNK = 8192


class RowFlag(IntFlag):
    """Flags of a row."""

    HIDDEN = 1
    """Stands nowhere unless hidden rows are asked for."""
    PROBLEM = 2
    TURN = 4
    """A turn starts here."""
    FILTERED = 8
    """Left out by the reader's filter."""
    SIDE = 16
    """Of another stream than the one that the log is of."""
    RULE = 32
    """A rule stands above it: a turn of any branch starts here."""


# Plain numbers: flag arithmetic costs a microsecond a row.
_HIDDEN, _PROBLEM, _TURN, _FILTERED, _SIDE, _RULE = (int(trait) for trait in RowFlag)
_UNFILTERED = bytes(flags & ~_FILTERED & 255 for flags in range(256))

_TRAITS = bytes(
    (_HIDDEN if flags & Flag.ABSENT else 0)
    | (_PROBLEM if flags & Flag.PROBLEM else 0)
    | (_TURN if flags & Flag.ASIDE == Flag.TURN else 0)
    | (_SIDE if flags & Flag.ASIDE == Flag.SIDE else 0)
    | (_RULE if flags & Flag.TURN else 0)
    for flags in range(256)
)
_OUT = bytes(255 if flags & _FILTERED else 0 for flags in range(256))
SHOWN = bytes(0 if flags & _HIDDEN else 255 for flags in range(256))
"""Turns flags of rows into 255 for each that is shown when no filter is applied, else 0."""
_LEFT_OUT = bytes(0 if passes else _FILTERED for passes in range(256))


def _out(hidden: bool) -> int:
    return _FILTERED if hidden else _FILTERED | _HIDDEN


class RowFilter(Value, gc=True):
    """Which rows are left in, asked one by one or for all at once."""

    one: Callable[[int], bool]
    many: Callable[[bytes, bytes, int], bytes]
    """Given kinds and flags of all rows, a byte each, and the number of the first: 255 for each
    that is left in, else 0."""

    def __call__(self, row: int) -> bool:
        return self.one(row)


def traits_of(flags: bytes) -> bytes:
    return flags.translate(_TRAITS)


def overlap(masks: Iterable[bytes], length: int) -> bytes:
    """The bits that all masks of `length` bytes have; all bits without any mask."""
    common = (1 << 8 * length) - 1
    for mask in masks:
        common &= int.from_bytes(mask, "little")
    return common.to_bytes(length, "little")


_ONE_BY_ONE = 64
"""Rows up to which a filter is asked of each: it may look at those that have just come."""


def _filtered(
    passes: Callable[[int], bool] | None, kinds: bytes, flags: bytes, first: int
) -> bytes:
    """The flags with those of the rows marked that a filter leaves out."""
    if passes is None or not flags:
        return flags
    if isinstance(passes, RowFilter) and len(flags) > _ONE_BY_ONE:
        out = passes.many(kinds, flags, first)
    else:
        rows = range(first, first + len(flags))
        out = bytes(255 if passes(row) else 0 for row in rows)
    marked = int.from_bytes(flags, "little") | int.from_bytes(out.translate(_LEFT_OUT), "little")
    return marked.to_bytes(len(flags), "little")


class HeightTable:
    """Estimated heights as byte tables: lines by kind, and what is shown and ruled by flags."""

    __slots__ = ("lines", "rules", "shown")

    def __init__(self, by_tool: Callable[[Kind], int], *, hidden: bool, ruled: bool = True) -> None:
        out = _out(hidden)
        # Lines and the rule together stay below 255, so that no byte carries into the next one.
        self.lines = bytes(min(by_tool(kind), 253) for kind in KINDS).ljust(256, b"\0")
        self.shown = bytes(0 if flags & out else 255 for flags in range(256))
        turn = _RULE if ruled else 0
        self.rules = bytes(1 if flags & turn and not flags & out else 0 for flags in range(256))

    def heights(self, kinds: bytes | bytearray, flags: bytes | bytearray) -> bytes:
        """A height for each of the rows with these kinds and flags."""
        lines = int.from_bytes(kinds.translate(self.lines), "little")
        lines &= int.from_bytes(flags.translate(self.shown), "little")
        lines += int.from_bytes(flags.translate(self.rules), "little")
        return lines.to_bytes(len(flags), "little")


class _GrowingBytes:
    """Bytes that grow at both ends; the index of the first is `slack`."""

    __slots__ = ("data", "slack")

    def __init__(self) -> None:
        self.data = bytearray()
        self.slack = 0

    def prepend(self, part: bytes) -> None:
        if len(part) > self.slack:
            room = len(part) + len(self.data) // 16
            self.data[:0] = bytes(room)
            self.slack += room
        self.data[self.slack - len(part) : self.slack] = part
        self.slack -= len(part)


class RowFlags:
    """Kinds and flags of the rows `first` to `end` - 1, taken from `rows` once and kept."""

    def __init__(self, rows: Rows, passes: Callable[[int], bool] | None = None) -> None:
        self._rows = rows
        self._codes = rows.codes if isinstance(rows, CodedRows) else None
        self._passes = passes
        self.first = rows.first
        self.end = rows.first
        self._kinds = _GrowingBytes()
        self._flags = _GrowingBytes()
        self.extend_back(rows.end)

    def extend_back(self, end: int) -> None:
        """Take the rows from `end` of now to the new one."""
        kinds, flags = self._read(range(self.end, end))
        self._kinds.data += kinds
        self._flags.data += flags
        self.end = end

    def extend_front(self, first: int) -> None:
        """Take the rows from the new first one to the one of now."""
        kinds, flags = self._read(range(first, self.first))
        self._kinds.prepend(kinds)
        self._flags.prepend(flags)
        self.first = first

    def reread(self, row: int) -> None:
        """Take the row again after a change."""
        kinds, flags = self._read(range(row, row + 1))
        self._kinds.data[row - self.first + self._kinds.slack] = kinds[0]
        self._flags.data[row - self.first + self._flags.slack] = flags[0]

    def judged(
        self, passes: Callable[[int], bool] | None, start: int, stop: int
    ) -> tuple[bytes, bytes]:
        """Kinds of rows, and their flags as they would be with another filter."""
        base = self._kinds.slack - self.first
        kinds = bytes(self._kinds.data[start + base : stop + base])
        base = self._flags.slack - self.first
        flags = bytes(self._flags.data[start + base : stop + base]).translate(_UNFILTERED)
        return kinds, _filtered(passes, kinds, flags, start)

    def put_filter(self, passes: Callable[[int], bool] | None, flags: bytes | bytearray) -> None:
        """Take another filter, and the flags of all rows as they are with it."""
        self._passes = passes
        self._flags.data[self._flags.slack :] = flags

    def kind(self, row: int) -> Kind:
        return KINDS[self._kinds.data[row - self.first + self._kinds.slack]]

    def has(self, row: int, trait: int) -> bool:
        return bool(self._flags.data[row - self.first + self._flags.slack] & trait)

    def shown(self, row: int, *, hidden: bool) -> bool:
        return not self.has(row, _out(hidden))

    def heights(self, table: HeightTable, start: int, stop: int) -> bytes:
        """A height for each row from `start` to `stop`, 0 for one that is not shown."""
        base = self._flags.slack - self.first
        flags = self._flags.data[start + base : stop + base]
        base = self._kinds.slack - self.first
        return table.heights(self._kinds.data[start + base : stop + base], flags)

    def find(
        self, trait: RowFlag, row: int, step: int, *, hidden: bool = False, filtered: bool = False
    ) -> int | None:
        """The nearest row with the flag from `row` on, forwards (1) or backwards (-1).

        `hidden` and `filtered` take rows that are hidden, and that the filter leaves out.
        """
        out = _out(hidden) & ~(_FILTERED if filtered else 0)
        flag = int(trait)
        wanted = bytes(1 if flags & flag and not flags & out else 0 for flags in range(256))
        data, base = self._flags.data, self._flags.slack - self.first
        if step > 0:
            for start in range(max(row, self.first), self.end, _CHUNK):
                stop = min(start + _CHUNK, self.end)
                at = data[start + base : stop + base].translate(wanted).find(1)
                if at >= 0:
                    return start + at
            return None
        for stop in range(min(row, self.end - 1) + 1, self.first, -_CHUNK):
            start = max(stop - _CHUNK, self.first)
            at = data[start + base : stop + base].translate(wanted).rfind(1)
            if at >= 0:
                return start + at
        return None

    def nth(self, trait: RowFlag, number: int) -> int | None:
        """The row that has the flag as number `number` (from 1); hidden rows do not count."""
        flag = int(trait)
        wanted = bytes(1 if flags & flag and not flags & _HIDDEN else 0 for flags in range(256))
        found = self._flags.data[self._flags.slack :].translate(wanted)
        at = -1
        for _ in range(number):
            at = found.find(1, at + 1)
            if at < 0:
                return None
        return self.first + at

    def number(self, trait: RowFlag, row: int) -> int:
        """How many rows up to and with this one have the flag; hidden rows do not count."""
        flag = int(trait)
        wanted = bytes(1 if flags & flag and not flags & _HIDDEN else 0 for flags in range(256))
        stop = row + 1 - self.first + self._flags.slack
        return self._flags.data[self._flags.slack : stop].translate(wanted).count(1)

    def filtered(self, first: int, end: int) -> bytes:
        """A byte for each row from `first` to `end` - 1: 255 for one that is left out, else 0."""
        base = self._flags.slack - self.first
        return bytes(self._flags.data[first + base : end + base].translate(_OUT))

    def census(self, rows: int) -> dict[Kind, int]:
        """How many of the last `rows` rows are of each kind; hidden ones do not count."""
        kinds = self._kinds.data[self._kinds.slack :][-rows:]
        flags = self._flags.data[self._flags.slack :][-rows:]
        codes = bytes(code for code, flag in zip(kinds, flags, strict=True) if not flag & _HIDDEN)
        return {KINDS[code]: codes.count(code) for code in set(codes)}

    def _read(self, rows: range) -> tuple[bytes, bytes]:
        if self._codes is None:
            return self._ask(rows)
        kinds, codes = self._codes(rows.start, rows.stop)
        return kinds, _filtered(self._passes, kinds, traits_of(codes), rows.start)

    def _ask(self, rows: range) -> tuple[bytes, bytes]:
        source, passes = self._rows, self._passes
        kinds, flags = bytearray(), bytearray()
        for row in rows:
            kinds.append(_CODES[source.kind(row)])
            flag = 0 if source.shown(row) else _HIDDEN
            if source.problem(row):
                flag |= _PROBLEM
            if source.starts_turn(row):
                flag |= _TURN | _RULE
            if source.nested(row):
                flag |= _SIDE
            if passes is not None and not passes(row):
                flag |= _FILTERED
            flags.append(flag)
        return bytes(kinds), bytes(flags)
