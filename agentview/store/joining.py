"""Joins new rows with those that are known, by the keys on the events.

Every rule compares row numbers, never the order of arrival.
"""

from collections.abc import Callable, Sequence

from agentview.domain.events import Rewind
from agentview.domain.index_entry import EventFact, Flag, Role
from agentview.domain.session import Stream
from agentview.store.abandoned import ExcludedRows
from agentview.store.applied_record import AppliedRecord, Newest, sum_up
from agentview.store.branches import Branches
from agentview.store.key_table import KeyTable
from agentview.store.links import RowLinks
from agentview.store.row_table import PackedRows
from agentview.store.session_summary import Summary
from agentview.store.sparse_array import RowNumbers

RecordKeys = Callable[[str], Sequence[str]]
"""Gives the keys that the first event of a record may have, by the record's id."""


class Joiner:
    """Rows, what joins them, and what they come to."""

    def __init__(
        self, *, has_linked_events: bool = False, record_keys: RecordKeys | None = None
    ) -> None:
        """`has_linked_events` and `record_keys` as the provider's contract has them."""
        self.rows = PackedRows()
        self.summary = Summary()
        self._aside = ExcludedRows(self.summary)
        self.progress = RowNumbers()
        """Call row -> row of its newest progress."""
        self.outcomes: dict[int, list[int]] = {}
        """Call row -> rows of the outcomes that were reported later."""
        self.extra_results: dict[int, list[int]] = {}
        """Call row -> rows of the results after its first."""
        self.children: dict[Stream, int] = {}
        """Stream of another agent -> row of the call that started it."""
        self.child_calls: dict[Stream, str] = {}
        """Stream of another agent -> id of that call, where it is written beside the log."""
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
        self._floor: int | None = None
        self._reach = -1
        self._judged: set[int] = set()
        """Calls that were counted as problems here while another process reads them."""
        self._touched: set[int] = set()
        self._told: set[int] = set()
        """Calls of which something is known since the last packet that no link tells."""
        self._record_keys = record_keys
        self.branches = Branches(
            self.rows,
            self._abandon,
            self._take_back,
            self._touch,
            self._lasts.get,
            self._last_row_of,
        )
        if has_linked_events:
            self.ties = RowLinks(
                self.rows, mark=self._mark, touch=self._touch, recount=self._recount
            )

    def results(self, call: int) -> list[int]:
        """Rows of the results of a call, in file order, without those of a replaced history."""
        lowest = self._floor if self._floor is not None and call >= self._floor else self.rows.first
        return sorted(
            row for row in self._linked(call) if row >= lowest and not self._superseded(row)
        )

    def reported(self, call: int) -> list[int]:
        """Rows of the outcomes of a call that were reported later, in file order."""
        return sorted(row for row in self.outcomes.get(call, ()) if not self._superseded(row))

    def _linked(self, call: int) -> tuple[int, ...]:
        first = self.rows.link(call)
        return () if first is None else (first, *self.extra_results.get(call, ()))

    def _assemble(self, start: int, taken: AppliedRecord) -> None:
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
        self._fork(start, taken.facts, rewinds)

    def _fork(
        self, start: int, facts: Sequence[EventFact], rewinds: Sequence[tuple[int, Rewind]]
    ) -> None:
        """Tell the branches what new rows, which begin at `start`, say of them."""
        if self._record_keys is not None:
            self.branches.take(start, facts, front=start < 0)
        if self.ties is not None:
            for row, fact in enumerate(facts, start):
                if fact.flags & Flag.TURN and fact.prompt is not None:
                    self.branches.retold.say(row, fact.prompt)
        for row, rewind in rewinds:
            self.branches.add(row, rewind)

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
        amended = self.ties if fact.tie is not None and fact.tie.amends else None
        if amended is not None:
            amended.first_told.add(row)
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

    def _counting(self, call: int) -> int:
        """The row that a call stands at: another process may have found an earlier one."""
        head = None if self.ties is None else self.ties.head(call)
        return call if head is None else head

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
        self._told.add(call)

    def _join_outcome(self, call: int, row: int) -> None:
        known = self.outcomes.setdefault(call, [])
        if row not in known:
            known.append(row)
        self._told.add(call)
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
            if self.rows.is_untold(row):
                self.rows.set_untold(call)
            return True
        known = self.extra_results.setdefault(call, [])
        if row not in known and row != call + segment.link(at):
            known.append(row)
            # Which of them has the last word is for their texts to say.
            self.rows.set_untold(call)
            self._told.add(call)
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

    def gone(self, row: int) -> bool:
        """True when another row says what this one said, or the conversation went back."""
        return bool(self.rows.flags(row) & Flag.GONE)

    def _superseded(self, row: int) -> bool:
        return bool(self.rows.flags(row) & Flag.SUPERSEDED)

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
        self._told.add(row)

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
                self.branches.retold.forget()
            if flags & Flag.JOINED and call is not None:
                self._set_problem(call)
                self.rows.set_untold(call)

    def _abandon(self, row: int) -> None:
        """A row is on an abandoned branch: it counts no more."""
        segment, at = self.rows.find(row)
        flags = segment.flags[at]
        segment.flags[at] = flags | Flag.REWOUND
        self._aside.abandon(row, segment.kinds[at], flags)
        self._touched.add(row)

    def _take_back(self, row: int) -> None:
        """The conversation goes on behind a row after all."""
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
