"""Joins what belongs together by the keys on the events, in whatever order blocks are read.

Every rule compares row numbers, never the order of arrival, so that reading a log from its end
backwards gives the same rows as reading it from its beginning.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Self

from agentview.domain.activity import RowKind
from agentview.domain.events import Event, Rewind
from agentview.domain.index_entry import (
    KIND_CODES,
    KINDS,
    EventFact,
    Flag,
    RecordFacts,
    Role,
)
from agentview.domain.session import Stream
from agentview.domain.tools import ToolCall, ToolKind
from agentview.providers.base import Provider
from agentview.store.applied_record import AppliedRecord, Newest, sum_up, take_records
from agentview.store.branches.abandoned import ExcludedRows
from agentview.store.branches.branch_tree import Branches
from agentview.store.changes import RowsChanged
from agentview.store.links import RowLinkFacts, RowLinks
from agentview.store.packets import Joins, Keys, Packet
from agentview.store.session_summary import Pending, Summary
from agentview.store.tables.key_table import PART, KeyTable, cut_keys
from agentview.store.tables.row_table import PackedRows
from agentview.store.tables.sparse_array import SparseIntMap

RecordKeys = Callable[[str], Sequence[str]]
"""Gives the keys that the first event of a record may have, by the record's id."""

_Facts = Sequence[EventFact]
_Rewinds = Sequence[tuple[int, Rewind]]
_HIDDEN = KIND_CODES[RowKind.HIDDEN]
_DROPPED = bytes(flags | Flag.BOOKKEEPING for flags in range(256))


class Assembler:
    """The only step with a memory: rows, what joins them, and what they come to."""

    def __init__(
        self, *, has_linked_events: bool = False, record_keys: RecordKeys | None = None
    ) -> None:
        """`has_linked_events` and `record_keys` as the provider's contract has them."""
        self.rows = PackedRows()
        self.summary = Summary()
        self._aside = ExcludedRows(self.summary)
        self.progress = SparseIntMap()
        """Call row -> row of its newest progress."""
        self.outcomes: dict[int, list[int]] = {}
        """Call row -> rows of the outcomes that were reported later."""
        self.extra_results: dict[int, list[int]] = {}
        """Call row -> rows of the results after its first."""
        self.children: dict[Stream, int] = {}
        """Stream of another agent -> row of the call that started it."""
        self.child_calls: dict[Stream, str] = {}
        """Stream of another agent -> id of that call, where it is written next to the log."""
        self.child_runs: dict[Stream, Stream] = {}
        """Stream of another agent -> the run that it is a part of."""
        self.agent_prompts: dict[str, list[int]] = {}
        """Beginning of a prompt given to another agent -> rows of the calls that gave it."""
        self.ties: RowLinks | None = None
        """What joins rows besides keys; None for a log that has no such thing."""
        self._calls = KeyTable()
        self._waiting: dict[str, list[tuple[int, EventFact]]] = {}
        self._firsts = KeyTable()
        self._lasts = KeyTable()
        self._handed: Summary | None = None
        self._answered: set[str] = set()
        self.floor: int | None = None
        self._reach = -1
        self._judged: set[int] = set()
        """Calls that were counted as problems here while another process reads them."""
        self._touched: set[int] = set()
        self._changed_calls: set[int] = set()
        """Calls that have changed since the last packet in a way that no link shows."""
        self._record_keys = record_keys
        take = (self._abandon, self._take_back, self._touch)
        self.branches = Branches(self.rows, *take, self._lasts.get, self._last_row_of)
        if has_linked_events:
            self.ties = RowLinks(
                self.rows, mark=self._mark, touch=self._touch, recount=self._recount
            )

    @classmethod
    def of(cls, provider: Provider) -> Self:
        """An empty one for logs of a provider."""
        keys = provider.reading.record_keys
        return cls(has_linked_events=provider.has_linked_events, record_keys=keys)

    def append(self, records: Iterable[RecordFacts]) -> RowsChanged:
        """Take records that follow the last one; those that are known already change nothing."""
        taken = take_records(record for record in records if record.offset > self._reach)
        places = taken.places
        if places:
            self._reach = places[-1].offset
        start = self.rows.append(places)
        self._assemble(start, taken, front=False)
        if self.ties is not None:
            self.ties.settle(front=False)
        self.branches.advance()
        return RowsChanged(appended=len(places), updated=self._changes(start, self.rows.end))

    def prepend(self, records: Sequence[RecordFacts]) -> RowsChanged:
        """Take records in file order that come before the first one."""
        taken = take_records(records)
        places = taken.places
        start = self.rows.prepend(places)
        self._assemble(start, taken, front=True)
        if self.ties is not None:
            self.ties.settle(front=True)
        self.branches.advance(front=True)
        return RowsChanged(prepended=len(places), updated=self._changes(start, start + len(places)))

    def results(self, call: int) -> list[int]:
        """Rows of the results of a call, in file order, without those of a replaced history."""
        lowest = self.floor if self.floor is not None and call >= self.floor else self.rows.first
        return sorted(
            row for row in self._linked(call) if row >= lowest and not self._superseded(row)
        )

    def reported(self, call: int) -> list[int]:
        """Rows of the outcomes of a call that were reported later, in file order."""
        return sorted(row for row in self.outcomes.get(call, ()) if not self._superseded(row))

    def gone(self, row: int) -> bool:
        """True when another row says what this one said, or the conversation went back."""
        return bool(self.rows.flags(row) & Flag.GONE)

    def absent(self, row: int) -> bool:
        """True for a row that stands nowhere: joined with another, a twin, bookkeeping."""
        if self.floor is not None and row < self.floor:
            return True
        return bool(self.rows.flags(row) & Flag.ABSENT)

    def nested(self, row: int) -> bool:
        """True for a row of another agent's stream."""
        return bool(self.rows.flags(row) & Flag.SIDE)

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Kind codes and flags of rows, a byte each; an absent row has a bit of `Flag.ABSENT`."""
        kinds, flags = self.rows.codes(start, stop)
        below = 0 if self.floor is None else min(max(self.floor - start, 0), len(flags))
        return kinds, flags[:below].translate(_DROPPED) + flags[below:]

    def newest(self, most: int) -> tuple[int, ...]:
        """Byte offsets of the records of the last rows that stand somewhere, in order."""
        found: list[int] = []
        row = self.rows.end
        while row > self.rows.first and len(found) < most:
            row -= 1
            if not self.absent(row):
                found.append(self.rows.place(row).offset)
        return tuple(reversed(found))

    def last_signal(self) -> tuple[int, int]:
        """What the newest row of the main stream says about who has to act next, and that row."""
        # A later record of a call has its result, also when the turn is over.
        return self.rows.last_signal(Flag.GONE | Flag.SIDE | Flag.JOINED)

    def child_row(self, stream: Stream) -> int | None:
        """The row of the call that started the agent of `stream`."""
        known = self.children.get(stream)
        if known is None and stream in self.child_calls:
            known = self._calls.get(self.child_calls[stream])
        run = self.child_runs.get(stream)
        return known if run is None or known is not None else self.children.get(run)

    def joined(self, row: int) -> list[int]:
        """Return the rows whose texts are shown with an activity; progress until its end."""
        linked = [] if self.ties is None else self.ties.joined(row)
        if not self._is_call(row):
            return linked
        results = self.results(row)
        progress = None if results else self.progress.get(row)
        later = () if progress is None else (progress,)
        return [*linked, *results, *later, *self.reported(row)]

    def reports(self, start: int, stop: int) -> list[int]:
        """Rows of the newest progress of each call from `start` to `stop` that has no result."""
        calls = ((call, self.progress.get(call)) for call in self.rows.unanswered(start, stop))
        return [row for call, row in calls if row is not None and self.rows.link(call) is None]

    def _is_call(self, row: int) -> bool:
        return isinstance(KINDS[self.rows.kind(row)], ToolKind)

    def joined_with(self, row: int) -> int | None:
        """The row that shows what `row` says; None when no other does."""
        head = None if self.ties is None else self.ties.head(row)
        if head is not None or self._is_call(row):
            return head
        call = self.rows.link(row)
        return call if call is not None and row in self.joined(call) else None

    def part_of(self, row: int) -> int | None:
        """The row whose activity is made of `row` too, also of one that shows nothing of it."""
        if not self.rows.flags(row) & Flag.JOINED:
            return None
        head = None if self.ties is None else self.ties.shown_in(row)
        call = self.rows.link(row)
        if head is not None or call is None:
            return head
        parts = (*self.results(call), self.progress.get(call), *self.reported(call))
        return call if row in parts else None

    def successor(self, row: int, event: Event) -> int | None:
        """The row that says what `row` said or took its place; `event` is what `row` says itself.

        None for a row that counts, and for the pieces of a text that was said again as a whole.
        """
        flags, body, found = self.rows.flags(row), event.body, None
        if flags & Flag.TWIN and event.dedupe_key is not None:
            found = self._firsts.get(event.dedupe_key)
        if flags & Flag.TWIN and found in (None, row) and isinstance(body, ToolCall):
            found = self._calls.get(body.call_id)
        if flags & Flag.REPLACED and event.replaces is not None:
            found = self._lasts.get(event.replaces)
        if not flags & Flag.SUPERSEDED and self.floor is not None and row < self.floor:
            found = self.floor
        if not flags & Flag.SUPERSEDED and flags & Flag.JOINED:
            found = self.rows.link(row)
        return None if found == row else found

    def call_row(self, call_id: str) -> int | None:
        """The row of a call, None when its record has not been read."""
        return self._calls.get(call_id)

    def packet(self, start: int, change: RowsChanged) -> Packet:
        """Return what has just been put in front, from byte `start` on, for another assembler."""
        rows = self.rows
        fresh = range(rows.first, rows.first + change.prepended)
        mine = frozenset((*fresh, *change.updated))
        calls, self._changed_calls = self._changed_calls, set()
        return Packet(
            start,
            rows.front(change.prepended),
            [(row, rows.flags(row), rows.link(row)) for row in change.updated],
            Joins(
                {row: self.progress[row] for row in calls if row in self.progress},
                {row: self.outcomes[row] for row in calls if row in self.outcomes},
                {row: self.extra_results[row] for row in calls if row in self.extra_results},
                {stream: row for stream, row in self.children.items() if row in mine},
                {prompt: rows for prompt, rows in self.agent_prompts.items() if mine & {*rows}},
                dict(self.summary.pending),
                None if self.ties is None else self.ties.facts({*mine, *calls}),
                self.floor,
            ),
            self.summary.snapshot(),
            self.branches.facts(),
        )

    def keys(self) -> Iterator[Keys]:
        """Rows by all keys that were seen, in parts; at least one."""
        packed = [table.packed() for table in (self._calls, self._firsts, self._lasts)]
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
            self._absorb_flags(row, flags, link)
        joins = packet.joins
        if joins.floor is not None and (self.floor is None or joins.floor > self.floor):
            self.floor = joins.floor
        for call, row in joins.progress.items():
            self.progress.setdefault(call, row)
        for own, more in (
            (self.outcomes, joins.outcomes),
            (self.extra_results, joins.extra_results),
        ):
            for call, rows in more.items():
                own.setdefault(call, rows)
        if self.ties is not None and joins.ties is not None:
            self._absorb_ties(self.ties, joins.ties, self.rows.first + came)
        self.children.update(joins.children)
        self.agent_prompts.update(joins.agent_prompts)
        self._absorb_waiting(joins.waiting)
        self._join_waiting()
        self.branches.absorb(packet.branches)
        self.summary.rebase(self._handed, packet.summary)
        self._handed = packet.summary
        self._touched.update(row for row, _, _ in packet.touched)
        return RowsChanged(prepended=came, updated=self._changes(0, 0))

    def _absorb_waiting(self, waiting: Mapping[str, Pending]) -> None:
        for call_id, call in waiting.items():
            if call_id not in self._answered:
                self._calls.table.setdefault(call_id, call.row)
                known = self.summary.pending.setdefault(call_id, call)
                if call.row < known.row:
                    self.summary.pending[call_id] = call

    def _absorb_flags(self, row: int, flags: int, link: int | None) -> None:
        known = self.rows.flags(row) & ~Flag.REWOUND | flags
        moved = flags & (Flag.TWIN | Flag.JOINED) and not flags & Flag.PROBLEM
        if moved and row in self._judged:
            # The other process counts it no more, and never counted it as a problem.
            self._judged.discard(row)
            self.summary.problem(-1)
        self.rows.set_flags(row, known & ~Flag.PROBLEM if moved else known)
        if flags & Flag.GONE:
            self.summary.gone(row)
        before = self.rows.link(row)
        # An earlier record of the same call may have been found for the result.
        if link is not None and (before is None or (link < before and not self._is_call(row))):
            self.rows.set_link(row, link)

    def _absorb_ties(self, ties: RowLinks, facts: RowLinkFacts, known: int) -> None:
        """Take over ties; rows from number `known` on were here before, the others came linked."""
        ties.absorb(facts)
        for call, amending in facts[0].items():
            for row in amending:
                if row < known:
                    continue
                linked = self.rows.link(row)
                if linked is not None and not self._is_call(linked):
                    # It came when this record was the first one known.
                    self._move(row, call)
                    self._set_problem(call)
                self.rows.set_link(row, call)

    def settle(self) -> None:
        """Pack keys that are no longer recent; only once nothing more comes from a child."""
        self._answered.clear()
        self._judged.clear()
        if self.ties is not None:
            self.ties.amendable.clear()
        for table in (self._calls, self._firsts, self._lasts):
            table.settle()

    def begin_absorbing(self, behind: int | None = None) -> None:
        """Remember what is counted of rows that packets contain; `behind`: they end at this row."""
        if behind is not None:
            self.rows.begin_at(behind)
        self._handed = self.summary.snapshot()
        self.branches.held = True
        if self.ties is not None:
            self.ties.runs.hold()

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
        for key, row in list(self._lasts.table.items()):
            known = self._lasts.packed_row(key)
            if known is None or known >= row:
                continue
            if self.rows.flags(row) & Flag.TWIN:
                self._lasts.table[key] = known
            else:
                self._mark(known, Flag.REPLACED)
        self._join_packed_calls()
        # Last, since a row that has just given way is joined with nothing.
        self._join_waiting()
        if self.ties is not None:
            self.ties.runs.release()
        self.branches.release()
        self.branches.advance()
        return RowsChanged(updated=self._changes(0, 0))

    def _join_packed_calls(self) -> None:
        """Let calls whose first record was not known by now give way to it, or amend it."""
        for key, row in list(self._calls.table.items()):
            known = self._calls.packed_row(key)
            if known is None or known >= row or self._superseded(known):
                continue
            if self._counting(row) == known:
                # It came with a packet.
                self._calls.table[key] = known
                continue
            amended = self.ties if self.ties is not None and row in self.ties.amendable else None
            self._mark(row, Flag.TWIN if amended is None else Flag.JOINED)
            self._move(row, known)
            if amended is not None:
                amended.merge_call(known, row)
            self._calls.table[key] = known
            if not all(self._superseded(result) for result in self._linked(known)):
                self.summary.answered(key)
            if self._is_call(known):
                self._set_problem(known)
            self._touched.add(known)

    def _join_waiting(self) -> None:
        for key in [key for key in self._waiting if self._calls.get(key) is not None]:
            for row, fact in self._waiting.pop(key):
                self._join(self._calls.get(key) or 0, row, fact)

    def _changes(self, start: int, end: int) -> tuple[int, ...]:
        """Rows touched since the last change, without those that are new."""
        touched = sorted(row for row in self._touched if not start <= row < end)
        self._touched.clear()
        return tuple(touched)

    def _linked(self, call: int) -> tuple[int, ...]:
        first = self.rows.link(call)
        return () if first is None else (first, *self.extra_results.get(call, ()))

    def _assemble(self, start: int, taken: AppliedRecord, *, front: bool) -> None:
        """Count and join new rows, which begin at `start`."""
        newest: Newest = {}
        rewinds: list[tuple[int, Rewind]] = []
        claim, add, place, ties = self._firsts.claimer(), self.summary.add, self._place, self.ties
        for row, fact in enumerate(taken.facts, start):
            key = fact.dedupe
            known = row if key is None else claim(key, row)
            if (known != row or fact.replaces is not None) and not self._keeps(row, known, fact):
                continue
            if fact.flags != Flag.BOOKKEEPING:
                add(row, fact)
            facts = fact.facts
            # What an agent works with is not what its session does.
            if facts is not None and fact.stream is None:
                newest[id(facts)] = (row, facts)
            if fact.tie is not None and fact.tie.rewinds is not None:
                rewinds.append((row, fact.tie.rewinds))
            if ties is not None:
                ties.take(row, fact)
            if fact.role or fact.replaces_all:
                place(row, fact)
        sum_up(self.summary, start, taken, newest)
        self._fork(start, taken.facts, rewinds, front=front)

    def _fork(self, start: int, facts: _Facts, rewinds: _Rewinds, *, front: bool) -> None:
        """Pass to the branches what new rows, which begin at `start`, say of them."""
        if self._record_keys is not None:
            self.branches.take(start, facts, front=front)
        if self.ties is not None:
            for row, fact in enumerate(facts, start):
                if fact.flags & Flag.TURN and fact.prompt is not None:
                    self.branches.repeated_history.say(row, fact.prompt)
        for row, rewind in rewinds:
            self.branches.add(row, rewind)

    def _place(self, row: int, fact: EventFact) -> None:
        if fact.replaces_all and (self.floor is None or row > self.floor):
            self.floor = row
        if fact.role == Role.CALL and fact.key is not None:
            self._call(row, fact, fact.key)
        elif fact.role == Role.VERSION and fact.key is not None:
            self._version(row, fact.key)
        elif fact.key is not None:
            call = self._calls.get(fact.key)
            if call is None:
                self._waiting.setdefault(fact.key, []).append((row, fact))
            else:
                self._join(call, row, fact)

    def _call(self, row: int, fact: EventFact, key: str) -> None:
        amended = self.ties if fact.tie is not None and fact.tie.amends else None
        if amended is not None:
            amended.amendable.add(row)
        known = self._calls.claimer()(key, row)
        if known == row and key not in self._waiting:
            self._begin(row, fact)
            self.summary.asked(key, row, fact)
            return
        known = self._counting(known) if known != row else row
        if known < row and not self._superseded(known):
            if amended is None:
                self._mark(row, Flag.TWIN)
            else:
                self._begin(known, fact)
                amended.merge_call(known, row)
            return
        if known != row:
            self._mark(known, Flag.TWIN if amended is None else Flag.JOINED)
            self._move(known, row)
            if amended is not None:
                amended.merge_call(row, known)
        self._calls.table[key] = row
        self._begin(row, fact)
        for other, waiting in self._waiting.pop(key, ()):
            self._join(row, other, waiting)
        self._set_problem(row)
        # A result that the conversation went back behind was one all the same.
        if all(self._superseded(result) for result in self._linked(row)):
            self.summary.asked(key, row, fact)

    def _version(self, row: int, key: str) -> None:
        """Join a row that was written again with the first one of its key, which shows the last."""
        if self.ties is None:
            return
        self.ties.amendable.add(row)
        known = self._calls.claimer()(key, row)
        if known > row:
            self._calls.table[key] = row
            self.ties.merge_call(row, known)
        elif known < row:
            self.ties.merge_call(self._counting(known), row)

    def _counting(self, call: int) -> int:
        """The row that a call stands at: another process may have found an earlier one."""
        head = None if self.ties is None else self.ties.head(call)
        return call if head is None else head

    def _begin(self, row: int, fact: EventFact) -> None:
        """Remember which agent a call started, as far as the call says."""
        if fact.prompt is not None:
            self.agent_prompts.setdefault(fact.prompt, []).append(row)
        if fact.child is not None:
            self.children[fact.child] = row

    def _move(self, old: int, new: int) -> None:
        """Hand what was joined with a call to the record of the same call that counts."""
        # Whether a result failed is reported by the row that it is joined with, and by no other.
        self.rows.set_flags(old, self.rows.flags(old) & ~Flag.PROBLEM)
        first = self.rows.link(old)
        if first is not None:
            self.rows.set_link(old, None)
            for result in (first, *self.extra_results.pop(old, ())):
                self.rows.set_link(result, new)
                self._touched.add(result)
                self._link_result(new, result)
        if old in self.progress:
            last = self.progress.pop(old)
            self.rows.set_link(last, new)
            self._join_progress(new, last)
        for outcome in self.outcomes.pop(old, ()):
            self.rows.set_link(outcome, new)
            self._touched.add(outcome)
            self._join_outcome(new, outcome)
        for stream in [stream for stream, row in self.children.items() if row == old]:
            self.children[stream] = new

    def _join(self, call: int, row: int, fact: EventFact) -> None:
        call = self._counting(call)
        segment, at = self.rows.find(row)
        flags, distance = segment.flags[at], segment.link(at)
        if flags & Flag.SUPERSEDED or (distance and row + distance == call):
            return
        if fact.child is not None:
            self.children[fact.child] = call
        if fact.role == Role.RESULT:
            self._join_result(call, row, flags)
            self.summary.answered(fact.key or "")
            self._answered.add(fact.key or "")
        elif fact.role == Role.PROGRESS:
            self._join_progress(call, row)
        else:
            self._join_outcome(call, row)
        segment.set_link(at, call - row)
        if not flags & Flag.JOINED:
            segment.flags[at] = flags | Flag.JOINED
            if not flags & Flag.ABSENT:
                self.summary.left(row, segment.kinds[at], flags)
            self._touched.add(row)
        self._touched.add(call)

    def _join_progress(self, call: int, row: int) -> None:
        known = self.progress.get(call)
        latest = row if known is None or self._superseded(known) else max(row, known)
        self.progress[call] = latest
        self._changed_calls.add(call)

    def _join_outcome(self, call: int, row: int) -> None:
        known = self.outcomes.setdefault(call, [])
        if row not in known:
            known.append(row)
        self._changed_calls.add(call)
        if self.rows.flags(row) & Flag.PROBLEM:
            self._set_problem(call)

    def _join_result(self, call: int, row: int, flags: int) -> None:
        if not self._link_result(call, row) or (flags | self.rows.flags(call)) & Flag.PROBLEM:
            self._set_problem(call)

    def _link_result(self, call: int, row: int) -> bool:
        """Make a row a result of a call; True for its first."""
        segment, at = self.rows.find(call)
        if not segment.link(at):
            segment.set_link(at, row - call)
            if self.rows.has_unknown_outcome(row):
                self.rows.set_unknown_outcome(call)
            return True
        known = self.extra_results.setdefault(call, [])
        if row not in known and row != call + segment.link(at):
            known.append(row)
            # Which of them has the last word is for their texts to say.
            self.rows.set_unknown_outcome(call)
            self._changed_calls.add(call)
        return False

    def _set_problem(self, call: int) -> None:
        """Make a call a problem exactly while one of its results is."""
        flags = self.rows.flags(call)
        ends = (*self.results(call), *self.reported(call))
        failed = any(self.rows.flags(row) & Flag.PROBLEM for row in ends)
        if failed != bool(flags & Flag.PROBLEM):
            self.rows.set_flags(call, flags ^ Flag.PROBLEM)
            if not flags & Flag.ABSENT:
                self.summary.problem(1 if failed else -1)
                if self._handed is not None:
                    self._judged ^= {call}

    def _superseded(self, row: int) -> bool:
        return bool(self.rows.flags(row) & Flag.SUPERSEDED)

    def _keeps(self, row: int, first: int, fact: EventFact) -> bool:
        """Return True if the row counts, given others that say the same or take its place.

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
        if last > row and not self.rows.flags(last) & Flag.TWIN:
            self._pass_over(row, Flag.REPLACED)
            return False
        if last != row:
            if last < row:
                self._mark(last, Flag.REPLACED)
            self._lasts.table[fact.replaces] = row
        return True

    def _pass_over(self, row: int, flag: int) -> None:
        """Mark a new row that has not been counted and never will be."""
        self.rows.set_flags(row, self.rows.flags(row) | flag)

    def _touch(self, row: int) -> None:
        self._touched.add(row)
        self._changed_calls.add(row)

    def _recount(self, row: int, kind: int) -> None:
        """Count a row as of another kind."""
        segment, at = self.rows.find(row)
        if not segment.flags[at] & Flag.ABSENT:
            self.summary.kinds[segment.kinds[at]] -= 1
            self.summary.kinds[kind] += 1
        segment.kinds[at] = kind

    def _mark(self, row: int, flag: int) -> None:
        flags = self.rows.flags(row)
        if flags & flag:
            return
        self.rows.set_flags(row, flags | flag)
        if not flags & Flag.ABSENT:
            self.summary.left(row, self.rows.kind(row), flags)
        self._touched.add(row)
        call = self.rows.link(row)
        if flag & Flag.SUPERSEDED:
            self.branches.stale = True
            if flags & Flag.TURN:
                self.branches.repeated_history.forget()
            if flags & Flag.JOINED and call is not None:
                self._set_problem(call)
                self.rows.set_unknown_outcome(call)

    def _abandon(self, row: int) -> None:
        """A row is on an abandoned branch: it counts no more."""
        segment, at = self.rows.find(row)
        flags = segment.flags[at]
        segment.flags[at] = flags | Flag.REWOUND
        self._aside.abandon(row, segment.kinds[at], flags)
        self._touched.add(row)

    def _take_back(self, row: int) -> None:
        """The conversation continues behind a row after all."""
        segment, at = self.rows.find(row)
        flags = segment.flags[at] = segment.flags[at] & ~Flag.REWOUND
        self._aside.take_back(row, segment.kinds[at], flags)
        self._touched.add(row)

    def _last_row_of(self, record: str) -> int | None:
        """The last row of a record of the main stream by its id, where its log is a tree."""
        keys = () if self._record_keys is None else self._record_keys(record)
        for key in keys:
            row = self._firsts.get(key)
            row = self._lasts.get(key) if row is None else row
            if row is None or row < self.rows.first:
                continue
            side = self.rows.flags(row) & Flag.SIDE
            return None if side else self.rows.last_of_record(row)
        return None
