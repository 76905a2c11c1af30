"""Joins what belongs together by the keys on the events, in whatever order blocks are read.

Every rule compares row numbers, never the order of arrival, so that reading a log from its end
backwards gives the same rows as reading it from its beginning.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Self

from agentview.domain.activity import RowKind
from agentview.domain.events import Event
from agentview.domain.index_entry import (
    KIND_CODES,
    KINDS,
    Flag,
    RecordFacts,
)
from agentview.domain.session import Stream
from agentview.domain.tools import ToolCall, ToolKind
from agentview.providers.base import Provider
from agentview.store.applied_record import take_records
from agentview.store.changes import RowsChanged
from agentview.store.joining import Joiner
from agentview.store.key_table import PART, cut_keys, pack_keys
from agentview.store.links import RowLinkFacts, RowLinks
from agentview.store.packets import Joins, Keys, Packet
from agentview.store.session_summary import Pending

_HIDDEN = KIND_CODES[RowKind.HIDDEN]
_DROPPED = bytes(flags | Flag.BOOKKEEPING for flags in range(256))


class Assembler(Joiner):
    """The only step with a memory: what has been seen, by key."""

    @classmethod
    def of(cls, provider: Provider) -> Self:
        """An empty one for logs of a provider."""
        return cls(has_linked_events=provider.has_linked_events, record_keys=provider.record_keys)

    def append(self, records: Iterable[RecordFacts]) -> RowsChanged:
        """Take records that follow the last one; those that are known already change nothing."""
        taken = take_records(record for record in records if record.offset > self._reach)
        places = taken.places
        if places:
            self._reach = places[-1].offset
        start = self.rows.append(places)
        self._assemble(start, taken)
        if self.ties is not None:
            self.ties.settle(front=False)
        self.branches.advance()
        return RowsChanged(appended=len(places), updated=self._changes(start, self.rows.end))

    def prepend(self, records: Sequence[RecordFacts]) -> RowsChanged:
        """Take records in file order that come before the first one."""
        taken = take_records(records)
        places = taken.places
        start = self.rows.prepend(places)
        self._assemble(start, taken)
        if self.ties is not None:
            self.ties.settle(front=True)
        self.branches.advance(front=True)
        return RowsChanged(prepended=len(places), updated=self._changes(start, start + len(places)))

    def absent(self, row: int) -> bool:
        """True for a row that stands nowhere: joined with another, a twin, bookkeeping."""
        if self._floor is not None and row < self._floor:
            return True
        return bool(self.rows.flags(row) & Flag.ABSENT)

    def nested(self, row: int) -> bool:
        """True for a row of another agent's stream."""
        return bool(self.rows.flags(row) & Flag.SIDE)

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Kind codes and flags of rows, a byte each; an absent row has a bit of `Flag.ABSENT`."""
        kinds, flags = self.rows.codes(start, stop)
        below = 0 if self._floor is None else min(max(self._floor - start, 0), len(flags))
        return kinds, flags[:below].translate(_DROPPED) + flags[below:]

    def last_signal(self) -> int:
        """What the newest row of the main stream says about who has to act next."""
        # A later record of a call tells what it brought, also when the turn is over.
        return self.rows.last_signal(Flag.GONE | Flag.SIDE | Flag.JOINED)

    def child_row(self, stream: Stream) -> int | None:
        """The row of the call that started the agent of `stream`."""
        known = self.children.get(stream)
        if known is None and stream in self.child_calls:
            known = self._calls.get(self.child_calls[stream])
        run = self.child_runs.get(stream)
        return known if run is None or known is not None else self.children.get(run)

    def joined(self, row: int) -> list[int]:
        """Rows whose texts the activity of `row` shows beside its own; progress until its end."""
        told = [] if self.ties is None else self.ties.joined(row)
        if not self._is_call(row):
            return told
        results = self.results(row)
        progress = None if results else self.progress.get(row)
        later = () if progress is None else (progress,)
        return [*told, *results, *later, *self.reported(row)]

    def reports(self, start: int, stop: int) -> list[int]:
        """Rows of the newest progress of each call from `start` to `stop` that has no result."""
        found: list[int] = []
        for call in self.rows.unanswered(start, stop):
            row = self.progress.get(call)
            if row is not None and self.rows.link(call) is None:
                found.append(row)
        return found

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
        if not flags & Flag.SUPERSEDED and self._floor is not None and row < self._floor:
            found = self._floor
        if not flags & Flag.SUPERSEDED and flags & Flag.JOINED:
            found = self.rows.link(row)
        return None if found == row else found

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
                None if self.ties is None else self.ties.facts((*mine, *told)),
                self._floor,
            ),
            self.summary.snapshot(),
            self.branches.facts(),
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
            self._absorb_flags(row, flags, link)
        joins = packet.joins
        if joins.floor is not None and (self._floor is None or joins.floor > self._floor):
            self._floor = joins.floor
        for call, row in joins.progress.items():
            self.progress.setdefault(call, row)
        for call, rows in joins.outcomes.items():
            self.outcomes.setdefault(call, rows)
        for call, rows in joins.extra_results.items():
            self.extra_results.setdefault(call, rows)
        if self.ties is not None and joins.ties is not None:
            self._absorb_ties(self.ties, joins.ties)
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
        # The call of a result may have been found to be told earlier.
        if link is not None and (before is None or (link < before and not self._is_call(row))):
            self.rows.set_link(row, link)

    def _absorb_ties(self, ties: RowLinks, told: RowLinkFacts) -> None:
        ties.absorb(told)
        for call, amending in told[0].items():
            for row in amending:
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
            self.ties.first_told.clear()
        for table in (self._calls, self._firsts, self._lasts):
            table.settle()

    def begin_absorbing(self) -> None:
        """Remember what is counted already of the rows that packets will tell of again."""
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
                # A packet has told it.
                self._calls.table[key] = known
                continue
            amended = self.ties if self.ties is not None and row in self.ties.first_told else None
            self._mark(row, Flag.TWIN if amended is None else Flag.JOINED)
            self._move(row, known)
            if amended is not None:
                amended.merge_call(known, row)
            self._calls.table[key] = known
            if not all(self._superseded(result) for result in self._linked(known)):
                self.summary.answered(key)
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
