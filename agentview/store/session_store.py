"""One session in memory: packed rows, decoded again from the log when they are shown."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from agentview.domain.activity import Activity, ChildSummary, Kind, RowKind
from agentview.domain.events import (
    Body,
    Event,
    Notification,
    Reasoning,
    ToolProgress,
    ToolResult,
)
from agentview.domain.outline import KINDS, Flag, RecordFacts
from agentview.domain.results import ShellResult
from agentview.domain.session import LiveState, SessionRef, Stream
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.errors import AgentViewError
from agentview.providers.base import Provider
from agentview.store.assembler import Assembler
from agentview.store.changes import RowsChanged
from agentview.store.packets import Keys, Packet
from agentview.store.records import RecordCache
from agentview.store.summary import Summary
from agentview.tailing import Line, read_at

SPILL_BYTES = 1024 * 1024
"""How much is shown of an output that stands in a file of its own."""

PASSED_OVER = 500
"""Rows behind a call among which a later response of the model shows that it was passed over."""

_FROM_MODEL = frozenset({*ToolKind, RowKind.MESSAGE, RowKind.REASONING})

LATEST_OF_CHILD = 5
"""How many of the newest activities of another agent its card shows."""


class SessionStore:
    """Rows of one session, and who wants to know when they change.

    `live` tells whether the log is being followed, so that a call without a result may still run.
    """

    def __init__(self, provider: Provider, session: SessionRef, *, live: bool = False) -> None:
        self.provider = provider
        self.session = session
        self.live = live
        self.indexed = False
        self.revision = 0
        self.children: dict[Stream, SessionStore] = {}
        self._assembler = Assembler()
        self._records = RecordCache(provider, session)
        self._first = 0
        self._untold = RowsChanged()
        self._subscribers: list[Callable[[RowsChanged], None]] = []

    @property
    def first(self) -> int:
        """Number of the first row that subscribers were told of."""
        return self._first

    @property
    def end(self) -> int:
        """One past the number of the last row."""
        return self._assembler.rows.end

    @property
    def summary(self) -> Summary:
        """Facts about the session as far as it has been read."""
        return self._assembler.summary

    def kind(self, row: int) -> Kind:
        """Kind of the row, without decoding it."""
        return KINDS[self._assembler.rows.kind(row)]

    def shown(self, row: int) -> bool:
        """False for rows that stand nowhere: results joined with their call, twins, bookkeeping."""
        return not self._assembler.absent(row)

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Kind codes (places in `KINDS`) and flags (`Flag`) of rows known now, a byte each.

        A row that stands nowhere has one of the bits of `Flag.ABSENT`.
        """
        return self._assembler.codes(start, stop)

    def problem(self, row: int) -> bool:
        """True for failures, denials, and what could not be read."""
        return bool(self._assembler.rows.flags(row) & Flag.PROBLEM)

    def starts_turn(self, row: int) -> bool:
        """True for a prompt of the main stream."""
        return bool(self._assembler.rows.flags(row) & Flag.TURN)

    def nested(self, row: int) -> bool:
        """True for a row of another agent's stream."""
        return bool(self._assembler.rows.flags(row) & Flag.SIDE)

    def source(self, row: int) -> SourceRef:
        """Where the record of the row is; no line number."""
        place = self._assembler.rows.place(row)
        return SourceRef(self.session.path, place.offset, place.length)

    def row_at_offset(self, offset: int) -> int | None:
        """The row whose record begins at or before the byte; None before the first row."""
        row = self._assembler.rows.row_at_offset(offset)
        return row if row is not None and row >= self._first else None

    def row_of(self, offset: int, sub: int) -> int | None:
        """The row of event number `sub` of the record at a byte; None when it is not known."""
        rows = self._assembler.rows
        row = self.row_at_offset(offset)
        while row is not None and row >= self._first:
            place = rows.place(row)
            if place.offset != offset or place.sub < sub:
                return None
            if place.sub == sub:
                return row
            row -= 1
        return None

    def of_kinds(self, kinds: Collection[Kind]) -> list[int]:
        """Rows of these kinds known now, in order."""
        codes = [code for code, kind in enumerate(KINDS) if kind in kinds]
        return [row for row in self._assembler.rows.of_kinds(codes) if row >= self._first]

    def reports(self) -> list[int]:
        """Rows of the newest progress of each call that has no result."""
        return [row for row in self._assembler.reports() if row >= self._first]

    def body(self, row: int) -> Body:
        """What the record of the row itself says, without what it is joined with."""
        return self._event(row).body

    def joined(self, row: int) -> Sequence[int]:
        """Rows whose texts the activity of `row` shows beside its own."""
        return self._assembler.joined(row)

    def joined_with(self, row: int) -> int | None:
        """The row whose activity shows what this row says too; None when none does."""
        return self._assembler.joined_with(row)

    def call_row(self, call_id: str) -> int | None:
        """The row of a call, None when it has not been read."""
        return self._assembler.call_row(call_id)

    def state(self, now: float) -> LiveState:
        """Who has to act next at the time `now`, epoch seconds."""
        self._drop_abandoned()
        waiting = self.summary.pending.values()
        return self.summary.state(self._assembler.last_signal(), waiting, now)

    def pending_rows(self) -> list[int]:
        """Rows of the calls that wait for a result."""
        self._drop_abandoned()
        return sorted(call.row for call in self.summary.pending.values())

    def subscribe(self, callback: Callable[[RowsChanged], None]) -> Callable[[], None]:
        """Have `callback` called after each change; returns the function that ends it."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    def append(self, records: Sequence[RecordFacts]) -> None:
        """Take records that follow the last one."""
        waiting = self.pending_rows()
        change = self._assembler.append(records)
        if self.indexed:
            self._assembler.settle()
            self.summary.settle()
        # What still waited may have been passed over by what came now.
        updated = sorted(row for row in {*change.updated, *waiting} if row >= self._first)
        self._announce(replace(change, updated=updated))

    def prepend(self, records: Sequence[RecordFacts]) -> None:
        """Take records in file order that come before the first one."""
        self._tell(self._assembler.prepend(records))

    def begin_absorbing(self) -> None:
        """Get ready for packets that tell anew of the rows that are here, and of what is before."""
        self._assembler.begin_absorbing()

    def absorb(self, message: Packet | Keys, *, tell: bool = True) -> None:
        """Take over what a child has read and joined.

        Subscribers hear of it with the next one that is to be told, or when all is indexed.
        """
        if isinstance(message, Packet):
            change = self._assembler.absorb(message)
        else:
            change = self._assembler.absorb_keys(message)
        updated = (*self._untold.updated, *change.updated)
        self._untold = replace(self._untold, updated=updated)
        if tell:
            change, self._untold = self._untold, RowsChanged()
            self._tell(change)

    def finish_indexing(self) -> None:
        """Say that the whole log has been read."""
        self.indexed = True
        change, self._untold = self._untold, RowsChanged()
        self._tell(replace(change, indexed=True))

    def reset(self) -> None:
        """Forget all rows: the file is no longer the one that they came from."""
        self._assembler = Assembler()
        self._records.clear()
        self._first = 0
        self._untold = RowsChanged()
        self.indexed = False
        self._announce(RowsChanged(reset=True))

    def set_child(self, stream: Stream, child: "SessionStore", call_id: str | None) -> None:
        """Attach the log of an agent that this session started, and follow its changes."""
        self.children[stream] = child
        if call_id is not None:
            self._assembler.child_calls[stream] = call_id
        child.subscribe(lambda _: self._child_changed(stream))
        self._child_changed(stream)

    def child_call(self, stream: Stream) -> int | None:
        """The row of the call that started the agent of `stream`, as far as it is known."""
        known = self._assembler.child_row(stream)
        if known is not None or stream not in self.children:
            return known
        prompt = self.children[stream].summary.first_prompt
        rows = self._assembler.agent_prompts.get(prompt, []) if prompt is not None else []
        return rows[0] if len(rows) == 1 else None

    def activity(self, row: int) -> Activity:
        """The row decoded and joined, through a bounded cache."""
        event = self._event(row)
        body = event.body
        if isinstance(body, ToolCall):
            return self._call(row, event, body)
        started = event.time
        if isinstance(body, Reasoning) and body.duration is not None and started is not None:
            started -= body.duration
        # A notice has a duration of its own: of what it reports, not of the report.
        ended = None if isinstance(body, Notification) else event.time
        return Activity(body, (event,), started, ended, child=event.child)

    def announce_state(self) -> None:
        """Tell subscribers that something else than rows has changed."""
        self._announce(RowsChanged())

    def remember(self, offset: int, length: int, events: list[Event]) -> None:
        """Keep the events of a record that was decoded already, for when it is shown."""
        self._records.remember(offset, length, events)

    def keep_fresh(self, line: Line) -> None:
        """Keep the bytes of a line that was just read, for when it is shown."""
        self._records.keep_fresh(line)

    @property
    def decoded(self) -> int:
        """How many records were decoded to be shown."""
        return self._records.decoded

    def _tell(self, change: RowsChanged) -> None:
        """Announce a change together with all rows that were put in front before it."""
        before, self._first = self._first, self._assembler.rows.first
        self._announce(replace(change, prepended=before - self._first))

    def _announce(self, change: RowsChanged) -> None:
        self.revision += 1
        for subscriber in tuple(self._subscribers):
            subscriber(change)

    def _child_changed(self, stream: Stream) -> None:
        row = self.child_call(stream)
        if row is not None:
            self._announce(RowsChanged(updated=(row,)))

    def _call(self, row: int, event: Event, call: ToolCall) -> Activity:
        assembler = self._assembler
        results = [self._event(other) for other in assembler.results(row)]
        later = [
            self._event(other)
            for other in (assembler.progress.get(row), assembler.outcomes.get(row))
            if other is not None
        ]
        outcome = progress = None
        for other in later:
            if isinstance(other.body, ToolProgress):
                progress = other.body.output
            elif isinstance(other.body, Notification):
                outcome = other.body
        events = sorted((event, *results, *later), key=lambda each: each.source.offset)
        bodies = [each.body for each in results if isinstance(each.body, ToolResult)]
        live = False
        if bodies:
            call = self._with_whole_output(self.provider.answer(call, _merge(bodies)))
        elif self._abandoned(row, event):
            call = replace(call, state=ToolState.ABANDONED)
        else:
            live = self.live
        child = self._child_of(row, results)
        return Activity(
            call,
            tuple(events),
            event.time,
            results[-1].time if results else None,
            progress=progress,
            outcome=outcome,
            child=child,
            child_summary=self._child_summary(child) if child is not None else None,
            live=live,
        )

    def _with_whole_output(self, call: ToolCall) -> ToolCall:
        """The call with its output from the file beside the log, where the log has only a part."""
        result = call.result
        if not isinstance(result, ShellResult) or result.spill_path is None:
            return call
        file = self.provider.discovery.spilled(self.session, result.spill_path)
        if file is None:
            return call
        try:
            data = read_at(file, 0, min(file.stat().st_size, SPILL_BYTES))
        except (OSError, AgentViewError):
            return call
        text = data.decode("utf-8", "replace")
        told_apart = result.stdout is not None
        whole = replace(result, stdout=text) if told_apart else replace(result, output=text)
        return replace(call, result=whole)

    def _drop_abandoned(self) -> None:
        pending = self.summary.pending
        for call_id, call in list(pending.items()):
            if self._abandoned(call.row, self._event(call.row)):
                self.summary.answered(call_id)

    def _abandoned(self, row: int, call: Event) -> bool:
        """True when the log went on without an answer to the call: another turn, or response."""
        if self.summary.turn_after(row, call.stream if self.nested(row) else None):
            return True
        if call.response_id is None:
            return False
        for other in range(row + 1, min(self.end, row + PASSED_OVER)):
            if self.kind(other) not in _FROM_MODEL or self._assembler.gone(other):
                continue
            event = self._event(other)
            if event.stream == call.stream and event.response_id not in (None, call.response_id):
                return True
        return False

    def _child_of(self, row: int, results: Sequence[Event]) -> Stream | None:
        for result in results:
            if result.child is not None:
                return result.child
        return next((stream for stream in self.children if self.child_call(stream) == row), None)

    def _child_summary(self, stream: Stream) -> ChildSummary | None:
        store = self.children.get(stream)
        return store.as_child() if store is not None else None

    def as_child(self) -> ChildSummary:
        """What the agent of this log has done, for the card of the call that started it."""
        summary = self.summary
        latest: list[int] = []
        for row in range(self.end - 1, self.first - 1, -1):
            if self.shown(row):
                latest.append(row)
            if len(latest) == LATEST_OF_CHILD:
                break
        usage = summary.usage
        counts = (usage.input_uncached, usage.input_cached, usage.cache_write, usage.output)
        known = [count for count in counts if count is not None]
        return ChildSummary(
            state=self.state(time.time()),
            call_count=summary.count(*ToolKind),
            problem_count=summary.problems,
            total_tokens=sum(known) if known else None,
            model=summary.text("model"),
            latest=tuple(self.activity(row) for row in reversed(latest)),
        )

    def _event(self, row: int) -> Event:
        place = self._assembler.rows.place(row)
        return self._records.event(place.offset, place.length, place.sub)


def _merge(results: Sequence[ToolResult]) -> ToolResult:
    """One result out of several for the same call: all output, and the state of the last."""
    if len(results) == 1:
        return results[0]
    output = tuple(block for result in results for block in result.output)
    structured = next((r.structured for r in reversed(results) if r.structured is not None), None)
    return replace(results[-1], output=output, structured=structured)
