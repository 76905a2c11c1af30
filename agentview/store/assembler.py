"""Joins what belongs together by the keys on the events, in whatever order blocks are read.

Every rule compares row numbers, never the order of arrival, so that reading a log from its end
backwards gives the same rows as reading it from its beginning.
"""

from collections.abc import Iterable, Iterator, Sequence

from agentview.domain.activity import RowKind
from agentview.domain.outline import (
    KIND_CODES,
    KINDS,
    EventFact,
    Flag,
    RecordFacts,
    Role,
)
from agentview.domain.session import Stream
from agentview.domain.tools import ToolKind
from agentview.store.changes import RowsChanged
from agentview.store.keys import PART, KeyTable, cut_keys, pack_keys
from agentview.store.packets import Joins, Keys, Packet
from agentview.store.rows import PackedRows
from agentview.store.sparse import RowNumbers
from agentview.store.summary import Summary
from agentview.store.taking import Newest, Taken, sum_up, take_records

_HIDDEN = KIND_CODES[RowKind.HIDDEN]
_DROPPED = bytes(flags | Flag.BOOKKEEPING for flags in range(256))


class Assembler:
    """The only step with a memory: what has been seen, by key."""

    def __init__(self) -> None:
        self.rows = PackedRows()
        self.summary = Summary()
        self.progress = RowNumbers()
        """Call row -> row of its newest progress."""
        self.outcomes: dict[int, int] = {}
        """Call row -> row of the outcome that was reported later."""
        self.extra_results: dict[int, list[int]] = {}
        """Call row -> rows of the results after its first."""
        self.children: dict[Stream, int] = {}
        """Stream of another agent -> row of the call that started it."""
        self.child_calls: dict[Stream, str] = {}
        """Stream of another agent -> id of that call, where it is written beside the log."""
        self.agent_prompts: dict[str, list[int]] = {}
        """Beginning of a prompt given to another agent -> rows of the calls that gave it."""
        self._calls = KeyTable()
        self._waiting: dict[str, list[tuple[int, EventFact]]] = {}
        self._firsts = KeyTable()
        self._lasts = KeyTable()
        self._handed: Summary | None = None
        self._answered: set[str] = set()
        self._floor: int | None = None
        self._reach = -1
        self._touched: set[int] = set()
        self._told: set[int] = set()
        """Calls of which something is known since the last packet that no link tells."""

    def append(self, records: Iterable[RecordFacts]) -> RowsChanged:
        """Take records that follow the last one; those that are known already change nothing."""
        taken = take_records(record for record in records if record.offset > self._reach)
        places = taken.places
        if places:
            self._reach = places[-1].offset
        start = self.rows.append(places)
        self._assemble(start, taken)
        return RowsChanged(appended=len(places), updated=self._changes(start, self.rows.end))

    def prepend(self, records: Sequence[RecordFacts]) -> RowsChanged:
        """Take records in file order that come before the first one."""
        taken = take_records(records)
        places = taken.places
        start = self.rows.prepend(places)
        self._assemble(start, taken)
        return RowsChanged(prepended=len(places), updated=self._changes(start, start + len(places)))

    def absent(self, row: int) -> bool:
        """True for a row that stands nowhere: joined with another, a twin, bookkeeping."""
        if self._floor is not None and row < self._floor:
            return True
        return bool(self.rows.flags(row) & Flag.ABSENT)

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Kind codes and flags of rows, a byte each; an absent row has a bit of `Flag.ABSENT`."""
        kinds, flags = self.rows.codes(start, stop)
        below = 0 if self._floor is None else min(max(self._floor - start, 0), len(flags))
        return kinds, flags[:below].translate(_DROPPED) + flags[below:]

    def results(self, call: int) -> list[int]:
        """Rows of the results of a call, in file order."""
        first = self.rows.link(call)
        rows = () if first is None else (first, *self.extra_results.get(call, ()))
        return sorted(row for row in rows if not self.gone(row))

    def last_signal(self) -> int:
        """What the newest row of the main stream says about who has to act next."""
        return self.rows.last_signal(Flag.GONE | Flag.SIDE)

    def child_row(self, stream: Stream) -> int | None:
        """The row of the call that started the agent of `stream`."""
        known = self.children.get(stream)
        if known is not None or stream not in self.child_calls:
            return known
        return self._calls.get(self.child_calls[stream])

    def joined(self, row: int) -> list[int]:
        """Rows whose texts the activity of `row` shows beside its own; progress until its end."""
        if not isinstance(KINDS[self.rows.kind(row)], ToolKind):
            return []
        results = self.results(row)
        later = (None if results else self.progress.get(row), self.outcomes.get(row))
        return [*results, *(other for other in later if other is not None)]

    def reports(self) -> list[int]:
        """Rows of the newest progress of each call that has no result."""
        return [row for call, row in self.progress.items() if self.rows.link(call) is None]

    def joined_with(self, row: int) -> int | None:
        """The row of the call that shows what `row` says; None when no call does."""
        if isinstance(KINDS[self.rows.kind(row)], ToolKind):
            return None
        call = self.rows.link(row)
        return call if call is not None and row in self.joined(call) else None

    def call_row(self, call_id: str) -> int | None:
        """The row of a call, None when its record has not been read."""
        return self._calls.get(call_id)

    def packet(self, start: int, change: RowsChanged) -> Packet:
        """What has just been put in front, from byte `start` on, for another assembler."""
        rows = self.rows
        fresh = range(rows.first, rows.first + change.prepended)
        mine = frozenset((*fresh, *change.updated))
        told, self._told = self._told, set()
        return Packet(
            start,
            rows.front(change.prepended),
            [(row, rows.flags(row), rows.link(row)) for row in change.updated],
            Joins(
                {row: self.progress[row] for row in told if row in self.progress},
                {row: self.outcomes[row] for row in told if row in self.outcomes},
                {row: self.extra_results[row] for row in told if row in self.extra_results},
                {stream: row for stream, row in self.children.items() if row in mine},
                {prompt: rows for prompt, rows in self.agent_prompts.items() if mine & {*rows}},
                dict(self.summary.pending),
            ),
            self.summary.snapshot(),
        )

    def keys(self) -> Iterator[Keys]:
        """Rows by all keys that were seen, in parts; at least one."""
        packed = [pack_keys(t.table) for t in (self._calls, self._firsts, self._lasts)]
        count = max(1, *(-(-len(keys.hashes) // PART) for keys in packed))
        for part in range(count):
            calls, firsts, lasts = (cut_keys(keys, part) for keys in packed)
            yield Keys(calls, firsts, lasts, part, part == count - 1)

    def absorb(self, packet: Packet) -> RowsChanged:
        """Take over what another assembler has read in front of the rows that are here."""
        if self._handed is None:
            raise ValueError("take over nothing before `begin_absorbing`")
        came = self.rows.put_front(packet.segments)
        for row, flags, link in packet.touched:
            known = self.rows.flags(row) | flags
            moved = flags & Flag.TWIN and not flags & Flag.PROBLEM
            self.rows.set_flags(row, known & ~Flag.PROBLEM if moved else known)
            if link is not None and self.rows.link(row) is None:
                self.rows.set_link(row, link)
        joins = packet.joins
        for call, row in joins.progress.items():
            self.progress.setdefault(call, row)
        for call, row in joins.outcomes.items():
            self.outcomes.setdefault(call, row)
        for call, rows in joins.extra_results.items():
            self.extra_results.setdefault(call, rows)
        self.children.update(joins.children)
        self.agent_prompts.update(joins.agent_prompts)
        for call_id, waiting in joins.waiting.items():
            if call_id not in self._answered:
                self._calls.table.setdefault(call_id, waiting.row)
                self.summary.pending.setdefault(call_id, waiting)
        self._join_waiting()
        self.summary.rebase(self._handed, packet.summary)
        self._handed = packet.summary
        self._touched.update(row for row, _, _ in packet.touched)
        return RowsChanged(prepended=came, updated=self._changes(0, 0))

    def settle(self) -> None:
        """Pack keys that are no longer recent; only once nothing more comes from a child."""
        self._answered.clear()
        for table in (self._calls, self._firsts, self._lasts):
            table.settle()

    def begin_absorbing(self) -> None:
        """Remember what is counted already of the rows that packets will tell of again."""
        self._handed = self.summary.snapshot()

    def absorb_keys(self, keys: Keys) -> RowsChanged:
        """Take over keys of all that was handed over, and join at last what waited for them."""
        for table, packed in zip((self._calls, self._firsts, self._lasts), keys[:3], strict=True):
            if keys.part == 0:
                table.forget_packed()
            table.pack(packed)
        if not keys.last:
            return RowsChanged()
        for key, row in self._firsts.table.items():
            known = self._firsts.packed_row(key)
            if known is not None and known < row:
                self._mark(row, Flag.TWIN)
        for key, row in self._lasts.table.items():
            known = self._lasts.packed_row(key)
            if known is not None and known < row:
                self._mark(known, Flag.REPLACED)
        # Last, since a row that has just given way is joined with nothing.
        self._join_waiting()
        return RowsChanged(updated=self._changes(0, 0))

    def _join_waiting(self) -> None:
        for key in [key for key in self._waiting if self._calls.get(key) is not None]:
            for row, fact in self._waiting.pop(key):
                self._join(self._calls.get(key) or 0, row, fact)

    def _changes(self, start: int, end: int) -> tuple[int, ...]:
        """Rows touched since the last change, without those that are new."""
        touched = sorted(row for row in self._touched if not start <= row < end)
        self._touched.clear()
        return tuple(touched)

    def _assemble(self, start: int, taken: Taken) -> None:
        """Count and join new rows, which begin at `start`."""
        newest: Newest = {}
        claim, add, place = self._firsts.claimer(), self.summary.add, self._place
        for row, fact in enumerate(taken.facts, start):
            key = fact.dedupe
            known = row if key is None else claim(key, row)
            if (known != row or fact.replaces is not None) and not self._keeps(row, known, fact):
                continue
            if fact.flags != Flag.BOOKKEEPING:
                add(row, fact)
            facts = fact.facts
            if facts is not None:
                newest[id(facts)] = (row, facts)
            if fact.role or fact.replaces_all:
                place(row, fact)
        sum_up(self.summary, start, taken, newest)

    def _place(self, row: int, fact: EventFact) -> None:
        if fact.replaces_all and (self._floor is None or row > self._floor):
            self._floor = row
        if fact.role == Role.CALL and fact.key is not None:
            self._call(row, fact, fact.key)
        elif fact.key is not None:
            call = self._calls.get(fact.key)
            if call is None:
                self._waiting.setdefault(fact.key, []).append((row, fact))
            else:
                self._join(call, row, fact)

    def _call(self, row: int, fact: EventFact, key: str) -> None:
        known = self._calls.claimer()(key, row)
        if known == row and key not in self._waiting:
            self._begin(row, fact)
            self.summary.asked(key, row, fact)
            return
        if known < row and not self.gone(known):
            self._mark(row, Flag.TWIN)
            return
        if known != row:
            self._mark(known, Flag.TWIN)
            self._move(known, row)
        self._calls.table[key] = row
        self._begin(row, fact)
        for other, waiting in self._waiting.pop(key, ()):
            self._join(row, other, waiting)
        self._set_problem(row)
        if not self.results(row):
            self.summary.asked(key, row, fact)

    def _begin(self, row: int, fact: EventFact) -> None:
        """Remember which agent a call started, as far as it tells."""
        if fact.prompt is not None:
            self.agent_prompts.setdefault(fact.prompt, []).append(row)
        if fact.child is not None:
            self.children[fact.child] = row

    def _move(self, old: int, new: int) -> None:
        """Hand what was joined with a call to the record of the same call that counts."""
        # Whether a result failed is told by the row that it is joined with, and by no other.
        self.rows.set_flags(old, self.rows.flags(old) & ~Flag.PROBLEM)
        first = self.rows.link(old)
        if first is not None:
            self.rows.set_link(new, first)
            for result in (first, *self.extra_results.get(old, ())):
                self.rows.set_link(result, new)
            self.rows.set_link(old, None)
        for latest in (self.progress, self.outcomes):
            if old in latest:
                latest[new] = latest.pop(old)
                self._told.add(new)
                self.rows.set_link(latest[new], new)
        if old in self.extra_results:
            self.extra_results[new] = self.extra_results.pop(old)
            self._told.add(new)
        for stream in [stream for stream, row in self.children.items() if row == old]:
            self.children[stream] = new

    def _join(self, call: int, row: int, fact: EventFact) -> None:
        segment, at = self.rows.find(row)
        flags, distance = segment.flags[at], segment.link(at)
        if flags & Flag.GONE or (distance and row + distance == call):
            return
        if fact.child is not None:
            self.children[fact.child] = call
        if fact.role == Role.RESULT:
            self._join_result(call, row, flags)
            self.summary.answered(fact.key or "")
            self._answered.add(fact.key or "")
        elif fact.role == Role.PROGRESS:
            self._join_latest(self.progress, call, row)
        else:
            self._join_latest(self.outcomes, call, row)
        segment.set_link(at, call - row)
        if fact.role != Role.OUTCOME and not flags & Flag.JOINED:
            segment.flags[at] = flags | Flag.JOINED
            if not flags & Flag.ABSENT:
                self.summary.left(row, segment.kinds[at], flags)
            self._touched.add(row)
        self._touched.add(call)

    def _join_latest(self, latest: dict[int, int] | RowNumbers, call: int, row: int) -> None:
        known = latest.get(call)
        latest[call] = row if known is None or self.gone(known) else max(row, known)
        self._told.add(call)

    def _join_result(self, call: int, row: int, flags: int) -> None:
        segment, at = self.rows.find(call)
        if not segment.link(at):
            segment.set_link(at, row - call)
            if not (flags | segment.flags[at]) & Flag.PROBLEM:
                return
        else:
            self.extra_results.setdefault(call, []).append(row)
            self._told.add(call)
        self._set_problem(call)

    def _set_problem(self, call: int) -> None:
        """Make a call a problem exactly while one of its results is."""
        flags = self.rows.flags(call)
        failed = any(self.rows.flags(row) & Flag.PROBLEM for row in self.results(call))
        if failed != bool(flags & Flag.PROBLEM):
            self.rows.set_flags(call, flags ^ Flag.PROBLEM)
            if not flags & Flag.ABSENT:
                self.summary.problem(1 if failed else -1)

    def gone(self, row: int) -> bool:
        """True when another row says what this one said."""
        return bool(self.rows.flags(row) & Flag.GONE)

    def _keeps(self, row: int, first: int, fact: EventFact) -> bool:
        """Whether the row counts, given others that say the same or take its place.

        `first` is the row that had the key of those that say the same, else the row itself.
        """
        if first < row:
            self._pass_over(row, Flag.TWIN)
            return False
        if first > row and fact.dedupe is not None:
            self._mark(first, Flag.TWIN)
            self._firsts.table[fact.dedupe] = row
        if fact.replaces is None:
            return True
        last = self._lasts.claimer()(fact.replaces, row)
        if last > row:
            self._pass_over(row, Flag.REPLACED)
            return False
        if last < row:
            self._mark(last, Flag.REPLACED)
            self._lasts.table[fact.replaces] = row
        return True

    def _pass_over(self, row: int, flag: int) -> None:
        """Mark a new row that has not been counted and never will be."""
        self.rows.set_flags(row, self.rows.flags(row) | flag)

    def _mark(self, row: int, flag: int) -> None:
        flags = self.rows.flags(row)
        if flags & flag:
            return
        self.rows.set_flags(row, flags | flag)
        if not flags & Flag.ABSENT:
            self.summary.left(row, self.rows.kind(row), flags)
        self._touched.add(row)
        call = self.rows.link(row)
        if flag & Flag.GONE and flags & Flag.JOINED and call is not None:
            self._set_problem(call)
