"""Packed rows: nine bytes each, numbered for good, growing at both ends."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Self

from agentview.domain.activity import RowKind
from agentview.domain.index_entry import (
    CALLS,
    FAILURES,
    KIND_CODES,
    KINDS,
    SAID,
    SOUND,
    Flag,
    Signal,
)
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.timeline.rows.tables.sparse_array import SparseArray

SEGMENT_ROWS = 2048
_FAR = (1 << 32) - 1
_RESULT = KIND_CODES[RowKind.RESULT]
_IS_ZERO = bytes(not value for value in range(256))
_ALL_CALLS = bytes(isinstance(kind, ToolKind) for kind in KINDS).ljust(256, b"\0")
_ASKING = (ToolKind.ASK, ToolKind.PLAN)
"""Kinds of calls whose result says by its content that a person denied them."""
_CALLS = bytes(
    255 if isinstance(kind, ToolKind) and kind not in _ASKING else 0 for kind in KINDS
).ljust(256, b"\0")
_HIDES = bytes(0xFF & ~Flag.JOINED if kind is RowKind.REQUEST else 0xFF for kind in KINDS).ljust(
    256, b"\xff"
)
"""Flags by kind that take a signal away: a request that is joined with its call still waits."""
_JOINED = bytes(0 if value else 255 for value in range(256))
_OUTCOME_KNOWN = bytes(0 if signal & Signal.OUTCOME_UNKNOWN else 255 for signal in range(256))
_NEAR = 32767

_FAILURES = frozenset(FAILURES)

_LATE = 64
"""Signals of calls behind the end of a turn among which that is looked for."""


class Place(Value):
    """A row before it is packed: byte range of its record and its event's number in it."""

    offset: int
    length: int
    sub: int
    kind: int
    flags: int
    signal: int = 0


class Segment:
    """At most SEGMENT_ROWS rows whose records lie within 4 GiB of the first one's offset.

    A record ends `gap` bytes before the next one begins, and its rows are those of its events 0, 1
    and so on: only where that is not so, a length or a number is kept.
    """

    __slots__ = (
        "base",
        "far",
        "flags",
        "gap",
        "kinds",
        "last_length",
        "lengths",
        "links",
        "offsets",
        "signals",
        "start",
        "subs",
    )

    def __init__(self, start: int, places: Sequence[Place]) -> None:
        self.start = start
        self.base = places[0].offset
        self.gap = _gap(places)
        self.offsets = array("I", [place.offset - self.base for place in places])
        self.last_length = places[-1].length
        self.lengths: SparseArray | None = None
        self.subs: SparseArray | None = None
        self.far: SparseArray | None = None
        self.kinds = bytearray([place.kind for place in places])
        self.flags = bytearray([place.flags for place in places])
        self.signals = bytearray([place.signal for place in places])
        self.links = array("h", bytes(2 * len(places)))
        before, row_sub = Place(-1, 0, 0, 0, 0), 0
        for at, place in enumerate(places):
            same = place.offset == before.offset
            row_sub = row_sub + 1 if same else 0
            if place.sub != row_sub:
                self.subs = _put(self.subs, at, place.sub)
                row_sub = place.sub
            if not same and before.offset + before.length + self.gap != place.offset and at:
                self.lengths = _put(self.lengths, at - 1, before.length)
            before = place

    def state(self) -> tuple[Any, ...]:
        return (
            self.start,
            self.base,
            self.gap,
            self.last_length,
            self.offsets.tobytes(),
            bytes(self.kinds),
            bytes(self.flags),
            bytes(self.signals),
            self.links.tobytes(),
            *(None if each is None else each.state() for each in self._sparse()),
        )

    @classmethod
    def of(cls, state: tuple[Any, ...], by: int) -> Self:
        """The segment of a state, with rows numbered `by` higher. Raises ValueError, TypeError."""
        made = cls.__new__(cls)
        start, made.base, made.gap, made.last_length, offsets, kinds, flags, signals, links = state[
            :9
        ]
        made.start = start + by
        made.offsets, made.links = array("I", offsets), array("h", links)
        made.kinds, made.flags = bytearray(kinds), bytearray(flags)
        made.signals = bytearray(signals)
        columns = (made.links, made.kinds, made.flags, made.signals)
        if not made.offsets or any(len(each) != len(made.offsets) for each in columns):
            raise ValueError("columns of another length")
        made.lengths, made.subs, made.far = (
            None if each is None else SparseArray.of(each) for each in state[9:]
        )
        return made

    def _sparse(self) -> tuple[SparseArray | None, ...]:
        return self.lengths, self.subs, self.far

    def extend(self, places: Sequence[Place]) -> int:
        """Add the first of the rows, as many as there is room for; gives how many."""
        offsets, at = self.offsets, len(self.offsets)
        last, length, sub = self.base + offsets[-1], self.last_length, self.sub(at - 1)
        taken = 0
        for place in places[: SEGMENT_ROWS - at]:
            offset = place.offset
            if not 0 <= offset - self.base <= _FAR:
                break
            same = offset == last
            sub = sub + 1 if same else 0
            if place.sub != sub:
                sub = place.sub
                self.subs = _put(self.subs, at + taken, sub)
            if not same and last + length + self.gap != offset:
                self.lengths = _put(self.lengths, at + taken - 1, length)
            offsets.append(offset - self.base)
            last, length = offset, place.length
            taken += 1
        added = places[:taken]
        self.last_length = length
        self.kinds += bytes([place.kind for place in added])
        self.flags += bytes([place.flags for place in added])
        self.signals += bytes([place.signal for place in added])
        self.links.frombytes(bytes(2 * taken))
        return taken

    def length(self, at: int) -> int:
        """Bytes of the record of a row."""
        offsets = self.offsets
        offset, last = offsets[at], at
        if last + 1 < len(offsets) and offsets[last + 1] == offset:
            last = bisect_right(offsets, offset, at) - 1
        if last + 1 == len(offsets):
            return self.last_length
        known = self.lengths.get(last) if self.lengths is not None else None
        return offsets[last + 1] - offset - self.gap if known is None else known

    def sub(self, at: int) -> int:
        """Number of a row's event in its record."""
        counted = 0
        while True:
            known = self.subs.get(at) if self.subs is not None else None
            if known is not None:
                return known + counted
            if not at or self.offsets[at - 1] != self.offsets[at]:
                return counted
            at -= 1
            counted += 1

    def link(self, at: int) -> int:
        """Distance to the row that a row is joined with, 0 for none."""
        known = self.far.get(at) if self.far is not None else None
        return self.links[at] if known is None else known

    def set_link(self, at: int, distance: int) -> None:
        """Join a row with the one at a distance; 0 undoes it."""
        near = -_NEAR <= distance <= _NEAR
        self.links[at] = distance if near else 0
        if not near:
            self.far = _put(self.far, at, distance)
        elif self.far is not None:
            self.far.put(at, None)


def _gap(places: Sequence[Place]) -> int:
    """Bytes between a record and the next one, where the first two lie as all do."""
    first = places[0]
    following = next((place for place in places if place.offset != first.offset), None)
    return 1 if following is None else following.offset - first.offset - first.length


def _put(sparse: SparseArray | None, at: int, value: int) -> SparseArray:
    sparse = sparse or SparseArray()
    sparse.put(at, value)
    return sparse


def _segments(start: int, places: Sequence[Place]) -> list[Segment]:
    found: list[Segment] = []
    begin = 0
    while begin < len(places):
        end = min(begin + SEGMENT_ROWS, len(places))
        base = places[begin].offset
        while end > begin + 1 and not 0 <= places[end - 1].offset - base <= _FAR:
            end = begin + (end - begin) // 2
        found.append(Segment(start + begin, places[begin:end]))
        begin = end
    return found


class PackedRows:
    """All rows of a session. A link is the distance from a row to the one it is joined with."""

    def __init__(self) -> None:
        self.first = 0
        self.end = 0
        self._segments: list[Segment] = []
        self._starts: list[int] = []
        self._bases: list[int] = []

    def begin_at(self, row: int) -> None:
        """Number the first row that comes so; there must be none yet."""
        self.first = self.end = row

    def append(self, places: Sequence[Place]) -> int:
        """Add rows behind the last; returns the number of the first added."""
        start = self.end
        taken = self._segments[-1].extend(places) if self._segments else 0
        fresh = places[taken:]
        for segment in _segments(start + taken, fresh):
            self._segments.append(segment)
            self._starts.append(segment.start)
            self._bases.append(segment.base)
        self.end += len(places)
        return start

    def prepend(self, places: Sequence[Place]) -> int:
        """Add rows in front of the first, in file order; returns the number of the first added."""
        self.first -= len(places)
        fresh = _segments(self.first, places)
        self._segments[:0] = fresh
        self._starts[:0] = [segment.start for segment in fresh]
        self._bases[:0] = [segment.base for segment in fresh]
        return self.first

    def front(self, count: int) -> list[Segment]:
        """The segments that hold the first `count` rows, which were put in front together."""
        return [segment for segment in self._segments if segment.start < self.first + count]

    def put_front(self, segments: Sequence[Segment]) -> int:
        """Take over segments that end where the first row begins; gives how many rows came."""
        before = self.first
        if segments:
            self.first = segments[0].start
            self._segments[:0] = segments
            self._starts[:0] = [segment.start for segment in segments]
            self._bases[:0] = [segment.base for segment in segments]
        return before - self.first

    def find(self, row: int) -> tuple[Segment, int]:
        """The segment of a row and its place in it. Raises IndexError for no such row."""
        if not self.first <= row < self.end:
            raise IndexError(row)
        segment = self._segments[bisect_right(self._starts, row) - 1]
        return segment, row - segment.start

    def offset(self, row: int) -> int:
        """Where the row's record begins. Raises IndexError for no such row."""
        segment, at = self.find(row)
        return segment.base + segment.offsets[at]

    def offsets(self, start: int, stop: int) -> list[int]:
        """Where the records of the rows from `start` to `stop` begin."""
        found: list[int] = []
        begin = max(bisect_right(self._starts, start) - 1, 0)
        for segment in self._segments[begin : bisect_left(self._starts, stop)]:
            base = segment.base
            within = segment.offsets[max(start - segment.start, 0) : max(stop - segment.start, 0)]
            found += [base + offset for offset in within]
        return found

    def span(self, row: int) -> tuple[int, int, int]:
        """Offset and length of the row's record, and the number of its event there."""
        segment, at = self.find(row)
        return segment.base + segment.offsets[at], segment.length(at), segment.sub(at)

    def kind(self, row: int) -> int:
        """Kind code of the row."""
        segment, at = self.find(row)
        return segment.kinds[at]

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Kind codes and flags of the rows from `start` to `stop`, a byte each."""
        kinds, flags = bytearray(), bytearray()
        begin = max(bisect_right(self._starts, start) - 1, 0)
        for segment in self._segments[begin : bisect_left(self._starts, stop)]:
            within = slice(max(start - segment.start, 0), max(stop - segment.start, 0))
            kinds += segment.kinds[within]
            flags += segment.flags[within]
        return bytes(kinds), bytes(flags)

    def unlinked(self, start: int, stop: int) -> bytes:
        """A byte a row from `start` to `stop`: 1 for all that are joined with none, else mostly 0.

        One that is joined with a row far away has 1 too.
        """
        found = bytearray()
        begin = max(bisect_right(self._starts, start) - 1, 0)
        for segment in self._segments[begin : bisect_left(self._starts, stop)]:
            within = slice(max(start - segment.start, 0), max(stop - segment.start, 0))
            links = segment.links[within].tobytes()
            either = int.from_bytes(links[::2], "little") | int.from_bytes(links[1::2], "little")
            found += either.to_bytes(len(links) // 2, "little").translate(_IS_ZERO)
        return bytes(found)

    def of_kinds(self, codes: Iterable[int]) -> Iterator[int]:
        """Rows of these kinds, in order."""
        wanted = bytearray(256)
        for code in codes:
            wanted[code] = 1
        for segment in self._segments:
            found = segment.kinds.translate(wanted)
            at = found.find(1)
            while at >= 0:
                yield segment.start + at
                at = found.find(1, at + 1)

    def before(self, row: int, code: int) -> Iterator[int]:
        for segment in reversed(self._segments[: bisect_left(self._starts, row)]):
            at = segment.kinds.rfind(code, 0, row - segment.start)
            while at >= 0:
                yield segment.start + at
                at = segment.kinds.rfind(code, 0, at)

    def flags(self, row: int) -> int:
        """Flags of the row."""
        segment, at = self.find(row)
        return segment.flags[at]

    def set_flags(self, row: int, flags: int) -> None:
        """Replace the flags of the row."""
        segment, at = self.find(row)
        segment.flags[at] = flags

    def link(self, row: int) -> int | None:
        """Number of the row that this one is joined with, None when there is none."""
        segment, at = self.find(row)
        distance = segment.link(at)
        return row + distance if distance else None

    def set_link(self, row: int, other: int | None) -> None:
        """Join the row with another, or undo it."""
        segment, at = self.find(row)
        segment.set_link(at, 0 if other is None else other - row)

    def unanswered(self, start: int, stop: int) -> Iterator[int]:
        """Calls from `start` to `stop` that are joined with nothing, or with what is far away."""
        kinds, _ = self.codes(start, stop)
        calls = int.from_bytes(kinds.translate(_ALL_CALLS))
        mask = (calls & int.from_bytes(self.unlinked(start, stop))).to_bytes(len(kinds))
        at = mask.find(1)
        while at >= 0:
            yield start + at
            at = mask.find(1, at + 1)

    def ended_well(self, start: int, stop: int) -> bytes:
        """Return a byte per row from `start` to `stop`: 255 for calls that ended well, else 0.

        A call whose result is far away is not known to have.
        """
        kinds, flags = self.codes(start, stop)
        joined = self.unlinked(start, stop).translate(_JOINED)
        well = int.from_bytes(kinds.translate(_CALLS), "little")
        well &= int.from_bytes(flags.translate(SOUND), "little")
        well &= int.from_bytes(joined, "little")
        well &= int.from_bytes(self._signals(start, stop).translate(_OUTCOME_KNOWN), "little")
        return well.to_bytes(len(kinds), "little")

    def _signals(self, start: int, stop: int) -> bytes:
        found = bytearray()
        begin = max(bisect_right(self._starts, start) - 1, 0)
        for segment in self._segments[begin : bisect_left(self._starts, stop)]:
            found += segment.signals[max(start - segment.start, 0) : max(stop - segment.start, 0)]
        return bytes(found)

    def set_unknown_outcome(self, row: int) -> None:
        """Record that only its texts say how a call ended."""
        segment, at = self.find(row)
        segment.signals[at] |= Signal.OUTCOME_UNKNOWN

    def has_unknown_outcome(self, row: int) -> bool:
        """Return True if only its texts say how a call ended."""
        segment, at = self.find(row)
        return bool(segment.signals[at] & Signal.OUTCOME_UNKNOWN)

    def last_signal(self, without: int) -> tuple[int, int]:
        """The signal that decides the state, or 0, and its row, which has no flag of `without`.

        A turn that ended with a plan on which nothing was decided has ended with the proposal.
        """
        signal, row = self._last_signal(without)
        plan = self._open_plan(row, without) if signal == Signal.OVER else None
        return (signal, row) if plan is None else (Signal.PROPOSED, plan)

    def _open_plan(self, end: int, without: int) -> int | None:
        """The call of the plan with which the turn ended that is over at the row `end`."""
        for signal, row in self._signals_backward(without):
            if row < end and signal not in SAID:
                # The bit is that of its result, which is joined with it.
                undecided = signal == Signal.APPROVAL and self.has_unknown_outcome(row)
                return row if undecided else None
        return None

    def _last_signal(self, without: int) -> tuple[int, int]:
        """The last row that has a signal and none of the flags `without`: the signal, else 0; row.

        What a call or a request came to after the person had interrupted it leaves it interrupted,
        and what a call came to after its turn leaves the turn over. A turn that is over after a
        failure has failed; of failures in a row a limit counts, else the first. A command counts
        where no row before it has a signal.
        """
        late, call = (0, 0), self.end
        over = command = 0, 0
        for signal, row in self._signals_backward(without):
            if signal == Signal.COMMAND:
                command = signal, row
            elif late[0] in _FAILURES:
                if signal not in _FAILURES:
                    return (signal, row) if signal == Signal.INTERRUPTED else late
                # The first one says why, unless a limit is why.
                if signal == Signal.LIMITED or late[0] != Signal.LIMITED:
                    late = signal, row
            elif late[0] and (row <= call or signal == Signal.INTERRUPTED):
                return (signal, row) if row > call else late
            elif signal == Signal.OVER:
                late, over = (0, 0), over if over[0] else (signal, row)
            elif not late[0]:
                if signal not in _FAILURES and (over[0] or not self._is_result(row)):
                    return over if over[0] and signal != Signal.INTERRUPTED else (signal, row)
                late, call = (signal, row), row + min(self._link(row), 0)
        return next((found for found in (late, over) if found[0]), command)

    def end_before(self, row: int, without: int) -> int | None:
        """The end of a turn behind which only calls and results are, up to a row; None if none."""
        behind = (each for each in self._signals_backward(without) if each[1] <= row)
        for signal, other in islice(behind, _LATE):
            if signal == Signal.OVER:
                return other
            if signal != Signal.AGENT or not (self._is_result(other) or self.kind(other) in CALLS):
                return None
        return None

    def _signals_backward(self, without: int) -> Iterator[tuple[int, int]]:
        for segment in reversed(self._segments):
            for at in range(len(segment.signals) - 1, -1, -1):
                signal = segment.signals[at] & ~Signal.OUTCOME_UNKNOWN
                if signal and not segment.flags[at] & without & _HIDES[segment.kinds[at]]:
                    yield signal, segment.start + at

    def _is_result(self, row: int) -> bool:
        segment, at = self.find(row)
        return segment.kinds[at] == _RESULT

    def _link(self, row: int) -> int:
        segment, at = self.find(row)
        return segment.link(at)

    def first_of_record(self, row: int) -> int:
        """The first row of the record that a row is of."""
        offset = self.offset(row)
        while row > self.first and self.offset(row - 1) == offset:
            row -= 1
        return row

    def last_of_record(self, row: int) -> int:
        """The last row of the record that a row is of."""
        offset = self.offset(row)
        while row + 1 < self.end and self.offset(row + 1) == offset:
            row += 1
        return row

    def row_at_offset(self, offset: int) -> int | None:
        """The last row whose record begins at or before byte `offset`; None before the first."""
        at = bisect_right(self._bases, offset) - 1
        if at < 0:
            return None
        segment = self._segments[at]
        return segment.start + bisect_right(segment.offsets, offset - segment.base) - 1
