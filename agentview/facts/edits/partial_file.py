"""The known lines of one file: as they were before a session, and as they are now.

Lines that nobody has seen stand as gaps. A gap that is in both texts is the same lines in both, so
that what is learned of it later, also from a much later step, holds for the text before as well.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from agentview.domain.value import Value
from agentview.facts.edits.operations import FileStep, Uncertainty

ALIKE = 0.5
"""Part of the lines that two texts share from which on they are taken for versions of one file."""

_MOST_COMPARED = 4_000_000
"""Pairs of lines of one file that are compared at most to find where some belong."""

_DISTINCTIVE = 3
"""Letters and digits of a line from which on it may show where other lines belong."""


@dataclass(slots=True, eq=False)
class UnknownRange:
    """Lines that are not known; `count` is None where it is not known how many."""

    count: int | None = None
    cause: Uncertainty | None = None
    """Which step left it, or took away what stood in it."""


Item = str | UnknownRange


@dataclass(slots=True)
class FileVersion:
    """One text: lines without their ends, and gaps. `ended`: whether the last line has an end."""

    items: list[Item] = field(default_factory=lambda: list[Item]([]))
    ended: bool | None = None

    def lines(self) -> list[str] | None:
        """All lines; None when some are not known."""
        lines = [item for item in self.items if isinstance(item, str)]
        return lines if len(lines) == len(self.items) else None

    def runs(self, first: int = 0) -> Iterator[tuple[int, int]]:
        """Stretches of known lines from an item on: where each begins and ends."""
        start = first
        for index in range(first, len(self.items)):
            if isinstance(self.items[index], UnknownRange):
                if index > start:
                    yield start, index
                start = index + 1
        if len(self.items) > start:
            yield start, len(self.items)

    def known(self, start: int, stop: int) -> list[str]:
        return [item for item in self.items[start:stop] if isinstance(item, str)]

    def gaps(self) -> list[UnknownRange]:
        return [item for item in self.items if isinstance(item, UnknownRange)]


def split_text(text: str) -> tuple[list[str], bool]:
    """Lines without their ends, and whether the last one has an end."""
    lines = text.split("\n")
    if lines[-1]:
        return lines, False
    lines.pop()
    return lines, True


class FileChange(Value, gc=True):
    """Change of a file by a step, as far as its log shows: its text before and after.

    A range of unknown lines that is in both texts is the same lines in both.
    """

    step: FileStep
    before: tuple[Item, ...]
    after: tuple[Item, ...]
    added: frozenset[str] | None = None
    """The lines that it added, where they are recorded one by one."""


class PartialFile:
    """The two texts of a file. None of them is there while nothing of it is known."""

    def __init__(self) -> None:
        gap = UnknownRange()
        self.old = FileVersion([gap])
        self.new = FileVersion([gap])
        self._resolved: dict[int, tuple[UnknownRange, Sequence[Item]]] = {}
        """Ranges that have become known, by identity, and what they are."""
        self._returns: bool | None = None
        """Whether most lines end with a carriage return; None while none is known."""
        self._compared = 0

    def can_compare(self, pairs: int) -> bool:
        """True if so many more pairs of lines may be compared: a log may be made to take long."""
        self._compared += pairs
        return self._compared <= _MOST_COMPARED

    def resolve(self, gap: UnknownRange, items: Sequence[Item]) -> None:
        """Put what has become known in the place of a gap, in each text that has it."""
        self._resolved[id(gap)] = gap, tuple(items)
        for side in (self.old, self.new):
            for index, item in enumerate(side.items):
                if item is gap:
                    side.items[index : index + 1] = items
                    break

    def as_known(self, items: Iterable[Item]) -> Iterator[Item]:
        """A text as it was at some moment, with all that has become known of it since."""
        for item in items:
            found = None if isinstance(item, str) else self._resolved.get(id(item))
            if found is None:
                yield item
            else:
                yield from self.as_known(found[1])

    def start_new(self, lines: Sequence[str], ended: bool | None, cause: Uncertainty) -> None:
        """Write the whole text again; what is not known of the one before is lost by `cause`."""
        for gap in self.new.gaps():
            gap.cause = gap.cause or cause
        # Most lines of a text that is written again are those of the one before: kept once.
        kept = {item: item for item in self.old.items if isinstance(item, str)}
        self.new = FileVersion([kept.get(line, line) for line in lines], ended)
        self._returns = True if lines and lines[0].endswith("\r") else None

    def lose(self, cause: Uncertainty) -> None:
        """Forget the text as it is now: something changed it that is not known."""
        for gap in self.new.gaps():
            gap.cause = gap.cause or cause
        self.new = FileVersion([UnknownRange(None, cause)])

    def reveal(self, lines: Sequence[str], ended: bool | None) -> bool:
        """Learn the whole text as it is now; False when it is not what is known of it."""
        lines = self._with_returns(lines, ended)
        places = _fit(self.new.items, lines)
        if places is None:
            return False
        for gap, start, stop in places:
            self.resolve(gap, lines[start:stop])
        if ended is not None:
            if self.old.ended is None and self.new.ended is None:
                self.old.ended = ended
            self.new.ended = ended
        return True

    def reveal_old(self, lines: Sequence[str], ended: bool | None) -> bool:
        """Learn the whole text as it was before; False when it is not what is known of it."""
        places = _fit(self.old.items, lines)
        for gap, start, stop in places or ():
            self.resolve(gap, lines[start:stop])
        if places is not None and self.old.ended is None:
            self.old.ended = ended
        return places is not None

    def reveal_part(self, start: int, lines: Sequence[str]) -> bool:
        """Learn lines of the text as it is now, from line `start` on (1-based).

        False when they are not what is known of them.
        """
        if start < 1:
            return False
        rest = list(self._with_returns(lines))
        index, line = 0, 1
        while rest:
            found = self._item_at(index, line, start)
            if found is None:
                return False
            index, line = found
            item = self.new.items[index]
            if isinstance(item, str):
                if item != rest[0]:
                    return False
                index, line, start = index + 1, line + 1, start + 1
                del rest[0]
            elif item.count is None:
                self._fill_open(item, start - line, rest)
                return True
            else:
                taken = self._fill_counted(item, start - line, rest)
                start += taken
                del rest[:taken]
        return True

    def overwrite(self, start: int, lines: Sequence[str]) -> bool:
        """Put lines in the place of others that are known and like them; False when they are not.

        `start` is the line of the text as it is now that they begin with, 1-based.
        """
        found = self._item_at(0, 1, start)
        if found is None:
            return False
        there = self.new.items[found[0] : found[0] + len(lines)]
        known = [item for item in there if isinstance(item, str)]
        if len(known) < len(lines) or not alike(known, lines):
            return False
        self.replace(found[0], len(lines), lines)
        return True

    def _item_at(self, index: int, line: int, start: int) -> tuple[int, int] | None:
        """The item that line `start` is in, and the line that it begins with."""
        items = self.new.items
        while index < len(items):
            item = items[index]
            count = 1 if isinstance(item, str) else item.count
            if count is None or line + count > start:
                return index, line
            index, line = index + 1, line + count
        return None

    def _fill_open(self, gap: UnknownRange, before: int, lines: Sequence[str]) -> None:
        if self.attach(lines, behind=gap):
            return
        head = [UnknownRange(before)] if before else []
        self.resolve(gap, [*head, *lines, UnknownRange()])

    def _fill_counted(self, gap: UnknownRange, before: int, lines: Sequence[str]) -> int:
        taken = min(len(lines), (gap.count or 0) - before)
        after = (gap.count or 0) - before - taken
        head = [UnknownRange(before)] if before else []
        tail = [UnknownRange(after)] if after else []
        self.resolve(gap, [*head, *lines[:taken], *tail])
        return taken

    def find(self, lines: Sequence[str], start: int = 0) -> int | None:
        """Index of the item from `start` on where these lines stand one after the other."""
        items, wanted = self.new.items, list(lines)
        at = start
        for _ in range(max(1, _MOST_COMPARED // max(1, len(wanted)))):
            try:
                at = items.index(wanted[0], at)
            except ValueError:
                return None
            if items[at : at + len(wanted)] == wanted:
                return at
            at += 1
        return None

    def attach(self, lines: Sequence[str], behind: UnknownRange | None = None) -> bool:
        """Learn lines of the text as it is now that are next to known ones, or among them.

        They belong where most of them are known already, if the others fall into gaps. With
        `behind`, only runs behind that gap are looked at. False when they belong nowhere.
        """
        best: tuple[int, int, int, int] | None = None
        first = 0 if behind is None else self.new.items.index(behind)
        if not self.can_compare((len(self.new.items) - first) * len(lines)):
            return False
        for start, stop in self.new.runs(first):
            found = self._overlap(lines, start, stop)
            if found is not None and (best is None or found > best[:2]):
                best = (*found, start, stop)
        if best is None:
            return False
        _, offset, start, stop = best
        behind_run = lines[stop - start - offset :] if offset + len(lines) > stop - start else ()
        self._grow(start, stop, lines[:-offset] if offset < 0 else (), behind_run)
        return True

    def _overlap(self, lines: Sequence[str], start: int, stop: int) -> tuple[int, int] | None:
        """How many of the lines are in a run, and how far behind its first one they begin."""
        run = self.new.known(start, stop)
        room_before = self._room(start - 1)
        room_behind = self._room(stop)
        lowest = -min(len(lines) - 1, room_before)
        highest = len(run) - 1 if room_behind else len(run) - len(lines)
        best: tuple[int, int] | None = None
        for offset in range(lowest, highest + 1):
            first, last = max(0, offset), min(len(run), offset + len(lines))
            if offset + len(lines) - len(run) > room_behind or last - first <= (best or (0,))[0]:
                continue
            shared = run[first:last]
            if shared == list(lines[first - offset : last - offset]) and _is_distinctive(shared):
                best = (last - first, offset)
        return best

    def _room(self, index: int) -> int:
        """How many lines the gap at an index may hold; 0 where there is none."""
        if not 0 <= index < len(self.new.items):
            return 0
        item = self.new.items[index]
        if isinstance(item, str):
            return 0
        return 1 << 30 if item.count is None else item.count

    def _grow(self, start: int, stop: int, before: Sequence[str], behind: Sequence[str]) -> None:
        """Learn lines right before and right behind a run."""
        after = self.new.items[stop] if behind else None
        if isinstance(after, UnknownRange):
            self.resolve(after, [*behind, *_rest(after, len(behind))])
        ahead = self.new.items[start - 1] if before else None
        if isinstance(ahead, UnknownRange):
            self.resolve(ahead, [*_rest(ahead, len(before)), *before])

    def place_anywhere(self, lines: Sequence[str], after: int) -> int | None:
        """Add lines whose position is not known; return the index of the first one.

        They are put into the first gap of unknown length at or behind the item `after`, else into
        the first such gap; None if no gap has an unknown length.
        """
        items = self.new.items
        open_gaps = [
            index
            for index, item in enumerate(items)
            if isinstance(item, UnknownRange) and item.count is None and item.cause is None
        ]
        if not open_gaps:
            return None
        index = next((index for index in open_gaps if index >= after), open_gaps[0])
        gap = items[index]
        if isinstance(gap, UnknownRange):
            self.resolve(gap, [UnknownRange(), *lines, UnknownRange()])
        return index + 1

    def replace(self, index: int, count: int, lines: Sequence[str]) -> None:
        self.new.items[index : index + count] = lines

    def _with_returns(self, lines: Sequence[str], ended: bool | None = None) -> Sequence[str]:
        """The lines with carriage returns, where those that are known have them and these none.

        Where it is the other way round, those that are known get them.
        """
        given = sum(line.endswith("\r") for line in lines)
        if self._returns is None and lines:
            self._returns = 2 * given > len(lines)
        if not self._returns and 2 * given > len(lines):
            self._end_with_returns()
        return self.as_it_ends(lines, ended=ended)

    def _end_with_returns(self) -> None:
        if not self._returns:
            self._returns = True
            for side in (self.old, self.new):
                last = side.items[-1:] if side.ended is False else []
                items = side.items[: len(side.items) - len(last)]
                side.items = [*map(_returned, items), *last]

    def as_it_ends(
        self, lines: Sequence[str], like: Sequence[str] = (), *, ended: bool | None = None
    ) -> Sequence[str]:
        """Lines with carriage returns, where the file has them, and they and those `like` none."""
        if not self._returns or any(line.endswith("\r") for line in (*lines, *like)):
            return lines
        last = lines[-1:] if ended is False else ()
        return [*(line + "\r" for line in lines[: len(lines) - len(last)]), *last]

    def is_like(self, lines: Sequence[str]) -> bool:
        return alike(self.new.lines() or (), lines)


def _returned(item: Item) -> Item:
    return item if not isinstance(item, str) or item.endswith("\r") else item + "\r"


def alike(some: Sequence[str], others: Sequence[str]) -> bool:
    """Return True if two texts share enough lines to be versions of one file."""
    shared = Counter(some) & Counter(others)
    return shared.total() >= ALIKE * max(len(some), len(others))


def _rest(gap: UnknownRange, taken: int) -> list[UnknownRange]:
    """Return the remaining gap after some of its lines have become known."""
    if gap.count is None:
        return [UnknownRange(None, gap.cause)]
    return [UnknownRange(gap.count - taken, gap.cause)] if gap.count > taken else []


def _is_distinctive(lines: Sequence[str]) -> bool:
    """Return whether lines are unlikely to be in many places."""
    distinctive = [line for line in lines if sum(map(str.isalnum, line)) >= _DISTINCTIVE]
    return bool(distinctive) and (
        len(distinctive) > 1 or len(distinctive[0].strip()) > _DISTINCTIVE
    )


def _fit(items: Sequence[Item], lines: Sequence[str]) -> list[tuple[UnknownRange, int, int]] | None:
    """Which lines each gap stands for, if the items are the whole text; None if they are not."""
    places: list[tuple[UnknownRange, int, int]] = []
    position = index = 0
    while index < len(items):
        item = items[index]
        stop = index
        while stop < len(items) and isinstance(items[stop], str):
            stop += 1
        if isinstance(item, str):
            if list(items[index:stop]) != list(lines[position : position + stop - index]):
                return None
            position, index = position + stop - index, stop
            continue
        found = _end_of_gap(item, items[index + 1 :], lines, position)
        if found is None:
            return None
        places.append((item, position, found))
        position, index = found, index + 1
    return places if position == len(lines) else None


def _end_of_gap(
    gap: UnknownRange, behind: Sequence[Item], lines: Sequence[str], position: int
) -> int | None:
    """Where the lines of a gap end, judged by the lines that follow it."""
    if gap.count is not None:
        end = position + gap.count
        return end if end <= len(lines) else None
    stop = next(
        (at for at, item in enumerate(behind) if isinstance(item, UnknownRange)), len(behind)
    )
    run = list(behind[:stop])
    if not run:
        # Two gaps side by side: where one ends does not matter, as long as nothing stands between.
        return len(lines) if not behind else position
    last = stop == len(behind)
    candidates = (len(lines) - stop,) if last else range(position, len(lines) - stop + 1)
    for at in candidates:
        if at >= position and list(lines[at : at + stop]) == run:
            return at
    return None
