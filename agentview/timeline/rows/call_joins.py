"""Joins calls with their results, in whatever order blocks of a log are read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import islice

from agentview.domain.events import REPEATED, RUNS
from agentview.domain.index_entry import CALLS, REQUEST, EventFact, Flag, Role
from agentview.domain.session import Stream
from agentview.normalize.call_occurrences import (
    MOST,
    Entry,
    Occurrence,
    OpenCall,
    SameId,
    State,
    known_only,
    replay,
)
from agentview.normalize.containers import Container, Containers
from agentview.timeline.rows.links import RowLinks
from agentview.timeline.rows.processes import Processes
from agentview.timeline.rows.session_summary import Pending, Summary
from agentview.timeline.rows.tables.key_table import RECENT, KeyTable
from agentview.timeline.rows.tables.row_table import PackedRows
from agentview.timeline.rows.tables.sparse_array import SparseIntMap

_HANDED = 256
"""Ids of which another process takes over the calls."""
_BATCH = 512
"""Ids that are looked at together to forget what is over."""

_Known = dict[str, SameId]
_Entries = dict[str, list[Entry]]


class CallJoins:
    """Which rows are joined with which calls.

    Records are taken in file order. Those of a block in front are taken by themselves; what is
    behind them is then taken again as far as it may belong to calls of the block.

    `mark` sets a flag on a row and keeps the counts; `touch` says that a row shows something new.
    """

    def __init__(
        self,
        rows: PackedRows,
        summary: Summary,
        mark: Callable[[int, int], None],
        touch: Callable[[int], None],
    ) -> None:
        self.progress = SparseIntMap()
        self.outcomes: dict[int, list[int]] = {}
        self.extra_results: dict[int, list[int]] = {}
        self.requests: dict[int, list[int]] = {}
        """Call row -> rows of the requests for permission to make it."""
        self.asks_for: dict[int, int] = {}
        """The same by the row of the request."""
        self.processes = Processes()
        self.containers = Containers()
        self.children: dict[Stream, int] = {}
        self.agent_prompts: dict[str, list[int]] = {}
        self.newest = KeyTable()
        """Id -> row of the newest call that has it; key of a row that is written again -> its
        first one."""
        self.changed: set[int] = set()
        """Calls that have changed in a way that no link shows."""
        self.gone: set[int] = set()
        """Calls that gave way by their keys, and other rows that say again what another says, while
        more may come in front."""
        self.links: RowLinks | None = None
        self._rows = rows
        self._summary = summary
        self._mark = mark
        self._touch = touch
        self._known: _Known = {}
        self._entries: _Entries = {}
        """Entries that may belong to calls that are read later, in front."""
        self._before: _Known = {}
        """The calls up to row `_edge`, behind which another process does not read."""
        self._running: set[str] = set()
        """Ids of calls that began what runs on."""
        self._edge: int | None = None
        self._in_front = False
        self._behind: tuple[_Known, _Entries] = {}, {}
        """Known calls and entries behind the block that is taken in front of them."""
        self._over = None
        """The calls that are over, where only what is in front of them is still read."""

    def take(self, row: int, fact: EventFact, key: str) -> None:
        """Join the record of a call, result, progress or outcome."""
        if fact.role == Role.OUTCOME and key.startswith(RUNS):
            began = self.processes.acts(key, row)
            self._fold(None if began is None else self._rows.link(began), [row])
            return
        began = None if fact.process is None else self.processes.acts(fact.process, row)
        changed = self.containers.take(row, fact) if fact.nesting else ()
        self._take(Entry.of(row, fact), fact, key)
        if fact.asked_for is not None:
            self._take(Entry.request(row, fact), fact, fact.asked_for)
        if began is not None:
            self._fold(self._rows.link(began), [row])
        for container in changed:
            self._fold_container(container)

    def _take(self, entry: Entry, fact: EventFact, key: str) -> None:
        row, same = entry.row, self._same(key)
        target = same.take(entry)
        if entry.role == Role.RESULT and entry.path.startswith(RUNS):
            self._running.add(key)
        self._entries.setdefault(key, []).append(entry)
        self._apply(key, entry, target)
        if target is None or entry.role != Role.CALL:
            return
        for early in same.adopt():
            self._apply(key, early, target)
        self._begin(row if entry.took_over else target, fact)

    def begin_front(self) -> None:
        """Take records of a block in front of all others, until `end_front`."""
        self._behind = self._known, self._entries
        self._known, self._entries, self._in_front = {}, {}, True

    def end_front(self) -> None:
        """Take again what is behind the block and may belong to calls of it."""
        block, entries = self._known, self._entries
        (self._known, self._entries), self._behind = self._behind, ({}, {})
        self._in_front = False
        for key, same in block.items():
            behind = self._entries.get(key)
            if behind is None or self._again(key, same, behind):
                self._known[key] = same
            elif same.begun:
                self._end(key, same, behind)
            self._entries[key] = entries[key] + (behind or [])

    def _end(self, key: str, front: SameId, behind: Sequence[Entry]) -> None:
        """Give ends of what calls in front began to those calls; the rest behind is as it was."""
        known, rows = self._known[key], {call.row for call in front.begun}
        known.running = tuple(call for call in known.running if call.row not in rows)
        for entry in behind:
            call = front.began(entry.path) if entry.role == Role.OUTCOME else None
            if call is None or known.began(entry.path) is not None:
                continue
            joined = self.joined_with(entry.row)
            if joined is not None:
                self._separate(joined, entry.row)
                self.set_problem(joined)
                self._touch(joined)
            self._join(call.row, entry)
        known.running = (*front.begun, *known.running)[-MOST:]

    def pack(self) -> None:
        """Pack the oldest calls that are over; between blocks that are taken in front."""
        if self._over is None:
            if len(self._known) <= RECENT:
                return
            ends = nlargest(2 * _HANDED, (same.end for same in self._known.values()))
            # Imported here: only a worker reads so much.
            from agentview.timeline.rows.over_calls import OverCalls

            self._over = OverCalls(ends[-1])
        self.newest.pack_oldest(self._keeps)

    def _keeps(self, key: str) -> bool:
        """Keep a call that is not over, or cannot be packed; pack any other with its records."""
        same, over = self._known.get(key), self._over
        if same is None or over is None:
            return False
        if not over.takes(self.newest.table[key], key, same, self._entries[key]):
            return True
        del self._known[key], self._entries[key]
        return False

    def _unpack(self, key: str) -> None:
        """Have what is known of an id behind a block at hand."""
        row = None if self._over is None else self.newest.packed_row(key)
        if row is None or self._over is None:
            return
        self.newest.table.setdefault(key, row)
        known, entries = self._behind
        if key not in known:
            entries_of = self._over.entries(row, key)
            if entries_of:
                known[key], entries[key] = SameId((known_only(row),)), entries_of

    def begin_absorbing(self) -> None:
        """Another process reads all up to the last row that is here."""
        self._before.update(self._known)
        self._known, self._entries, self._edge = {}, {}, self._rows.end

    def detach(self) -> None:
        """Separate what came since `begin_absorbing` from the calls that another process reads."""
        edge = self._rows.end if self._edge is None else self._edge
        heads: set[int] = set()
        for entries in self._entries.values():
            for entry in entries:
                call = self.joined_with(entry.row)
                if call is not None and call < edge and entry.row >= edge:
                    self._separate(call, entry.row)
                    heads.add(call)
        for call in heads:
            self.set_problem(call)

    def attach(self, before: Iterable[OpenCall]) -> None:
        """Join what came since `begin_absorbing` again; `before` are all open calls before it."""
        edge = self._rows.end if self._edge is None else self._edge
        summary = self._summary
        for row in [row for row in summary.pending if row < edge]:
            summary.answered(row)
        found: dict[str, list[Occurrence]] = {}
        for call in before:
            if call.results:
                self._running.add(call.key)
            if not call.results:
                summary.asked(Pending(call.key, call.row, call.signal, call.stream))
            found.setdefault(call.key, []).append(
                Occurrence(
                    call.row, call.stream, call.response, frozenset(call.paths),
                    frozenset(call.results), call.replaces,
                )
            )  # fmt: skip
        for key, calls in found.items():
            self._before[key] = self._open_again(self._before.get(key), calls)
        for key, entries in self._entries.items():
            if key in self._before and key not in found:
                self._before[key] = self._open_again(self._before[key], ())
            same = self._known_before(key)
            self._again(key, same, entries, whole=True)
            self._known[key] = same
        for began, acting in self.processes.each():
            self._fold(self._rows.link(began), acting)
        for container in self.containers.with_calls():
            self._fold_container(container)

    def open_calls(self) -> list[OpenCall]:
        """The calls without a result, and those that began what runs on."""
        found: list[OpenCall] = []
        pending = self._summary.pending
        for key in {*self._running, *(waits.key for waits in pending.values())}:
            same = self._known.get(key) or self._before.get(key)
            for call in () if same is None else same.open_calls:
                waits = pending.get(call.row)
                if waits is not None or call.results:
                    found.append(
                        OpenCall(
                            key, call.row, 0 if waits is None else waits.signal, call.stream,
                            call.response, tuple(sorted(call.calls or ())), call.replaces,
                            tuple(sorted(call.results)),
                        )
                    )  # fmt: skip
        return sorted(found, key=lambda call: call.row)

    def recent(self) -> tuple[tuple[str, State], ...]:
        """The calls of the ids that came last, which later records may describe or answer."""
        known = {**self._before, **self._known}
        latest = nlargest(_HANDED, known.items(), key=lambda item: item[1].end)
        return tuple((key, same.state()) for key, same in latest)

    def take_over(self, recent: Iterable[tuple[str, State]]) -> None:
        """Take over the calls of the ids that came last from who has read all before."""
        for same in self._before.values():
            same.early = ()
        self._before.update((key, SameId.of(state)) for key, state in recent)

    def settle(self) -> None:
        """Forget what only matters while more may come in front, and calls that are long over."""
        for key, same in self._before.items():
            self._known.setdefault(key, same)
        self._before.clear()
        self._entries.clear()
        self.gone.clear()
        if len(self._known) - RECENT >= _BATCH:
            for key in list(islice(self._known, _BATCH)):
                same = self._known.pop(key)
                if not same.idle or same.begun:
                    self._known[key] = same

    def forget(self, call: int) -> None:
        """Know nothing of what is joined with a call: another process says it."""
        self.extra_results.pop(call, None)
        self.outcomes.pop(call, None)
        if call in self.progress:
            self.progress.pop(call)
        if self.links is not None:
            self.links.amendments.pop(call, None)
        for row in self.requests.pop(call, ()):
            self.asks_for.pop(row, None)

    def absorb_requests(self, requests: Mapping[int, list[int]]) -> None:
        """Take over which requests for permission another process has joined."""
        self.requests.update(requests)
        self.asks_for.update((row, call) for call, rows in requests.items() for row in rows)

    def absorb_processes(self, began: Mapping[str, Sequence[int]]) -> None:
        self.processes.absorb(began)

    def absorb_containers(self, containers: Iterable[Container]) -> None:
        """Take over which containers another process found; `attach` joins them."""
        for container in containers:
            self.containers.add(*container)

    def joined_with(self, row: int) -> int | None:
        """The call that a row is a part of; of a call itself its first result."""
        asked_for = self.asks_for.get(row)
        return self._rows.link(row) if asked_for is None else asked_for

    def requests_of(self, call: int) -> list[int]:
        """Rows of the requests for permission to make a call, in file order."""
        rows = self.requests.get(call, ())
        return sorted(row for row in rows if not self._superseded(row))

    def linked(self, call: int) -> tuple[int, ...]:
        """Rows of the results of a call, also of those that count no more."""
        first = self._rows.link(call)
        return () if first is None else (first, *self.extra_results.get(call, ()))

    def set_problem(self, call: int) -> None:
        """Make a call a problem exactly while a result, its container or its last request is."""
        flags, asked = self._rows.flags(call), self.requests_of(call)
        made_by = [row for row in asked if row in self.containers]
        ends = (*self.linked(call), *self.outcomes.get(call, ()), *made_by, *asked[-1:])
        ends = () if flags & Flag.SUPERSEDED else ends
        failed = any(
            self._rows.flags(row) & Flag.PROBLEM and not self._superseded(row) for row in ends
        )
        if failed != bool(flags & Flag.PROBLEM):
            self._rows.set_flags(call, flags ^ Flag.PROBLEM)
            if not flags & Flag.ABSENT:
                self._summary.problem(1 if failed else -1)
            if call in self.asks_for:
                self.set_problem(self.asks_for[call])

    def _same(self, key: str) -> SameId:
        same = self._known.get(key)
        if same is None:
            if self._in_front:
                self._unpack(key)
            same = SameId() if self._in_front else self._known_before(key)
            self._known[key] = same
        return same

    def _known_before(self, key: str) -> SameId:
        before = self._before.get(key)
        same = SameId() if before is None else before.copy()
        if not same.newest:
            row = self.newest.packed_row(key) if key in self._entries else self.newest.get(key)
            running = [call for call in same.running if call.row == row]
            if running:
                same.running = tuple(call for call in same.running if call.row != row)
                same.newest = (*running,)
            elif row is not None and all(row != call.row for call in same.older):
                same.newest = (known_only(row),)
            elif same.older:
                # It stays known when it has its result: a copy of it may follow.
                same.newest = (same.older.pop(),)
        return same

    def _open_again(self, before: SameId | None, calls: Sequence[Occurrence]) -> SameId:
        """The calls as another process knows them: which of them are open is for it to say."""
        rows = {call.row: call for call in calls}
        same = SameId() if before is None else before
        same.newest = tuple(
            call for call in same.newest if not self._rows.flags(call.row) & self._parts(call.row)
        )
        for call in same.newest:
            if call.row in rows:
                call.results = rows[call.row].results
            elif not call.results or call.runs:
                call.results = frozenset({""})
        newest = {call.row for call in same.newest}
        older = [call for call in calls if call.row not in newest]
        same.older = [call for call in older if call.waits] or ()
        same.running = tuple(call for call in older if call.runs)
        return same

    def _again(
        self, key: str, known: SameId, entries: Sequence[Entry], *, whole: bool = False
    ) -> bool:
        """Take records behind those of `known` again; True if all were."""
        left = [entry for entry in entries if entry.row not in self.gone]
        over = [entry for entry in entries if entry.row in self.gone]
        if whole or over:
            for entry in left:
                entry.begins = False
        taken, through = replay(known, left)
        rows = [entry.row for entry, _ in taken if entry.role == Role.CALL]
        for row in (*rows, *(entry.row for entry in over if entry.role == Role.CALL)):
            self._clear(row)
        for entry, target in taken:
            self._apply(key, entry, target)
        for row in {*rows, *(target for _, target in taken if target is not None)}:
            self.set_problem(row)
        if through and known.newest:
            self.newest.table[key] = known.newest[-1].row
        return through

    def _clear(self, call: int) -> None:
        """Let nothing be joined with a call."""
        self._rows.set_link(call, None)
        for row in [*self.requests.get(call, ())]:
            self._release(row)
        self._summary.answered(call)
        self.forget(call)
        self.changed.add(call)
        self._touch(call)

    def _apply(self, key: str, entry: Entry, target: int | None) -> None:
        if target is None:
            return
        if entry.role == Role.CALL:
            self._apply_call(key, entry, target)
        elif entry.role == Role.REQUEST:
            self._join_request(target, entry.row)
        else:
            if entry.role == Role.RESULT:
                self._summary.answered(target)
            self._join(target, entry)

    def _apply_call(self, key: str, entry: Entry, target: int) -> None:
        row = entry.row
        if target == row or entry.took_over:
            if target != row:
                self._replace(target, row)
            self._stand(key, row)
            container = self.containers.container_of(row)
            if container is not None:
                self._fold_container(container)
            if not any(not self._superseded(result) for result in self.linked(row)):
                self._summary.asked(Pending(key, row, entry.signal, entry.stream))
            return
        self._summary.answered(row)
        for stream in [stream for stream, call in self.children.items() if call == row]:
            self.children[stream] = target
        if entry.amends and self.links is not None:
            self.links.merge_call(target, row)
        else:
            self._mark(row, Flag.TWIN)
            self._rows.set_link(row, target)
        self._rows.set_flags(row, self._rows.flags(row) & ~Flag.PROBLEM)

    def _stand(self, key: str, row: int) -> None:
        """Let a row stand for a call of its own, also one that was taken for a part of another."""
        flags = self._rows.flags(row)
        left = flags & ~self._parts(row)
        if left != flags:
            self._rows.set_flags(row, left)
            self._summary.kinds[self._rows.kind(row)] += not left & Flag.ABSENT
            self._touch(row)
        known = self.newest.table.get(key)
        if known is None or known < row:
            self.newest.table[key] = row

    def _parts(self, row: int) -> int:
        return Flag.SUPERSEDED if row in self.asks_for else Flag.SUPERSEDED | Flag.JOINED

    def _replace(self, old: int, new: int) -> None:
        """Hand what was joined with a call to the record that takes its place."""
        self._mark(old, Flag.REPLACED)
        self._summary.answered(old)
        linked, outcomes = self.linked(old), self.outcomes.get(old, [])
        progress, requests = self.progress.get(old), [*self.requests.get(old, ())]
        self._clear(old)
        for result in linked:
            self._rows.set_link(result, new)
            self._link_result(new, result)
        for outcome in outcomes:
            self._rows.set_link(outcome, new)
            self._join_outcome(new, outcome)
        if progress is not None:
            self._rows.set_link(progress, new)
            self._join_progress(new, progress)
        for request in requests:
            self._join_request(new, request)
        for stream in [stream for stream, call in self.children.items() if call == old]:
            self.children[stream] = new
        self._rows.set_flags(old, self._rows.flags(old) & ~Flag.PROBLEM)
        self.set_problem(new)

    def _separate(self, call: int, row: int) -> None:
        if self._rows.link(call) == row:
            first, *rest = (*self.extra_results.pop(call, ()), None)
            self._rows.set_link(call, first)
            if rest[:-1]:
                self.extra_results[call] = [each for each in rest if each is not None]
        for rows in (self.extra_results.get(call, []), self.outcomes.get(call, [])):
            if row in rows:
                rows.remove(row)
        if self.progress.get(call) == row:
            self.progress.pop(call)
        if self.links is not None and row in self.links.amendments.get(call, ()):
            self.links.amendments[call].remove(row)
        if row in self.asks_for:
            self._release(row)

    def _begin(self, row: int, fact: EventFact) -> None:
        """Remember which agent a call started, as far as the call says."""
        if fact.prompt is not None:
            self.agent_prompts.setdefault(fact.prompt, []).append(row)
        if fact.child is not None:
            self.children[fact.child] = row

    def _join(self, call: int, entry: Entry) -> None:
        row = entry.row
        segment, at = self._rows.find(row)
        flags = segment.flags[at]
        if entry.path == REPEATED and flags & Flag.TWIN:
            flags = segment.flags[at] = flags & ~Flag.TWIN | Flag.JOINED
        if flags & Flag.SUPERSEDED:
            return
        if entry.path == REPEATED and any(other != row for other in self.linked(call)):
            self._mark(row, Flag.TWIN)
            self._rows.set_link(row, call)
            return
        if entry.child is not None:
            self.children[entry.child] = call
        segment.set_link(at, call - row)
        if entry.role == Role.RESULT:
            if not self._link_result(call, row) or (flags | self._rows.flags(call)) & Flag.PROBLEM:
                self.set_problem(call)
            self._fold(call, self._acting(call, entry))
        elif entry.role == Role.PROGRESS:
            self._join_progress(call, row)
        else:
            self._join_outcome(call, row)
        if not flags & Flag.JOINED:
            segment.flags[at] = flags | Flag.JOINED
            if not flags & Flag.ABSENT:
                self._summary.left(row, segment.kinds[at], flags)
        self._touch(row)
        self._touch(call)
        self._touch(self.asks_for.get(call, call))

    def _acting(self, call: int, result: Entry) -> Sequence[int]:
        """The calls that act on what a call began by its result."""
        begins = result.path.startswith(RUNS) and not self.processes.has(result.path, call)
        return self.processes.begins(result.path, result.row) if begins else ()

    def began(self) -> Sequence[int]:
        """Calls that began something that runs on, whether or not its end is known, in order."""
        found = ((self._rows.link(row), row) for row, _ in self.processes.each())
        calls = {self.asks_for.get(call, call) for call, _ in found if call is not None}
        return sorted(call for call in calls if not self._rows.flags(call) & Flag.ABSENT)

    def runs_on(self, call: int) -> bool:
        """Return True if no end was reported of what a call began."""
        return all(self._superseded(row) for row in self.outcomes.get(call, ()))

    def _fold(self, call: int | None, acting: Sequence[int]) -> None:
        """Let a call show the calls that act on what it began, and its end."""
        if call is None:
            return
        if call not in self.containers:
            call = self.asks_for.get(call, call)
        for row in acting:
            if not self.is_call(row):
                self._join_end(call, row)
            elif row != call and self.asks_for.get(row) != call:
                self._join_request(call, row)

    def _fold_container(self, container: int) -> None:
        """Let the first of the calls that a container made show it; it counts by these alone."""
        shown_by = self.asks_for.get(container)
        made = [*self.containers.nested(container)]
        if shown_by is not None and self.containers.container_of(shown_by) is None:
            # Another process found an earlier one, of which nothing else is known here.
            made.append(shown_by)
        first = min((row for row in made if not self._superseded(row)), default=None)
        if first is None:
            if shown_by is not None:
                self._release(container)
        elif shown_by != first or not self._is_joined(container):
            self._join_request(first, container)

    def _is_joined(self, row: int) -> bool:
        return bool(self._rows.flags(row) & Flag.JOINED)

    def _join_end(self, call: int, row: int) -> None:
        """Let a call show that what it began has ended."""
        known = self._rows.link(row)
        if known is not None and known != call:
            self._separate(known, row)
            self.set_problem(known)
            self.changed.add(known)
            self._touch(known)
        self._join(call, Entry(row, Role.OUTCOME))

    def _join_request(self, call: int, row: int) -> None:
        """Let a call show a request for permission, a call on what it began, or its container.

        A request for another request stands by itself.
        """
        flags, kind = self._rows.flags(row), self._rows.kind(row)
        if self._rows.kind(call) == REQUEST or flags & Flag.SUPERSEDED:
            return
        if row in self.asks_for:
            self._release(row)
            flags = self._rows.flags(row)
        self.asks_for[row] = call
        self.requests.setdefault(call, []).append(row)
        self.changed.add(call)
        self._rows.set_flags(row, flags | Flag.JOINED)
        if not flags & Flag.ABSENT:
            self._summary.left(row, kind, flags)
        self.set_problem(call)
        self._touch(row)
        self._touch(call)

    def _release(self, row: int) -> None:
        """Let a request for permission stand by itself again."""
        call = self.asks_for.pop(row)
        self.requests[call].remove(row)
        self.changed.add(call)
        flags = self._rows.flags(row) & ~Flag.JOINED
        self._rows.set_flags(row, flags)
        if not flags & Flag.ABSENT:
            self._summary.kinds[self._rows.kind(row)] += 1
            self._summary.problem(1 if flags & Flag.PROBLEM else 0)
        self._touch(row)

    def _join_progress(self, call: int, row: int) -> None:
        known = self.progress.get(call)
        latest = row if known is None or self._superseded(known) else max(row, known)
        self.progress[call] = latest
        self.changed.add(call)

    def _join_outcome(self, call: int, row: int) -> None:
        known = self.outcomes.setdefault(call, [])
        if row not in known:
            known.append(row)
        self.changed.add(call)
        if self._rows.flags(row) & Flag.PROBLEM:
            self.set_problem(call)

    def _link_result(self, call: int, row: int) -> bool:
        """Make a row a result of a call; True for its first."""
        segment, at = self._rows.find(call)
        if not segment.link(at):
            segment.set_link(at, row - call)
            if self._rows.has_unknown_outcome(row):
                self._rows.set_unknown_outcome(call)
            return True
        known = self.extra_results.setdefault(call, [])
        if row not in known and row != call + segment.link(at):
            known.append(row)
            # Which of them has the last word is for their texts to say.
            self._rows.set_unknown_outcome(call)
            self.changed.add(call)
        return False

    def _superseded(self, row: int) -> bool:
        return bool(self._rows.flags(row) & Flag.SUPERSEDED)

    def is_call(self, row: int) -> bool:
        return self._rows.kind(row) in CALLS
