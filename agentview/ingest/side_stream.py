"""The rows of an agent whose records stand in the log of the session that started it."""

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from time import perf_counter

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Body, User
from agentview.domain.outline import KIND_CODES, KINDS, Flag
from agentview.domain.session import LiveState, SessionRef, Stream
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolKind
from agentview.ingest.session import LiveSession
from agentview.store.changes import RowsChanged
from agentview.timeline.agents import agent_name, agent_task
from agentview.timeline.header import HeaderFacts
from agentview.timeline.plain import first_line
from agentview.timeline.row_set import RowSet

_SLICE = 0.004
"""Seconds of looking at a time, between which keys and frames have their turn."""

_CHUNK = 8192
"""Rows whose codes are taken at a time."""

_NEAR = 64
"""Rows of agents behind a call among which the first one of its agent is looked for."""

_SIDE = bytes(bool(flags & Flag.SIDE) and not flags & Flag.ABSENT for flags in range(256))
_WITHIN = bytes(flags & ~Flag.SIDE & 255 for flags in range(256))
_OUTSIDE = bytes(flags | Flag.BOOKKEEPING for flags in range(256))
_PROMPTS = bytes(Flag.TURN if kind is RowKind.USER else 0 for kind in KINDS).ljust(256, b"\0")
_EDITS = (ToolKind.EDIT, ToolKind.WRITE, ToolKind.DELETE, ToolKind.NOTEBOOK_EDIT)


def holds_stream(session: LiveSession, call: int, stream: Stream) -> bool:
    """Whether the log has rows of the agent of a stream that was started by the call at a row."""
    looked = 0
    for start in range(call, session.end, _CHUNK):
        for row in _side_rows(session, start, min(start + _CHUNK, session.end)):
            if session.activity(row).first.stream == stream:
                return True
            looked += 1
            if looked == _NEAR:
                return False
    return False


class SideStream:
    """An agent's own timeline: rows of the session, of which only those of its stream are shown.

    Whose a row is shows only when it is decoded, so that they are found in slices, the nearest to
    `call` first, which is the row of the call that started the agent.
    """

    def __init__(self, session: LiveSession, stream: Stream, call: int) -> None:
        self.session = replace(session.ref, stream=stream, parent_id=session.ref.session_id)
        self.base = session
        self._stream = stream
        self._call = call
        self._own = RowSet()
        self._first = self._end = call
        """Rows between these have been looked at."""
        self._subscribers: list[Callable[[RowsChanged], None]] = []
        self._task: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._facts: tuple[tuple[int, int], HeaderFacts] | None = None

    @property
    def ref(self) -> SessionRef:
        """The log, with the stream that is shown of it."""
        return self.session

    @property
    def first(self) -> int:
        """Number of the first row of the log known so far."""
        return self.base.first

    @property
    def end(self) -> int:
        """One past the number of the last row of the log."""
        return self.base.end

    def start(self) -> None:
        """Look for the rows of the stream, and follow the session."""
        if self._unsubscribe is None:
            self._unsubscribe = self.base.subscribe(self._changed)
            self._look_on()

    def close(self) -> None:
        """Look for nothing more; the session goes on."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def subscribe(self, callback: Callable[[RowsChanged], None]) -> Callable[[], None]:
        """Have `callback` called after each change; returns the function that ends it."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    # Rows

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Kinds and flags; rows of other streams stand nowhere here, those of this one are main."""
        kinds, flags = self.base.codes(start, stop)
        own = int.from_bytes(self._own.mask(start, start + len(flags)), "little")
        within = int.from_bytes(flags.translate(_WITHIN), "little")
        within |= int.from_bytes(kinds.translate(_PROMPTS), "little")
        outside = int.from_bytes(flags.translate(_OUTSIDE), "little")
        every = (1 << 8 * len(flags)) - 1
        seen = (within & own) | (outside & (every ^ own))
        return kinds, seen.to_bytes(len(flags), "little")

    def _flags(self, row: int) -> int:
        return self.codes(row, row + 1)[1][0]

    def kind(self, row: int) -> Kind:
        """Kind of the row."""
        return self.base.kind(row)

    def shown(self, row: int) -> bool:
        """False for rows of other streams, and for those that stand nowhere."""
        return not self._flags(row) & Flag.ABSENT

    def problem(self, row: int) -> bool:
        """True for failures and denials."""
        return bool(self._flags(row) & Flag.PROBLEM)

    def starts_turn(self, row: int) -> bool:
        """True for what the agent was asked."""
        return bool(self._flags(row) & Flag.TURN)

    def nested(self, row: int) -> bool:
        """False: rows of other streams stand nowhere here."""
        return bool(self._flags(row) & Flag.SIDE)

    def activity(self, row: int) -> Activity:
        """The row decoded and joined."""
        return self.base.activity(row)

    def source(self, row: int) -> SourceRef:
        """Where the record of the row is."""
        return self.base.source(row)

    def row_at_offset(self, offset: int) -> int | None:
        """The last row whose record begins at or before the byte."""
        return self.base.row_at_offset(offset)

    def row_of(self, offset: int, sub: int) -> int | None:
        """The row of event number `sub` of the record at a byte."""
        return self.base.row_of(offset, sub)

    def of_kinds(self, kinds: Collection[Kind]) -> Sequence[int]:
        """Rows of these kinds of the stream, as far as they were found."""
        return [row for row in self.base.of_kinds(kinds) if row in self._own]

    def reports(self) -> Sequence[int]:
        """Rows of the newest progress of each call that has no result."""
        return self.base.reports()

    def body(self, row: int) -> Body:
        """What the record of the row itself says."""
        return self.base.body(row)

    def joined(self, row: int) -> Sequence[int]:
        """Rows whose texts the activity of `row` shows beside its own."""
        return self.base.joined(row)

    def joined_with(self, row: int) -> int | None:
        """The row whose activity shows what this row says too."""
        return self.base.joined_with(row)

    def header(self) -> HeaderFacts:
        """The facts of the agent as far as its rows tell; tokens and cost are not told apart."""
        key = self.base.revision, len(self._own)
        if self._facts is None or self._facts[0] != key:
            self._facts = key, self._told()
        return self._facts[1]

    def _told(self) -> HeaderFacts:
        whole = self.base.header()
        kinds, flags = self.codes(self.first, self.end)
        counts = [0] * len(KINDS)
        problems = 0
        for row in self._own:
            flag = flags[row - self.first]
            if not flag & Flag.ABSENT:
                counts[kinds[row - self.first]] += 1
                problems += bool(flag & Flag.PROBLEM)
        newest = self._own.previous(self.end)
        last = None if newest is None else self.activity(newest)
        read = (self._end - self._first) / max(1, self.end - self.first)
        return HeaderFacts(
            provider=whole.provider,
            title=self._title(),
            cwd=whole.cwd,
            branch=whole.branch,
            state=self._state(),
            last_activity=None if last is None else last.ended or last.started,
            written=whole.written,
            problems=problems,
            edits=sum(counts[KIND_CODES[kind]] for kind in _EDITS),
            shells=counts[KIND_CODES[ToolKind.SHELL]],
            rows=len(self._own),
            indexed=min(whole.indexed, read),
            presence=whole.presence,
            trouble=whole.trouble,
        )

    def _title(self) -> str:
        """What the agent was asked, by its own rows or by the call that started it."""
        first = self._own.next(self.first)
        body = None if first is None else self.body(first)
        if isinstance(body, User):
            return first_line(body.text, 200)
        call = self.activity(self._call) if self.first <= self._call < self.end else None
        return agent_task(call) or agent_name(call)

    def _state(self) -> LiveState:
        if not self.first <= self._call < self.end:
            return LiveState.UNKNOWN
        call = self.activity(self._call)
        return LiveState.WORKING if call.live and call.ended is None else LiveState.ENDED

    # What goes on in the session

    def _changed(self, change: RowsChanged) -> None:
        if change.reset:
            self._own = RowSet()
            self._first = self._end = self._call = self.base.end
        self._tell(change)
        self._look_on()

    def _tell(self, change: RowsChanged) -> None:
        for subscriber in tuple(self._subscribers):
            subscriber(change)

    def _look_on(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())

    async def _look(self) -> None:
        steps = self._steps()
        done = False
        while not done:
            before = len(self._own)
            found: list[int] = []
            until = perf_counter() + _SLICE
            while perf_counter() < until and not done:
                row = next(steps, self)
                done = row is self
                if isinstance(row, int):
                    found.append(row)
            if len(self._own) != before or done:
                self._tell(RowsChanged(updated=tuple(found), indexed=done))
            await asyncio.sleep(0)

    def _steps(self) -> Iterator[int | None]:
        """Look at rows of other streams than the main one; gives those that were found."""
        while self._end < self.base.end or self._first > self.base.first:
            if self._end < self.base.end:
                start, stop = self._end, min(self._end + _CHUNK, self.base.end)
                yield from self._take(start, stop)
                self._end = stop
            else:
                start = max(self._first - _CHUNK, self.base.first)
                yield from self._take(start, self._first)
                self._first = start

    def _take(self, start: int, stop: int) -> Iterator[int | None]:
        for row in _side_rows(self.base, start, stop):
            own = self.base.activity(row).first.stream == self._stream
            if own:
                self._own.put(row, present=True)
            yield row if own else None


def _side_rows(session: LiveSession, start: int, stop: int) -> Iterator[int]:
    mask = session.codes(start, stop)[1].translate(_SIDE)
    at = mask.find(1)
    while at >= 0:
        yield start + at
        at = mask.find(1, at + 1)
