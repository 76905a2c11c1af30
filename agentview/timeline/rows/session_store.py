"""One session in memory: packed rows, decoded again from the log when they are shown."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.activity import Activity, ChildSummary, Kind, RowKind
from agentview.domain.events import Body, Event
from agentview.domain.index_entry import KINDS, Flag, LightEvent, RecordFacts, Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.session_state import ClientFacts, SessionStatus, status_now
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.errors import AgentViewError
from agentview.normalize.session_state import (
    agent_name,
    deciding_call,
    is_request,
    log_status,
)
from agentview.providers.base import Provider
from agentview.sources.line_splitter import Line, cut_lines
from agentview.sources.member import last_write
from agentview.sources.open_file import read_at
from agentview.timeline.rows.agent_summaries import PriceOf, summary_of, summary_of_run
from agentview.timeline.rows.applied_record import records_of_rows, take_records
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.branches.branch_folds import BranchCost, BranchFolds
from agentview.timeline.rows.branches.branch_tree import Branch, BranchCounts
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.hydrate import Activities, Succession
from agentview.timeline.rows.packets import Keys, Packet
from agentview.timeline.rows.record_cache import RecordCache
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_summary import Pending, Summary
from agentview.timeline.rows.todo_lists import MAX_STEPS, RunningTodos

COUNTED_BYTES = 256 * 1024
"""Bytes of a branch up to which what it cost is counted when it is shown."""


MOST_RUNNING = 32
"""Calls that began something of which it is found out whether that runs still, the newest ones."""
_PENDING = 64
"""Calls without a result of which what is known is kept."""


def _request_of_agent(pending: Sequence[Pending]) -> Pending | None:
    """The first of the calls of agents in the log of their session that asks the person."""
    asks = (call for call in pending if call.stream is not None and is_request(call.signal))
    return next(asks, None)


class SessionStore:
    """Rows of one session, and who wants to know when they change.

    `live` says whether the log is being followed, so that a call without a result may still run.
    With `folding` each abandoned branch is one row, which opens in place: as a reader sees it.
    """

    def __init__(
        self,
        provider: Provider,
        session: SessionRef,
        *,
        live: bool = False,
        folding: bool = False,
        at_once: bool = False,
        lists_at_once: int = 3 * MAX_STEPS,
    ) -> None:
        """`at_once`: the log is read from its start to its end now, and not followed then.

        `lists_at_once`: steps that a todo list may take before an activity comes without it.
        """
        self.provider = provider
        self.session = session
        self.live = live
        self.indexed = at_once
        self.revision = 0
        self._log_status: tuple[int, RowsChanged, SessionStatus] | None = None
        """The state by the log, and the changes until then."""
        self.children: dict[Stream, SessionStore] = {}
        self.price_of: PriceOf = lambda _: None
        """Estimates what an agent cost, for the card of the call that started it."""
        self.client: Callable[[float], ClientFacts | None] = lambda _: None
        """Facts of the session's client from outside the log, at a time."""
        self.call_words: Callable[[], str | None] = lambda: None
        """The state of a call that has no result; None where nobody looks."""
        self._pending: dict[int, tuple[Activity, Activity]] = {}
        """The last calls without a result by row, as they are joined and with those words."""
        self.lists_left: Callable[[], None] = lambda: None
        """Called when an activity was given without its todo list."""
        self._folding = folding
        self._at_once = at_once
        self._lists_at_once = lists_at_once
        self._assemble_again()
        self._first = 0
        self._appended: list[RecordFacts] = []
        """Records appended until all was indexed."""
        self._unannounced = RowsChanged()
        self._subscribers: list[Callable[[RowsChanged], None]] = []

    @property
    def first(self) -> int:
        """Number of the first row that was announced to subscribers."""
        return self._first

    @property
    def end(self) -> int:
        """One past the number of the last row."""
        return self._assembler.rows.end

    @property
    def summary(self) -> Summary:
        return self._assembler.summary

    def newest(self, most: int) -> tuple[int, ...]:
        """Byte offsets of the records of the last rows that stand somewhere, in order."""
        return self._assembler.newest(most)

    def kind(self, row: int) -> Kind:
        """Kind of the row, without decoding it."""
        fold = self.fold(row)
        if fold is not None and fold.head == row:
            return RowKind.BRANCH
        return KINDS[self._assembler.rows.kind(row)]

    def shown(self, row: int) -> bool:
        """False for rows that stand nowhere: results joined with their call, twins, bookkeeping.

        Of a folded branch only the first row is shown.
        """
        if self.fold(row) is None:
            return not self._assembler.absent(row)
        return not self.codes(row, row + 1)[1][0] & Flag.ABSENT

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Kind codes (places in `KINDS`) and flags (`Flag`) of rows known now, a byte each.

        A row that stands nowhere has one of the bits of `Flag.ABSENT`.
        """
        folds = self._folds
        return self.joined_codes(start, stop) if folds is None else folds.codes(start, stop)

    def joined_codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """The same whatever of it a reader sees: `Flag.REWOUND` is on abandoned branches."""
        return self._assembler.codes(start, stop)

    def ended_well(self, start: int, stop: int) -> bytes:
        """A byte a row: 255 for calls that are known to have gone well, else 0."""
        return self._assembler.rows.ended_well(start, stop)

    def problem(self, row: int) -> bool:
        """True for failures, denials, and what could not be read; of no branch that may fold."""
        return self.fold(row) is None and bool(self._assembler.rows.flags(row) & Flag.PROBLEM)

    def starts_turn(self, row: int) -> bool:
        """True for a prompt of the main stream; of no branch that may fold."""
        return self.fold(row) is None and bool(self._assembler.rows.flags(row) & Flag.TURN)

    def branch(self, row: int) -> Branch | None:
        """The abandoned branch that a row is part of; None for a row of the active one."""
        return self._assembler.branches.branch(row)

    def branch_counts(self, branch: Branch) -> BranchCounts:
        return self._assembler.branches.counts(branch)

    def branch_records(self, branch: Branch) -> frozenset[int]:
        """Byte offsets of the records of an abandoned branch."""
        return frozenset(self.offset(row) for row in range(branch.start, branch.stop))

    def fold(self, row: int) -> Branch | None:
        """The abandoned branch that a row is part of, where branches are folded."""
        return None if self._folds is None else self._folds.of(row)

    def is_folded(self, row: int) -> bool:
        """Return True if a row would be shown if its branch were open."""
        return self._folds is not None and self._folds.is_folded(row)

    def is_open(self, row: int) -> bool:
        return self._folds is not None and self._folds.is_open(row)

    def open_fold(self, row: int, opened: bool = True) -> None:
        """Open the abandoned branch that a row is part of, or fold it."""
        fold = None if self._folds is None else self._folds.open(row, opened)
        if fold is not None:
            self._publish(RowsChanged(updated=range(fold.start, fold.stop)))

    def open_folds(self) -> None:
        for branch in () if self._folds is None else self._folds.all():
            self.open_fold(branch.head)

    def nested(self, row: int) -> bool:
        return self._assembler.nested(row)

    def source(self, row: int) -> SourceRef:
        """Where the record of the row is; no line number."""
        offset, length, _ = self._assembler.rows.span(row)
        return SourceRef(self.session.path, offset, length)

    def offset(self, row: int) -> int:
        """Where the record of the row begins."""
        return self._assembler.rows.offset(row)

    def offsets(self, start: int, stop: int) -> Sequence[int]:
        return self._assembler.rows.offsets(start, stop)

    def place(self, row: int) -> tuple[int, int]:
        """Byte offset of the record of the row and its number there, as `row_of` takes them."""
        offset, _, sub = self._assembler.rows.span(row)
        return offset, sub

    def row_at_offset(self, offset: int) -> int | None:
        """The row whose record begins at or before the byte; None before the first row."""
        row = self._assembler.rows.row_at_offset(offset)
        return row if row is not None and row >= self._first else None

    def row_of(self, offset: int, sub: int) -> int | None:
        """The row of event number `sub` of the record at a byte; None when it is not known."""
        rows = self._assembler.rows
        row = self.row_at_offset(offset)
        while row is not None and row >= self._first:
            begin, _, number = rows.span(row)
            if begin != offset or number < sub:
                return None
            if number == sub:
                return row
            row -= 1
        return None

    def of_kinds(self, kinds: Collection[Kind]) -> list[int]:
        """Rows of these kinds known now, in order."""
        codes = [code for code, kind in enumerate(KINDS) if kind in kinds]
        return [row for row in self._assembler.rows.of_kinds(codes) if row >= self._first]

    def began(self) -> Sequence[int]:
        """Rows of the calls that began what runs on without them, ended or not, in order."""
        known, changes = self._began, self._unannounced
        if known is None or known[0] != self.revision or known[1] is not changes:
            known = self._began = self.revision, changes, self._assembler.calls.began()
        return known[2]

    def running(self) -> list[int]:
        """Rows of those of `began` that run still, of the newest ones in order."""
        runs_on = self._assembler.calls.runs_on
        left = [row for row in self.began() if row not in self._over and runs_on(row)]
        found = left[-MOST_RUNNING:]
        calls = {row: self.activity(row).body for row in found}
        self._over |= {
            row
            for row, call in calls.items()
            if not isinstance(call, ToolCall) or not _is_running(call)
        }
        return [row for row in found if row not in self._over]

    def output_file(self, row: int) -> Path | None:
        """The file that has, or gets, the output of the call of a row; None where it has none."""
        call = self.activity(row).body
        result = call.result if isinstance(call, ToolCall) else None
        if not isinstance(result, ShellResult) or result.spill_path is None:
            return None
        return self.provider.discovery.externalized_output(self.session, result.spill_path)

    def announce_output(self, row: int) -> None:
        self._announce(RowsChanged(updated=(row,)))

    def reports(self, start: int, stop: int) -> list[int]:
        return [row for row in self._assembler.reports(start, stop) if row >= self._first]

    def body(self, row: int) -> Body:
        return self._activities.event(row).body

    def time(self, row: int) -> float | None:
        """When the record of the row was written, epoch seconds; None where it does not say."""
        return self._activities.event(row).time

    def event(self, row: int) -> Event:
        return self._activities.event(row)

    @property
    def succession(self) -> Succession:
        return Succession(self._assembler, self._records)

    def side_streams(self) -> Mapping[Stream, int]:
        return self._assembler.children

    def joined(self, row: int) -> Sequence[int]:
        return self._assembler.joined(row)

    def joined_with(self, row: int) -> int | None:
        """The row whose activity shows what this row says too; None when none does."""
        return self._assembler.joined_with(row)

    def call_row(self, call_id: str) -> int | None:
        """The row of a call, None when it has not been read."""
        return self._assembler.call_row(call_id)

    def status(self, now: float) -> SessionStatus:
        """The state of the session at the time `now`, epoch seconds, and how it is known."""
        return status_now(self.log_status(), self.last_activity(), now, self.client(now))

    def last_activity(self) -> float | None:
        """The time of the last record, or of the file where its records have no times."""
        last = self.summary.times.last
        return last_write(self.session.path) if last is None else last

    def log_status(self) -> SessionStatus:
        """The status that the log shows, whatever time has passed since."""
        known = self._log_status
        if known is None or known[0] != self.revision or known[1] is not self._unannounced:
            known = (self.revision, self._unannounced, self._find_log_status())
            self._log_status = known
        return known[2]

    def _find_log_status(self) -> SessionStatus:
        pending = [call for call in self._pending_calls() if not self._is_answered(call)]
        pending.sort(key=lambda call: call.row)
        calls = [call for call in pending if call.stream is None]
        signal, row = self._assembler.last_signal()
        at = deciding_call(signal, [call.signal for call in calls])
        own = at is not None and is_request(calls[at].signal)
        asked = None if own or signal != Signal.AGENT else _request_of_agent(pending)
        running = False
        if asked is not None:
            signal, row = asked.signal, asked.row
        elif at is not None:
            signal, row = calls[at].signal, calls[at].row
            running = row in self._assembler.progress
        waiting = at is not None or asked is not None
        over = self._end_before_call(row) if not waiting and signal == Signal.AGENT else None
        if over is not None:
            signal, row = Signal.OVER, over
        turn = max(self.summary.turn_rows.get(None, ()), default=None)
        status = log_status(
            signal,
            self._activities.whole(row) if signal else None,
            habits=self.provider.habits,
            waiting=waiting,
            running=running,
            turn=None if turn is None else self.time(turn),
            subagent=self.session.stream.kind is not StreamKind.MAIN,
            mode=self.summary.text("mode"),
        )
        requests = sum(is_request(call.signal) for call in pending)
        if not requests:
            return status
        agent = None if asked is None or asked.stream is None else self._name_of(asked.stream)
        return replace(status, agent=agent, requests=requests)

    def _name_of(self, agent: Stream) -> str:
        """The name of an agent whose records are in this log too."""
        row = self.child_call(agent)
        return agent_name(None if row is None else self._activities.whole(row).body, agent.id)

    def _end_before_call(self, row: int) -> int | None:
        """The end of the turn in which a call began that was recorded behind that end."""
        call = row if self._assembler.calls.is_call(row) else self.joined_with(row)
        end = None if call is None else self._assembler.end_before(row)
        if call is None or end is None:
            return None
        began, ended = self.time(call), self.time(end)
        late = began is not None and ended is not None and began < ended
        return end if late else None

    def _is_answered(self, call: Pending) -> bool:
        """Return True for a request for permission to make a call that has its result."""
        asked_for = self._assembler.asked_for(call.row)
        return asked_for is not None and bool(self._assembler.results(asked_for))

    def pending_rows(self) -> list[int]:
        return sorted(call.row for call in self._pending_calls())

    def subscribe(self, callback: Callable[[RowsChanged], None]) -> Callable[[], None]:
        """Have `callback` called after each change; returns the function that ends it."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    def append(self, records: Sequence[RecordFacts]) -> None:
        """Take records that follow the last one."""
        waiting = self.pending_rows()
        change = self._assembler.append(records)
        if not self.indexed:
            self._appended += records
        else:
            self._assembler.settle(in_memory=self._at_once)
            self.summary.settle()
        # What still waited may have been passed over by what came now.
        updated = sorted(row for row in {*change.updated, *waiting} if row >= self._first)
        self._announce(replace(change, updated=updated))

    def prepend(self, records: Sequence[RecordFacts]) -> None:
        self._announce_all(self._assembler.prepend(records))

    def begin_absorbing(self) -> None:
        """Prepare for packets that contain the rows that are here again, and those before them."""
        self._assembler.begin_absorbing()

    def absorb(self, message: Packet | Keys, *, announce: bool = True) -> None:
        """Take over what a child has read and joined.

        Subscribers are notified with the next message that is announced, or when all is indexed.
        """
        if isinstance(message, Packet):
            change = self._assembler.absorb(message)
        else:
            change = self._assembler.absorb_keys(message)
        updated = (*self._unannounced.updated, *change.updated)
        self._unannounced = replace(self._unannounced, updated=updated)
        if announce:
            change, self._unannounced = self._unannounced, RowsChanged()
            self._announce_all(change)

    def rows_before(self, offset: int) -> int:
        """How many of the rows that were appended so far begin before a byte."""
        return len(take_records(each for each in self._appended if each.offset < offset).places)

    def joined_behind(
        self,
        begin: int,
        offset: int,
        earlier: Sequence[RecordFacts],
        packet: Packet,
        keys: Iterable[Keys],
    ) -> Assembler:
        """Join what is here with rows that were joined before: those up to number `begin` - 1.

        `earlier` are the records from byte `offset` on, where these rows end, up to the first row
        that is here. Nothing changes here until `take_over`: for a thread.
        """
        assembler = Assembler.of(self.provider)
        assembler.begin_absorbing(begin)
        appended = tuple(self._appended)
        assembler.append([*earlier, *(each for each in appended if each.offset >= offset)])
        assembler.absorb(packet)
        for part in keys:
            assembler.absorb_keys(part)
        return assembler

    def take_over(self, assembler: Assembler, offset: int) -> None:
        """Show what `joined_behind` gave, and what was appended meanwhile."""
        # Those that are known change nothing.
        assembler.append([each for each in self._appended if each.offset >= offset])
        assembler.child_calls.update(self._assembler.child_calls)
        assembler.child_runs.update(self._assembler.child_runs)
        self._assemble_again(assembler)
        self._announce_all(RowsChanged(updated=tuple(range(self._first, self.end))))

    def finish_indexing(self) -> None:
        """Say that the whole log has been read."""
        self.indexed = True
        self._appended = []
        change, self._unannounced = self._unannounced, RowsChanged()
        self._announce_all(replace(change, indexed=True))

    def relocate(self, session: SessionRef) -> None:
        """Keep all rows: their log is at another path now."""
        self.session = session
        self._activities.move(session)

    def reset(self) -> None:
        """Drop all rows: they came from a file that was replaced."""
        self._assemble_again()
        self._first = 0
        self._appended = []
        self._unannounced = RowsChanged()
        self.indexed = self._at_once
        self._announce(RowsChanged(reset=True))

    def rewrite(self, records: Sequence[RecordFacts], unread: int = 0) -> None:
        """Take the records of a log that was written again, from its first one on.

        Rows keep their numbers, so that what says the same as before stays where it is. `unread`
        records had no rows yet.
        """
        before, first = self._assembler.rows, self._first
        self._unannounced = RowsChanged()
        if not self.indexed:
            self._appended = list(records)
        self._assemble_again()
        front = records_of_rows(records, unread, -first)
        self._assembler.append(records[front or 0 :])
        if front:
            self._assembler.prepend(records[:front])
        if front is None or self.end < before.end:
            self._first = self._assembler.rows.first
            self._announce(RowsChanged(reset=True))
            self._announce(RowsChanged(appended=self.end))
            return
        updated = tuple(range(first, before.end))
        appended = self.end - before.end
        self._announce_all(RowsChanged(appended=appended, updated=updated))

    def set_child(self, stream: Stream, child: "SessionStore", call_id: str | None) -> None:
        """Attach the log of an agent that this session started, and follow its changes."""
        self.children[stream] = child
        if call_id is not None:
            self._assembler.child_calls[stream] = call_id
        if child.session.run is not None:
            run = Stream(StreamKind.RUN, child.session.run)
            self._assembler.child_runs[stream] = run
        child.subscribe(lambda _: self._child_changed(stream))
        self._child_changed(stream)

    def child_call(self, stream: Stream) -> int | None:
        """The row of the call that started the agent of `stream`, as far as it is known."""
        known = self._assembler.child_row(stream)
        if known is not None or stream not in self.children:
            return known
        agent = self.children[stream]
        prompt = agent.summary.first_prompt
        rows = self._assembler.agent_prompts.get(prompt, []) if prompt is not None else []
        if not rows and agent.session.run is not None:
            # Where the log does not name the run, only one call may have started it.
            known = set(self._assembler.children.values())
            calls = self.of_kinds({ToolKind.SUBAGENT_TASK})
            rows = [row for row in calls if row not in known and self.shown(row)]
        return rows[0] if len(rows) == 1 else None

    def activity(self, row: int) -> Activity:
        """The row decoded and joined, through a bounded cache; see `lists_left`."""
        found = self._folded_activity(row)
        if self.lists_wait:
            self.lists_left()
            found = found if self.lists_wait else self._folded_activity(row)
        body = found.body
        if found.live and isinstance(body, ToolCall) and body.state is ToolState.INPUT_AVAILABLE:
            return self._with_words(row, found)
        return found

    def _with_words(self, row: int, call: Activity) -> Activity:
        """A call without a result with what is known of it; the same object while that is so."""
        words = self.call_words()
        known = self._pending.get(row)
        if known is None or known[0] is not call or known[1].pending != words:
            known = self._pending[row] = call, replace(call, pending=words)
            if len(self._pending) > _PENDING:
                del self._pending[next(iter(self._pending))]
        return known[1]

    def _folded_activity(self, row: int) -> Activity:
        found = self.joined_activity(row)
        return found if self._folds is None else self._folds.activity(row, found)

    def joined_activity(self, row: int) -> Activity:
        """The same, whatever of it a reader sees: that of the row itself on abandoned branches."""
        return self._todos.with_lists(row, self._activities.activity(row, live=self.live))

    @property
    def lists_wait(self) -> bool:
        """True if an activity was given without its todo list, since that takes too long."""
        return bool(self._todos.waiting)

    def finish_lists(self) -> Iterator[None]:
        """Complete and announce the lists that were left out; under a millisecond a step."""
        waited = tuple(self._todos.waiting)
        yield from self._todos.finishing()
        if waited:
            self._publish(RowsChanged(updated=waited))

    def announce_pending(self) -> None:
        self._announce(RowsChanged(updated=tuple(self.pending_rows())))

    def announce_state(self) -> None:
        """Notify subscribers of a change to something else than rows."""
        self._announce(RowsChanged())

    def remember(self, offset: int, length: int, events: Sequence[LightEvent]) -> None:
        self._records.remember(offset, length, events)

    def keep_fresh(self, line: Line) -> None:
        self._records.keep_fresh(line)

    def keep_first(self, line: Line, events: Sequence[LightEvent]) -> bool:
        return self._records.keep_first(line, events)

    @property
    def decoded(self) -> int:
        return self._records.decoded

    def _announce_all(self, change: RowsChanged) -> None:
        """Announce a change together with all rows that were prepended before it."""
        before, self._first = self._first, self._assembler.rows.first
        self._announce(replace(change, prepended=before - self._first))

    def _announce(self, change: RowsChanged) -> None:
        self._publish(self._todos.widen(change))

    def _publish(self, change: RowsChanged) -> None:
        self.revision += 1
        for subscriber in tuple(self._subscribers):
            subscriber(change)

    def announce_children(self) -> None:
        """Notify subscribers that more is known of agents and costs."""
        for stream in self.children:
            self._child_changed(stream)
        heads = [branch.head for branch in self._folds.all()] if self._folds is not None else []
        if heads:
            self._publish(RowsChanged(updated=heads))

    def _child_changed(self, stream: Stream) -> None:
        row = self.child_call(stream)
        if row is not None:
            self._announce(RowsChanged(updated=(row,)))

    def _pending_calls(self) -> list[Pending]:
        calls = [
            call for call in self.summary.pending.values() if not self._assembler.gone(call.row)
        ]
        over = {call.row for call in calls if self._activities.abandoned(call.row)}
        for row in over:
            self.summary.answered(row)
        return [call for call in calls if call.row not in over]

    def _assemble_again(self, assembler: Assembler | None = None) -> None:
        self._assembler = assembler = assembler or Assembler.of(self.provider)
        self._began: tuple[int, RowsChanged, Sequence[int]] | None = None
        """The result of `began`, with the changes until then."""
        self._over: set[int] = set()
        """Calls that began something, by row, which has ended as their results say."""
        self._records = RecordCache(self.provider, self.session)
        self._folds = (
            BranchFolds(assembler.branches, assembler.codes, self._cost) if self._folding else None
        )
        made = Activities(self.provider, self.session, assembler, self._records, self)
        self._activities, self._todos = (
            made,
            RunningTodos(
                assembler.rows,
                lambda row: made.activity(row, live=self.live),
                assembler.absent,
                self._lists_at_once,
            ),
        )

    def child_of(self, row: int) -> Stream | None:
        """The stream of the agent, or of the run of agents, that the call of the row started."""
        for stream, agent in self.children.items():
            if self.child_call(stream) == row:
                run = agent.session.run
                return stream if run is None else Stream(StreamKind.RUN, run)
        return None

    def child_summary(self, stream: Stream) -> ChildSummary | None:
        """Return the summary of a stream's agents, where their logs are open."""
        agents = [summary_of(agent, self.price_of) for agent in self.agents_of(stream)]
        if stream.kind is StreamKind.RUN and agents:
            return summary_of_run(agents)
        return agents[0] if agents else None

    def agents_of(self, stream: Stream) -> list["SessionStore"]:
        """The logs of a stream, of which a run may have several."""
        if stream.kind is StreamKind.RUN:
            agents = self.children.values()
            return [agent for agent in agents if agent.session.run == stream.id]
        return [self.children[stream]] if stream in self.children else []

    def _cost(self, branch: Branch) -> BranchCost:
        """Return the cost of an abandoned branch, counted in its records where they are few."""
        start, end = self.offset(branch.start), self.offset(branch.stop)
        if end - start > COUNTED_BYTES:
            return None, True, True
        try:
            data = read_at(Path(self.session.path), start, end - start)
        except AgentViewError:
            return None, True, True
        store = SessionStore(self.provider, self.session)
        store.append(reduce_lines(self.session, cut_lines(data, 0, start)))
        reported_cost = store.summary.spending.client_cost
        if reported_cost is not None:
            return reported_cost, False, True
        estimate = self.price_of(store.summary.spent)
        return (None, True, True) if estimate is None else (estimate[0], True, estimate[1])


def _is_running(call: ToolCall) -> bool:
    """Return True for a call without an end, or the first one of a container without an end."""
    maker = call.maker
    runs = maker is not None and maker.state is ToolState.INPUT_AVAILABLE
    return runs or call.state is ToolState.INPUT_AVAILABLE
