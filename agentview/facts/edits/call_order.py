"""The calls of one log that touched files, in the order in which they ended."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from agentview.domain.index_entry import KINDS, Flag
from agentview.domain.record_ref import SourceRef
from agentview.domain.tool_inputs import ReadPayload, ShellPayload
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.value import Value
from agentview.facts.edits.call_operations import (
    CHANGING,
    TOUCHING,
    CallOutcome,
    outcomes_of,
    outcomes_of_other_server,
)
from agentview.facts.edits.shell import may_write
from agentview.timeline.rows.session_store import SessionStore

_UNSAID = Flag.SUPERSEDED | Flag.JOINED | Flag.BOOKKEEPING
"""Rows that only repeat what another row says. What was rewound was done all the same: the files
stay as they are when a conversation goes back, unless the client restores them too, which shows
from what is read or recorded later."""
_HELD = 16
"""Calls that are held back at most until it is known in which order they ended."""
_CHUNK = 512
"""Rows whose codes are looked at together."""
_WANTED = bytes(int(kind in TOUCHING) for kind in KINDS).ljust(256, b"\0")
_UNANSWERED = (ToolState.INPUT_AVAILABLE, ToolState.INPUT_STREAMING, ToolState.ABANDONED)
_PASSED_OVER = 5_000
"""Rows behind a call from which on nobody waits for its result, which may come late."""


class Call(Value):
    """A call that touched files."""

    time: float
    log: int
    row: int
    started: float
    outcome: tuple[CallOutcome, ...] | None
    """None for a read whose result has not been decoded: then `read` is what it asked for."""
    read: ReadPayload = ReadPayload("")
    nested: bool = False
    """It lasted from before another call on the same file to after it, and may include it."""
    rewound: bool = False
    """The conversation went back to before it."""

    @property
    def order(self) -> tuple[float, int, int]:
        """Calls are sorted by this: when they ended."""
        return self.time, self.log, self.row


class LogCalls:
    """Goes through a log once, and on from there when it has grown.

    `changed` says whether a file, by the path that a call names, was changed by an earlier call:
    what is read of others is decoded when it is needed.
    """

    def __init__(self, number: int, store: SessionStore, changed: Callable[[str], bool]) -> None:
        self.store = store
        self._number = number
        self._changed = changed
        self._first = self._end = store.first
        self._waiting: list[int] = []
        """Calls that had no result when they were looked at."""
        self._last: SourceRef | None = None
        """Where the last row was that has been gone through."""

    def is_stale(self) -> bool:
        """Return True if the rows that were gone through are not those of the log any more."""
        store = self.store
        if store.first != self._first or store.end < self._end:
            return True
        return self._last is not None and store.source(self._end - 1) != self._last

    def fresh(self) -> Iterator[Call | None]:
        """Calls that are new, in the order in which they ended as far as that is known.

        None stands behind each call that was looked at and is held back.
        """
        held: list[Call] = []
        until = float("-inf")
        for call in self._found():
            if held and (call.started > until or len(held) >= _HELD):
                yield from _in_order(held)
                held = []
            if call.outcome or held:
                held.append(call)
                until = max(until, call.time)
                yield None
            else:
                yield call
        yield from _in_order(held)

    def _found(self) -> Iterator[Call]:
        store = self.store
        begin, self._end = self._end, store.end
        self._last = store.source(self._end - 1) if self._end > self._first else None
        waiting, self._waiting = self._waiting, []
        time = float("-inf")
        for row in chain(waiting, _touching(store, begin, self._end)):
            call = self._call(row, time)
            time = max(time, call.time)
            yield call

    def _call(self, row: int, time: float) -> Call:
        """Return the outcomes of a call; empty for one that did nothing to files, or not yet."""
        store = self.store
        nothing = Call(time, self._number, row, time, ())
        if not store.provider.has_linked_events and not store.problem(row):
            body = store.body(row)
            read = _plain_read(body) if isinstance(body, ToolCall) else None
            if read is not None and not self._changed(read.path):
                began = store.time(row)
                time = time if began is None else max(time, began)
                return Call(time, self._number, row, time, None, read)
            if isinstance(body, ToolCall) and _is_harmless(body):
                return nothing
        activity = store.joined_activity(row)
        call = activity.body
        rewound = bool(store.joined_codes(row, row + 1)[1][0] & Flag.REWOUND)
        if isinstance(call, ToolCall) and call.state in _UNANSWERED:
            if store.live and row >= self._end - _PASSED_OVER:
                self._waiting.append(row)
            return nothing
        outcome = outcomes_of(activity)
        ended = activity.ended if activity.ended is not None else activity.started
        ended = time if ended is None else ended
        started = activity.started if activity.started is not None else ended
        return Call(ended, self._number, row, min(started, ended), outcome, rewound=rewound)


def in_turn(logs: Sequence[LogCalls]) -> Iterator[Call | None]:
    """Return the new steps of all logs in the order in which they ended; None marks a pause."""
    waiting: list[tuple[Call, Iterator[Call | None]]] = []
    advancing = [log.fresh() for log in logs]
    while advancing or waiting:
        for calls in advancing:
            call = None
            for call in calls:
                if call is not None:
                    break
                yield None
            if call is not None:
                waiting.append((call, calls))
        advancing = []
        if waiting:
            next_one = min(waiting, key=lambda head: head[0].order)
            waiting.remove(next_one)
            yield next_one[0]
            advancing = [next_one[1]]


def _touching(store: SessionStore, begin: int, end: int) -> Iterator[int]:
    for start in range(begin, end, _CHUNK):
        kinds, flags = store.joined_codes(start, min(start + _CHUNK, end))
        wanted = kinds.translate(_WANTED)
        at = wanted.find(1)
        while at >= 0:
            if not flags[at] & _UNSAID:
                yield start + at
            at = wanted.find(1, at + 1)


def _plain_read(call: ToolCall) -> ReadPayload | None:
    """Return the path and range of a read, where the call names an absolute path."""
    payload = call.payload
    if call.kind is not ToolKind.READ or not isinstance(payload, ReadPayload):
        return None
    return payload if payload.path.startswith("/") else None


def _is_harmless(call: ToolCall) -> bool:
    """True if a command, or a tool of another server, has to do with no file, by its words."""
    payload = call.payload
    if call.kind is ToolKind.MCP:
        return next(outcomes_of_other_server(call), None) is None
    if call.kind is not ToolKind.SHELL or not isinstance(payload, ShellPayload):
        return False
    if call.reading is not None:
        return not any(
            step.kind in CHANGING or isinstance(step.payload, ReadPayload)
            for step in call.reading.steps
        )
    return next(may_write(payload.command), None) is None


def _in_order(held: Sequence[Call]) -> list[Call]:
    """Calls by when they ended; of two with the same change the inner one first."""
    marked = [replace(call, nested=any(_contains(call, other) for other in held)) for call in held]
    return sorted(marked, key=lambda call: (call.time, call.row))


def _contains(outer: Call, inner: Call) -> bool:
    if outer is inner or not outer.outcome or not inner.outcome:
        return False
    lasts = outer.started <= inner.started and inner.time <= outer.time
    longer = outer.time - outer.started > inner.time - inner.started
    return lasts and longer and outer.row != inner.row
