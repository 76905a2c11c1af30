"""Packed rows: 17 bytes each, numbered for good, growing at both ends."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

SEGMENT_ROWS = 2048
_FAR = (1 << 32) - 1


class Place(NamedTuple):
    """A row before it is packed: byte range of its record and its event's number in it."""

    offset: int
    length: int
    sub: int
    kind: int
    flags: int
    signal: int = 0


class Segment:
    """At most SEGMENT_ROWS rows whose records lie within 4 GiB of the first one's offset."""

    __slots__ = (
        "base",
        "flags",
        "kinds",
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
        self.offsets = array("I", [place.offset - self.base for place in places])
        self.lengths = array("I", [min(place.length, _FAR) for place in places])
        self.subs = array("H", [min(place.sub, 0xFFFF) for place in places])
        self.kinds = bytearray(place.kind for place in places)
        self.flags = bytearray(place.flags for place in places)
        self.signals = bytearray(place.signal for place in places)
        self.links = array("i", bytes(4 * len(places)))

    def takes(self, place: Place) -> bool:
        """Say whether there is room for one more row, at that place."""
        return len(self.kinds) < SEGMENT_ROWS and 0 <= place.offset - self.base <= _FAR

    def append(self, place: Place) -> None:
        """Add a row that it takes."""
        self.offsets.append(place.offset - self.base)
        self.lengths.append(min(place.length, _FAR))
        self.subs.append(min(place.sub, 0xFFFF))
        self.kinds.append(place.kind)
        self.flags.append(place.flags)
        self.signals.append(place.signal)
        self.links.append(0)


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

    def append(self, places: Iterable[Place]) -> int:
        """Add rows behind the last; returns the number of the first added."""
        start = self.end
        fresh: list[Place] = []
        for place in places:
            last = self._segments[-1] if self._segments else None
            if not fresh and last is not None and last.takes(place):
                last.append(place)
                self.end += 1
            else:
                fresh.append(place)
        for segment in _segments(self.end, fresh):
            self._segments.append(segment)
            self._starts.append(segment.start)
        self.end += len(fresh)
        return start

    def prepend(self, places: Sequence[Place]) -> int:
        """Add rows in front of the first, in file order; returns the number of the first added."""
        self.first -= len(places)
        fresh = _segments(self.first, places)
        self._segments[:0] = fresh
        self._starts[:0] = [segment.start for segment in fresh]
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
        return before - self.first

    def _find(self, row: int) -> tuple[Segment, int]:
        if not self.first <= row < self.end:
            raise IndexError(row)
        segment = self._segments[bisect_right(self._starts, row) - 1]
        return segment, row - segment.start

    def place(self, row: int) -> Place:
        """Where the row's record is, and what the row is. Raises IndexError for no such row."""
        segment, at = self._find(row)
        return Place(
            segment.base + segment.offsets[at],
            segment.lengths[at],
            segment.subs[at],
            segment.kinds[at],
            segment.flags[at],
            segment.signals[at],
        )

    def kind(self, row: int) -> int:
        """Kind code of the row."""
        segment, at = self._find(row)
        return segment.kinds[at]

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

    def flags(self, row: int) -> int:
        """Flags of the row."""
        segment, at = self._find(row)
        return segment.flags[at]

    def set_flags(self, row: int, flags: int) -> None:
        """Replace the flags of the row."""
        segment, at = self._find(row)
        segment.flags[at] = flags

    def link(self, row: int) -> int | None:
        """Number of the row that this one is joined with, None when there is none."""
        segment, at = self._find(row)
        distance = segment.links[at]
        return row + distance if distance else None

    def set_link(self, row: int, other: int | None) -> None:
        """Join the row with another, or undo it."""
        segment, at = self._find(row)
        segment.links[at] = 0 if other is None else other - row

    def last_signal(self, without: int) -> int:
        """The signal of the last row that has one and none of the flags `without`; else 0."""
        for segment in reversed(self._segments):
            for at in range(len(segment.signals) - 1, -1, -1):
                if segment.signals[at] and not segment.flags[at] & without:
                    return segment.signals[at]
        return 0

    def row_at_offset(self, offset: int) -> int | None:
        """The last row whose record begins at or before byte `offset`; None before the first."""
        segments = self._segments
        at = bisect_right(segments, offset, key=lambda segment: segment.base) - 1
        if at < 0:
            return None
        segment = segments[at]
        return segment.start + bisect_right(segment.offsets, offset - segment.base) - 1
