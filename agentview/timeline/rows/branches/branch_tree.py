"""Branches of a conversation: what it went back behind is abandoned, and stays in the log.

Rows from the first one that was given behind the place that the conversation went back to, up to
where it continues, are a branch. Which branches are abandoned follows from all forks together: from
the newest row back, each fork leaves out the rows between it and the place where it continues. So
the order in which blocks of a log are read does not matter.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from agentview.domain.activity import RowKind
from agentview.domain.events import Rewind
from agentview.domain.index_entry import KIND_CODES, EventFact, Flag
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.timeline.rows.branches.lineage import Lineage
from agentview.timeline.rows.branches.parallel import Fork, parallel
from agentview.timeline.rows.branches.repeated_history import RepeatedHistory
from agentview.timeline.rows.tables.row_table import PackedRows


def rows_outside(
    ranges: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]
) -> Iterator[int]:
    """Rows of some ranges that are in none of the others; both in order, without overlap."""
    at = 0
    for start, stop in ranges:
        row = start
        while row < stop:
            while at < len(others) and others[at][1] <= row:
                at += 1
            if at < len(others) and others[at][0] <= row:
                row = others[at][1]
                continue
            edge = min(stop, others[at][0]) if at < len(others) else stop
            yield from range(row, edge)
            row = edge


_USER, _COMMAND = KIND_CODES[RowKind.USER], KIND_CODES[RowKind.COMMAND]
_CALLS = frozenset(KIND_CODES[kind] for kind in ToolKind)
_ANSWERS = _CALLS | {KIND_CODES[kind] for kind in (RowKind.MESSAGE, RowKind.REASONING)}
_IS_GIVEN = bytes(code in (_USER, _COMMAND) for code in range(256))
_IS_SPOKEN = bytes(code == _USER or code in _ANSWERS for code in range(256))
_IS_ANSWER = bytes(code in _ANSWERS for code in range(256))
_IS_CALL = bytes(code in _CALLS for code in range(256))
_IN_MAIN = bytes(not flags & (Flag.SIDE | Flag.SUPERSEDED) for flags in range(256))
_IS_TURN = bytes(bool(flags & Flag.TURN) and not flags & Flag.SUPERSEDED for flags in range(256))
_STANDS = bytes(not flags & Flag.ABSENT & ~Flag.REWOUND for flags in range(256))
_CHUNK = 4096


class Branch(Value):
    """An abandoned branch: rows from `start` to `stop` - 1; others may be nested in it."""

    start: int
    stop: int
    """The row that the conversation continues with, behind the fork."""
    head: int
    """The first row that says something: where the fork is shown."""


class BranchCounts(Value):
    """Counts of an abandoned branch."""

    prompts: int
    calls: int


class BranchFacts(Value):
    """Facts of one process on branches, for another one that takes its rows over."""

    links: dict[int, int]
    rewinds: dict[int, Rewind]
    marks: set[int]
    roots: set[int]
    unchained: int
    relays: dict[str, str]
    marked: list[tuple[int, int]]
    prompts: dict[int, int]


class Branches:
    """Finds the abandoned branches and marks their rows.

    `mark` and `unmark` set and remove `Flag.REWOUND` and keep the counts; `touch` says that a row
    shows something else; `row_of` finds the row of
    a `replaces` key, `find` the last row of a record by its id.
    """

    def __init__(
        self,
        rows: PackedRows,
        mark: Callable[[int], None],
        unmark: Callable[[int], None],
        touch: Callable[[int], None],
        row_of: Callable[[str], int | None],
        find: Callable[[str], int | None],
    ) -> None:
        self.lineage = Lineage(find)
        self.version = 0
        """Changes with the branches."""
        self.held = False
        """Rows have come whose keys are still to come: nothing is decided until then."""
        self.stale = False
        """A prompt gave way to another record: how many were taken back is counted again."""
        self._rows = rows
        self._mark = mark
        self._unmark = unmark
        self._touch = touch
        self._row_of = row_of
        self._find = find
        self._rewinds: dict[int, Rewind] = {}
        self._marks: set[int] = set()
        """Rows of records that say behind which other one the conversation continues."""
        self._forks: list[int] = []
        self._switches: list[int] = []
        """Those of the forks that a parent shows."""
        self._aside = False
        """The newest fork has no answer yet: what comes next decides."""
        self._marked: list[tuple[int, int]] = []
        self._starts: dict[int, int | None] = {}
        self.repeated_history = RepeatedHistory(
            rows, lambda start, stop: self._first(_IS_ANSWER, start, stop, by_tool=True) is not None
        )

    def take(self, start: int, facts: Sequence[EventFact], *, front: bool) -> None:
        """Take new rows, which begin at `start`; `advance` says what they leave behind."""
        before = len(self.lineage.links), len(self.lineage.roots)
        self.lineage.take(start, facts, front=front)
        self.stale |= self._aside or before != (len(self.lineage.links), len(self.lineage.roots))

    def add(self, row: int, rewind: Rewind) -> None:
        """The conversation went back at `row`, as its record says."""
        self.stale = True
        if rewind.after is None:
            self._rewinds[row] = rewind
            return
        self._marks.add(row)
        found = self._find(rewind.after)
        if found is None:
            self.lineage.wait(row, rewind.after)
        elif found < row:
            self.lineage.links[row] = found

    def advance(self, *, front: bool = False) -> None:
        """Mark the rows of abandoned branches as far as they are known, and no others.

        `front`: rows came in front of all others, which every fork may reach back to.
        """
        lineage = self.lineage
        if self.held or not (self.stale or (front and (self._forks or lineage.waiting))):
            return
        self.stale = self._aside = False
        roots = set[int]() if lineage.unchained else lineage.roots
        self._switches = self._found_switches()
        parallel = self._parallel(sorted({*self._switches, *roots}))
        self._switches = [row for row in self._switches if row not in parallel]
        forks = sorted({*self._switches, *roots, *self._rewinds} - parallel)
        # A record that is written again forks nothing.
        self._forks = [row for row in forks if not self._rows.flags(row) & Flag.SUPERSEDED]
        self._compare(front=front)
        self._starts = {}
        found = self._abandoned(self._rows.end)
        before, heads = self._marked, {each.head for each in self.branches()}
        for row in rows_outside(before, found):
            self._unmark(row)
        for row in rows_outside(found, before):
            self._mark(row)
        self._marked = found
        self.version += 1
        for row in heads ^ {each.head for each in self.branches()}:
            self._touch(row)

    def _compare(self, *, front: bool) -> None:
        """Examine histories that were written again: in file order, as one changes what counts."""
        known = self.repeated_history.starts
        repeated = [row for row in self._forks if self._is_repeated(row)]
        if front or list(known) != repeated[: len(known)]:
            self.repeated_history.forget()
        self._starts = {}
        for row in repeated[len(known) :]:
            start = self._keyed_start(row, self._rewinds[row].key or "")
            self.repeated_history.compare(start, row, self._chain(start))

    def release(self) -> None:
        """All keys are known: decide what waited for them."""
        self.held = False
        self.stale = True
        self.repeated_history.forget()
        self.lineage.resolve()

    def branches(self) -> list[Branch]:
        """The abandoned branches that have something to show, in order; none is inside another."""
        found = (self._branch(start, stop) for start, stop in self._marked)
        return [branch for branch in found if branch is not None]

    def places(self) -> list[tuple[int, int]]:
        """Byte ranges of the abandoned branches, in order."""
        offset = self._rows.offset
        return [(offset(each.start), offset(each.stop)) for each in self.branches()]

    def branch(self, row: int) -> Branch | None:
        """The abandoned branch that a row is part of; None for a row of the active one."""
        at = bisect_right(self._marked, (row, self._rows.end)) - 1
        if at < 0 or not self._marked[at][0] <= row < self._marked[at][1]:
            return None
        return self._branch(*self._marked[at])

    def counts(self, branch: Branch) -> BranchCounts:
        """Prompts and calls of an abandoned branch."""
        prompts = calls = 0
        at = branch.start
        for first, behind in (*self.copies(branch), (branch.stop, branch.stop)):
            counted = self._counted(at, first)
            prompts, calls, at = prompts + counted.prompts, calls + counted.calls, behind
        return BranchCounts(prompts, calls)

    def copies(self, branch: Branch) -> list[tuple[int, int]]:
        return self.repeated_history.copies(branch.start, branch.stop)

    def _counted(self, start: int, stop: int) -> BranchCounts:
        prompts = calls = 0
        for begin in range(start, stop, _CHUNK):
            kinds, flags = self._rows.codes(begin, min(begin + _CHUNK, stop))
            standing = int.from_bytes(flags.translate(_STANDS))
            turns = int.from_bytes(flags.translate(_IS_TURN))
            prompts += (standing & turns).bit_count()
            calls += (standing & int.from_bytes(kinds.translate(_IS_CALL))).bit_count()
        return BranchCounts(prompts, calls)

    def facts(self) -> BranchFacts:
        """Return the known facts, for another process."""
        lineage = self.lineage
        return BranchFacts(
            dict(lineage.links),
            dict(self._rewinds),
            set(self._marks),
            set(lineage.roots),
            lineage.unchained,
            dict(lineage.relays),
            list(self._marked),
            dict(self.repeated_history.prompts),
        )

    def absorb(self, facts: BranchFacts) -> None:
        """Take over what another process knows of the rows before those that are followed here."""
        lineage = self.lineage
        lineage.links.update(facts.links)
        self._rewinds.update(facts.rewinds)
        self._marks |= facts.marks
        self.repeated_history.absorb(facts.prompts)
        lineage.roots |= facts.roots
        lineage.relays.update(facts.relays)
        lineage.unchained = max(lineage.unchained, facts.unchained)
        for row in facts.links:
            lineage.waiting.pop(row, None)
        self._marked = facts.marked
        self.version += 1

    def _branch(self, start: int, stop: int) -> Branch | None:
        head = self._first_given(start, stop)
        if head is None or self._is_repeated(stop):
            return None
        return Branch(start, stop, head)

    def _first_given(self, start: int, stop: int) -> int | None:
        """The row that shows what a person gave first; else the first that shows anything."""
        first = self._first(_STANDS, start, stop)
        given = None if first is None else self._first(_IS_GIVEN, first, stop, by_tool=True)
        return first if given is None or not self._stands(given) else given

    def _stands(self, row: int) -> bool:
        return bool(_STANDS[self._rows.flags(row)])

    def _abandoned(self, end: int) -> list[tuple[int, int]]:
        """Ranges of rows that are abandoned as seen from before row `end`, in order."""
        return sorted((start, fork) for start, fork in self._chain(end))

    def _chain(self, end: int) -> Iterator[tuple[int, int]]:
        """From row `end` back: what each fork on the way leaves out."""
        forks = self._forks
        at = bisect_left(forks, end)
        while at:
            fork = forks[at - 1]
            start = self._start(fork, end)
            if start is None or start >= fork:
                at -= 1
                continue
            yield start, fork
            end = start
            if self._is_repeated(fork) and start in self.repeated_history.left:
                end = self.repeated_history.left[start]
                yield end, start
            at = bisect_left(forks, end)

    def _start(self, fork: int, end: int) -> int | None:
        """The row from which on, up to `fork`, all is abandoned by it."""
        if end == self._rows.end and fork not in self._rewinds and self._is_aside(fork, end):
            self._aside = True
            return None
        if fork not in self._starts:
            self._starts[fork] = self._found_start(fork)
        return self._starts[fork]

    def _is_aside(self, fork: int, end: int) -> bool:
        """True if nothing but commands of the person is behind a fork: no answer continues there.

        Behind a prompt without a parent, which others may have added to a log, there must be one.
        """
        if fork in self._marks:
            return False
        wanted = _IS_ANSWER if fork in self.lineage.roots else _IS_SPOKEN
        return self._first(wanted, fork, end, by_tool=True) is None

    def _found_start(self, fork: int) -> int | None:
        rewind = self._rewinds.get(fork)
        if rewind is None:
            return self._linked_start(fork)
        if rewind.repeats:
            return self.repeated_history.starts[fork]
        if rewind.key is not None:
            return self._keyed_start(fork, rewind.key)
        return self._counted_start(fork, rewind.turns or 0)

    def _keyed_start(self, fork: int, key: str) -> int:
        found = self._row_of(key)
        return self._rows.first if found is None or found >= fork else found

    def _is_repeated(self, fork: int) -> bool:
        rewind = self._rewinds.get(fork)
        return rewind is not None and rewind.repeats

    def _linked_start(self, fork: int) -> int | None:
        """Return the next prompt behind the parent, where it was answered or asked for one."""
        parent = self.lineage.links.get(fork, self._rows.first - 1)
        if fork not in self._marks and self._is_marked(parent, fork):
            return None
        start = self._begins(parent, fork)
        if start is None or self._first(_IS_SPOKEN, start, fork, by_tool=True) is None:
            return None
        return start

    def _is_marked(self, parent: int, fork: int) -> bool:
        """Return whether the record before a prompt says that it continues at `parent`."""
        facts = [row for row in self._marks if row < fork and self.lineage.links.get(row) == parent]
        return bool(facts) and self._begins(max(facts), fork) is None

    def _begins(self, parent: int, fork: int) -> int | None:
        """The first row of the segment that begins next behind `parent`; None up to `fork`."""
        first = (self._given(parent, fork), _next(self._switches, parent, fork))
        found = min((row for row in first if row is not None), default=None)
        found = self._cut(parent, fork) if found is None else found
        return None if found is None else self._rows.first_of_record(found)

    def _cut(self, parent: int, fork: int) -> int | None:
        """The first row said behind `parent`, where the record of `fork` itself goes back to it."""
        if fork not in self._marks:
            return None
        return self._first(_IS_SPOKEN, parent + 1, fork, by_tool=True)

    def _counted_start(self, fork: int, turns: int) -> int:
        """The row of the prompt that is number `turns` before a fork, of those that count there."""
        end = fork
        for start, inner in (*self._chain(fork), (self._rows.first, self._rows.first)):
            for row in self._backward(_IS_TURN, inner, end):
                turns -= 1
                if turns <= 0:
                    return row
            end = start
        return self._rows.first

    def _found_switches(self) -> list[int]:
        """Records that go on in another segment than the one they follow on; forgets the others."""
        lineage, found = self.lineage, list[int]()
        unsure = sorted((*lineage.waiting, *lineage.links))
        for row in sorted(lineage.links):
            parent = lineage.links[row]
            begins = self._given(parent, row), _next(found, parent, row), self._cut(parent, row)
            if any(each is not None for each in begins):
                found.append(row)
            elif _next(unsure, parent, row) is None:
                del lineage.links[row]
        return found

    def _parallel(self, forks: Sequence[int]) -> set[int]:
        """Rows of forks whose both branches go on; where the format marks a fork, that decides."""
        return parallel(map(self._as_fork, (row for row in forks if row not in self._marks)))

    def _as_fork(self, row: int) -> Fork:
        parent = self.lineage.links.get(row)
        given = self._is_given(row)
        start = self._begins(self._rows.first - 1 if parent is None else parent, row)
        return Fork(row, parent, start, given, not given and self._works(row))

    def _is_given(self, fork: int) -> bool:
        """Return whether a person gave the record of a fork."""
        stop = self._rows.last_of_record(fork) + 1
        return self._first(_IS_GIVEN, fork, stop, by_tool=True) is not None

    def _works(self, fork: int) -> bool:
        """Return whether the model says anything before a person does; results alone end a call."""
        given = self._given(fork, self._rows.end)
        switch = _next(self._switches, fork, self._rows.end)
        stop = min(row for row in (given, switch, self._rows.end) if row is not None)
        return self._first(_IS_ANSWER, fork, stop, by_tool=True) is not None

    def _given(self, parent: int, fork: int) -> int | None:
        """The first row behind `parent` that a person gave; None up to `fork`."""
        return self._first(_IS_GIVEN, parent + 1, fork, by_tool=True)

    def _first(self, wanted: bytes, start: int, stop: int, *, by_tool: bool = False) -> int | None:
        """The first row of the main stream that is wanted, by its kind or by its flags."""
        for begin in range(max(start, self._rows.first), stop, _CHUNK):
            kinds, flags = self._rows.codes(begin, min(begin + _CHUNK, stop))
            mask = int.from_bytes(flags.translate(_IN_MAIN), "little")
            mask &= int.from_bytes((kinds if by_tool else flags).translate(wanted), "little")
            if mask:
                return begin + ((mask & -mask).bit_length() - 1) // 8
        return None

    def _backward(self, wanted: bytes, start: int, stop: int) -> Iterator[int]:
        while stop > start:
            begin = max(start, stop - _CHUNK)
            found = self._rows.codes(begin, stop)[1].translate(wanted)
            at = found.rfind(1)
            while at >= 0:
                yield begin + at
                at = found.rfind(1, 0, at)
            stop = begin


def _next(rows: Sequence[int], after: int, before: int) -> int | None:
    """The first of some rows in order that lies between two others."""
    at = bisect_right(rows, after)
    return rows[at] if at < len(rows) and rows[at] < before else None
