"""Joins what belongs together by the keys on the events, in whatever order blocks are read.

Every rule compares row numbers, never the order of arrival, so that reading a log from its end
backwards gives the same rows as reading it from its beginning.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Self

from agentview.domain.activity import RowKind
from agentview.domain.events import Event, Rewind
from agentview.domain.index_entry import (
    KIND_CODES,
    EventFact,
    Flag,
    RecordFacts,
    Role,
)
from agentview.domain.session import Stream
from agentview.domain.tools import ToolCall
from agentview.normalize.call_occurrences import OpenCall
from agentview.providers.base import Provider
from agentview.timeline.rows.applied_record import AppliedRecord, Newest, sum_up, take_records
from agentview.timeline.rows.branches.abandoned import ExcludedRows
from agentview.timeline.rows.branches.branch_tree import Branches
from agentview.timeline.rows.call_joins import CallJoins
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.links import RowLinkFacts, RowLinks
from agentview.timeline.rows.packets import Joins, Keys, Packet
from agentview.timeline.rows.session_summary import Summary
from agentview.timeline.rows.tables.key_table import PART, KeyTable, cut_keys
from agentview.timeline.rows.tables.row_table import PackedRows

_SAID_THERE = Flag.PROBLEM | Flag.TWIN | Flag.JOINED
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
        self._touched: set[int] = set()
        self.calls = CallJoins(self.rows, self.summary, self._mark, self._touched.add)
        self.progress = self.calls.progress
        """Call row -> row of its newest progress."""
        self.outcomes = self.calls.outcomes
        """Call row -> rows of the outcomes that were reported later."""
        self.extra_results = self.calls.extra_results
        """Call row -> rows of the results after its first."""
        self.children = self.calls.children
        """Stream of another agent -> row of the call that started it."""
        self.child_calls: dict[Stream, str] = {}
        """Stream of another agent -> id of that call, where it is written next to the log."""
        self.child_runs: dict[Stream, Stream] = {}
        """Stream of another agent -> the run that it is a part of."""
        self.agent_prompts = self.calls.agent_prompts
        """Beginning of a prompt given to another agent -> rows of the calls that gave it."""
        self.links: RowLinks | None = None
        """Links that join rows besides keys; None for a log without such."""
        self._firsts = KeyTable()
        self._lasts = KeyTable()
        self._handed: Summary | None = None
        self._open_calls: list[OpenCall] = []
        self.reset_row: int | None = None
        """Row of the newest record that replaces all before it."""
        self._reach = -1
        self._record_keys = record_keys
        take = (self._abandon, self._take_back, self._touch)
        self.branches = Branches(self.rows, *take, self._lasts.get, self._last_row_of)
        if has_linked_events:
            self.links = self.calls.links = RowLinks(
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
        if self.links is not None:
            self.links.settle(front=False)
        self.branches.advance()
        return RowsChanged(appended=len(places), updated=self._changes(start, self.rows.end))

    def prepend(self, records: Sequence[RecordFacts]) -> RowsChanged:
        """Take records in file order that come before the first one."""
        taken = take_records(records)
        places = taken.places
        start = self.rows.prepend(places)
        self._assemble(start, taken, front=True)
        if self.links is not None:
            self.links.settle(front=True)
        self.branches.advance(front=True)
        return RowsChanged(prepended=len(places), updated=self._changes(start, start + len(places)))

    def results(self, call: int) -> list[int]:
        """Rows of the results of a call, in file order, without those of a replaced history."""
        lowest = (
            self.reset_row
            if self.reset_row is not None and call >= self.reset_row
            else self.rows.first
        )
        return sorted(
            row for row in self.calls.linked(call) if row >= lowest and not self._superseded(row)
        )

    def requests(self, call: int) -> list[int]:
        """Rows of the requests for permission to make a call, in file order."""
        return self.calls.requests_of(call)

    def asked_for(self, request: int) -> int | None:
        """The row of the call that a request for permission names, where that is known."""
        return None if self.is_container(request) else self.calls.asks_for.get(request)

    def is_container(self, row: int) -> bool:
        """True for a call that only makes others, of which the first shows it."""
        return row in self.calls.containers

    def _holder(self, call: int) -> int | None:
        """The row of the call that shows another one as a part of it; None for one by itself."""
        found = self.calls.asks_for.get(call)
        return found if found is None else self.calls.asks_for.get(found, found)

    def reported(self, call: int) -> list[int]:
        """Rows of the outcomes of a call that were reported later, in file order."""
        return sorted(row for row in self.outcomes.get(call, ()) if not self._superseded(row))

    def gone(self, row: int) -> bool:
        """True when another row says what this one said, or the conversation went back."""
        return bool(self.rows.flags(row) & Flag.GONE)

    def absent(self, row: int) -> bool:
        """True for a row that stands nowhere: joined with another, a twin, bookkeeping."""
        if self.reset_row is not None and row < self.reset_row:
            return True
        return bool(self.rows.flags(row) & Flag.ABSENT)

    def nested(self, row: int) -> bool:
        return bool(self.rows.flags(row) & Flag.SIDE)

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Kind codes and flags of rows, a byte each; an absent row has a bit of `Flag.ABSENT`."""
        kinds, flags = self.rows.codes(start, stop)
        below = 0 if self.reset_row is None else min(max(self.reset_row - start, 0), len(flags))
        return kinds, flags[:below].translate(_DROPPED) + flags[below:]

    def newest(self, most: int) -> tuple[int, ...]:
        """Byte offsets of the records of the last rows that stand somewhere, in order."""
        found: list[int] = []
        row = self.rows.end
        while row > self.rows.first and len(found) < most:
            row -= 1
            if not self.absent(row):
                found.append(self.rows.offset(row))
        return tuple(reversed(found))

    def last_signal(self) -> tuple[int, int]:
        """Signal of the newest row of the main stream on who has to act next, and that row."""
        # A later record of a call has its result, also when the turn is over.
        return self.rows.last_signal(Flag.GONE | Flag.SIDE | Flag.JOINED)

    def end_before(self, row: int) -> int | None:
        """The end of a turn behind which only calls and results are, up to a row; None if none."""
        return self.rows.end_before(row, Flag.GONE | Flag.SIDE)

    def child_row(self, stream: Stream) -> int | None:
        """The row of the call that started the agent of `stream`."""
        known = self.children.get(stream)
        if known is None and stream in self.child_calls:
            known = self.calls.newest.get(self.child_calls[stream])
        run = self.child_runs.get(stream)
        return known if run is None or known is not None else self.children.get(run)

    def joined(self, row: int) -> list[int]:
        """Return the rows whose texts are shown with an activity; progress until its end."""
        linked = [] if self.links is None else self.links.joined(row)
        if not self._is_call(row):
            return linked
        results = self.results(row)
        progress = None if results else self.progress.get(row)
        later = () if progress is None else (progress,)
        asked = [each for other in self.requests(row) for each in (other, *self.joined(other))]
        return [*linked, *asked, *results, *later, *self.reported(row)]

    def reports(self, start: int, stop: int) -> list[int]:
        """Rows of the newest progress of each call from `start` to `stop` that has no result."""
        calls = ((call, self.progress.get(call)) for call in self.rows.unanswered(start, stop))
        return [row for call, row in calls if row is not None and self.rows.link(call) is None]

    def _is_call(self, row: int) -> bool:
        return self.calls.is_call(row)

    def joined_with(self, row: int) -> int | None:
        """The row that shows what `row` says; None when no other does."""
        head = None if self.links is None else self.links.head(row)
        if head is not None or self._is_call(row):
            return self._holder(row) if head is None else head
        call = self.rows.link(row)
        if call is None or row not in self.joined(call):
            return None
        holder = self._holder(call)
        return call if holder is None else holder

    def part_of(self, row: int) -> int | None:
        """The row whose activity is made of `row` too, also of one that shows nothing of it."""
        if not self.rows.flags(row) & Flag.JOINED:
            return None
        head = None if self.links is None else self.links.shown_in(row)
        call = self.calls.joined_with(row)
        if head is not None or call is None:
            return head
        parts = (*self.results(call), self.progress.get(call), *self.reported(call))
        if row not in (*parts, *self.requests(call)):
            return None
        holder = self._holder(call)
        return call if holder is None else holder

    def successor(self, row: int, event: Event) -> int | None:
        """The row that says what `row` said or took its place; `event` is what `row` says itself.

        None for a row that counts, and for the pieces of a text that was said again as a whole.
        """
        flags, body, found = self.rows.flags(row), event.body, None
        if flags & Flag.TWIN and event.dedupe_key is not None:
            found = self._firsts.get(event.dedupe_key)
        if flags & Flag.TWIN and found in (None, row) and isinstance(body, ToolCall):
            found = self.rows.link(row)
        if flags & Flag.REPLACED and event.replaces is not None:
            found = self._lasts.get(event.replaces)
        if not flags & Flag.SUPERSEDED and self.reset_row is not None and row < self.reset_row:
            found = self.reset_row
        if not flags & Flag.SUPERSEDED and flags & Flag.JOINED:
            found = self.calls.joined_with(row)
        return None if found == row else found

    def call_row(self, call_id: str) -> int | None:
        """The row of the newest call with an id, None when none has been read."""
        return self.calls.newest.get(call_id)

    def packet(self, start: int, change: RowsChanged) -> Packet:
        """Return the rows just put in front, from byte `start` on, for another assembler."""
        rows = self.rows
        fresh = range(rows.first, rows.first + change.prepended)
        mine = frozenset((*fresh, *change.updated))
        calls = {*self.calls.changed, *change.updated}
        self.calls.changed.clear()
        return Packet(
            start,
            rows.front(change.prepended),
            [(row, rows.flags(row), rows.link(row)) for row in change.updated],
            Joins(
                {row: self.progress[row] for row in calls if row in self.progress},
                {row: self.outcomes[row] for row in calls if row in self.outcomes},
                {row: self.extra_results[row] for row in calls if row in self.extra_results},
                {row: self.calls.requests[row] for row in calls if row in self.calls.requests},
                self.calls.processes.new(),
                self.calls.containers.new(),
                {stream: row for stream, row in self.children.items() if row in mine},
                {prompt: rows for prompt, rows in self.agent_prompts.items() if mine & {*rows}},
                self.calls.open_calls(),
                None if self.links is None else self.links.facts({*mine, *calls}),
                self.reset_row,
            ),
            self.summary.snapshot(),
            self.branches.facts(),
        )

    def keys(self) -> Iterator[Keys]:
        """Rows by all keys that were seen, in parts; at least one."""
        packed = [table.packed() for table in self._tables]
        count = max(1, *(-(-len(keys.hashes) // PART) for keys in packed))
        for part in range(count):
            calls, firsts, lasts = (cut_keys(keys, part) for keys in packed)
            last = part == count - 1
            yield Keys(calls, firsts, lasts, part, last, self.calls.recent() if last else ())

    def absorb(self, packet: Packet) -> RowsChanged:
        """Take over what another assembler has read in front of the rows that are here."""
        if self._handed is None:
            raise ValueError("take over nothing before `begin_absorbing`")
        self.calls.detach()
        came = self.rows.put_front(packet.segments)
        for row, flags, link in packet.touched:
            self._absorb_flags(row, flags, link)
        joins = packet.joins
        if joins.reset_row is not None and (
            self.reset_row is None or joins.reset_row > self.reset_row
        ):
            self.reset_row = joins.reset_row
        for call, row in joins.progress.items():
            self.progress[call] = row
        self.outcomes.update(joins.outcomes)
        self.extra_results.update(joins.extra_results)
        self.calls.absorb_requests(joins.requests)
        self.calls.absorb_processes(joins.began)
        self.calls.absorb_containers(joins.containers)
        if self.links is not None and joins.links is not None:
            self._absorb_links(self.links, joins.links, self.rows.first + came)
        self.children.update(joins.children)
        self.agent_prompts.update(joins.agent_prompts)
        self._open_calls = joins.open_calls
        self.calls.attach(self._open_calls)
        self.branches.absorb(packet.branches)
        self.summary.rebase(self._handed, packet.summary)
        self._handed = packet.summary
        self._touched.update(row for row, _, _ in packet.touched)
        return RowsChanged(prepended=came, updated=self._changes(0, 0))

    def _absorb_flags(self, row: int, flags: int, link: int | None) -> None:
        known = self.rows.flags(row) & ~Flag.REWOUND | flags
        is_call = self.calls.is_call(row)
        if is_call:
            # Only its results, which are read there, say whether it failed, and only what is in
            # front of it whether it is a call of its own.
            known = known & ~_SAID_THERE | flags & _SAID_THERE
            self.calls.forget(row)
        self.rows.set_flags(row, known)
        if flags & Flag.GONE:
            self.summary.gone(row)
        before = self.rows.link(row)
        if is_call or (link is not None and (before is None or link != before)):
            self.rows.set_link(row, link)

    def _absorb_links(self, links: RowLinks, facts: RowLinkFacts, known: int) -> None:
        """Take over links; rows from number `known` on were here before, the others came linked."""
        links.absorb(facts)
        for call, amending in facts[0].items():
            for row in amending:
                if row < known:
                    continue
                self.rows.set_link(row, call)

    def pack(self) -> None:
        """Pack what only records in front may still need, where none come behind."""
        self.calls.pack()
        self._firsts.pack_oldest()
        self._lasts.pack_oldest()
        self.summary.pack_responses()

    def settle(self, *, in_memory: bool = False) -> None:
        """Pack keys that are no longer recent; only once nothing more comes from a child.

        With `in_memory` none is written to disk, which takes a fifth of the time.
        """
        self.calls.settle()
        if self.links is not None:
            self.links.amendable.clear()
        for table in self._tables:
            if in_memory:
                table.pack_oldest()
            else:
                table.settle()

    def begin_absorbing(self, behind: int | None = None) -> None:
        """Remember what is counted of rows that packets contain; `behind`: they end at this row."""
        if behind is not None:
            self.rows.begin_at(behind)
        self._handed = self.summary.snapshot()
        # These wait as long as no packet says more: there may be nothing in front.
        self._open_calls = self.calls.open_calls()
        self.calls.begin_absorbing()
        self.branches.held = True
        if self.links is not None:
            self.links.runs.hold()

    def absorb_keys(self, keys: Keys) -> RowsChanged:
        """Take over keys of all that was handed over, and join at last what waited for them."""
        for table, packed in zip(self._tables, keys.tables, strict=True):
            if keys.part == 0:
                table.forget_packed()
            table.pack(packed)
        if not keys.last:
            return RowsChanged()
        for key, row in self._firsts.table.items():
            known = self._firsts.packed_row(key)
            if known is not None and known < row:
                self._give_way(row, Flag.TWIN)
        for key, row in list(self._lasts.table.items()):
            known = self._lasts.packed_row(key)
            if known is None or known >= row:
                continue
            if self.rows.flags(row) & Flag.TWIN:
                self._lasts.table[key] = known
            else:
                self._give_way(known, Flag.REPLACED)
        self._join_packed_versions()
        self.calls.detach()
        self.calls.take_over(keys.recent)
        self.calls.attach(self._open_calls)
        if self.links is not None:
            self.links.runs.release()
        self.branches.release()
        self.branches.advance()
        return RowsChanged(updated=self._changes(0, 0))

    def _join_packed_versions(self) -> None:
        """Join rows that were written again with the first one, which was not known by now."""
        if self.links is None:
            return
        table = self.calls.newest
        for key, row in list(table.table.items()):
            known = table.packed_row(key) if row in self.links.amendable else None
            if known is None or known >= row or self._superseded(known):
                continue
            if self._counting(row) != known:
                self.links.merge_call(known, row)
            table.table[key] = known

    def _changes(self, start: int, end: int) -> tuple[int, ...]:
        """Rows touched since the last change, without those that are new."""
        touched = sorted(row for row in self._touched if not start <= row < end)
        self._touched.clear()
        return tuple(touched)

    @property
    def _tables(self) -> tuple[KeyTable, KeyTable, KeyTable]:
        return self.calls.newest, self._firsts, self._lasts

    def _assemble(self, start: int, taken: AppliedRecord, *, front: bool) -> None:
        """Count and join new rows, which begin at `start`."""
        newest: Newest = {}
        rewinds: list[tuple[int, Rewind]] = []
        if front:
            self.calls.begin_front()
        claim, add, place, links = self._firsts.claimer(), self.summary.add, self._place, self.links
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
            if links is not None:
                links.take(row, fact)
            if fact.role or fact.replaces_all:
                place(row, fact)
        if front:
            self.calls.end_front()
        sum_up(self.summary, start, taken, newest)
        self._fork(start, taken.facts, rewinds, front=front)

    def _fork(self, start: int, facts: _Facts, rewinds: _Rewinds, *, front: bool) -> None:
        """Pass to the branches what new rows, which begin at `start`, say of them."""
        if self._record_keys is not None:
            self.branches.take(start, facts, front=front)
        if self.links is not None:
            for row, fact in enumerate(facts, start):
                if fact.flags & Flag.TURN and fact.prompt is not None:
                    self.branches.repeated_history.say(row, fact.prompt)
        for row, rewind in rewinds:
            self.branches.add(row, rewind)

    def _place(self, row: int, fact: EventFact) -> None:
        if fact.replaces_all and (self.reset_row is None or row > self.reset_row):
            self.reset_row = row
        if fact.key is None or fact.role == Role.NONE:
            return
        if fact.role == Role.VERSION:
            self._version(row, fact.key)
        else:
            self.calls.take(row, fact, fact.key)

    def _version(self, row: int, key: str) -> None:
        """Join a row that was written again with the first one of its key, which shows the last."""
        if self.links is None:
            return
        self.links.amendable.add(row)
        table = self.calls.newest
        known = table.claimer()(key, row)
        if known > row:
            table.table[key] = row
            self.links.merge_call(row, known)
        elif known < row:
            self.links.merge_call(self._counting(known), row)

    def _counting(self, call: int) -> int:
        """The row that a call stands at: another process may have found an earlier one."""
        head = None if self.links is None else self.links.head(call)
        return call if head is None else head

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
            self._give_way(first, Flag.TWIN)
            self._firsts.table[fact.dedupe] = row
        if fact.replaces is None or (fact.role == Role.CALL and (fact.path or fact.amends)):
            return True
        last = self._lasts.claimer()(fact.replaces, row)
        if last > row and not self.rows.flags(last) & Flag.TWIN:
            self._pass_over(row, Flag.REPLACED)
            if fact.role == Role.RESULT:
                # The call that it answered is not open to results that follow.
                self._place(row, fact)
            return False
        if last != row:
            if last < row:
                self._give_way(last, Flag.REPLACED)
            self._lasts.table[fact.replaces] = row
        return True

    def _give_way(self, row: int, flag: int) -> None:
        """Mark a row that gives way to a new one by its key."""
        self._mark(row, flag)
        if self.calls.is_call(row) or flag == Flag.TWIN:
            self.calls.gone.add(row)

    def _pass_over(self, row: int, flag: int) -> None:
        self.rows.set_flags(row, self.rows.flags(row) | flag)

    def _touch(self, row: int) -> None:
        self._touched.add(row)
        self.calls.changed.add(row)

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
        call = self.calls.joined_with(row)
        if flag & Flag.SUPERSEDED:
            self.branches.stale = True
            if flags & Flag.TURN:
                self.branches.repeated_history.forget()
            if flags & Flag.JOINED and call is not None:
                self.calls.set_problem(call)
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
