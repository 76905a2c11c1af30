"""The form `records`: one line for each fact, as its record says it and in the order of the log.

A line has the common keys and these:

- always: `source` {`file`, `line`, `offset`, `length`}, the bytes it was made of;
- where it applies: `record_id`, `parent_id`, `response_id`, `parent_call` (the call that started
  the agent whose log this is), `child` (the stream that this event started), `facts` (what became
  known about the session), `run` and `whole` (pieces of one text), `resets` and `rewinds` (what it
  takes back);
- how it relates to earlier lines: `amends` (the event of the same call that this one adds to),
  `twin_of` (the event that said the same before) and `takes_place_of` (the event that it replaces);
- the fields of the event's type.

A `tool_call` line is printed when the call is read and a `tool_result` line when its result is
read. A result in front of its call waits for it, for `HELD_EVENTS` events at most; one whose call
is not in the log has no `kind`. Every record of a log is in at least one line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from agentview.domain.events import Event, Hidden, Title, TokenUsage, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.normalize.calls_in_order import CallsOfEvents
from agentview.providers.base import Provider
from agentview.reports.export.encoding import getter
from agentview.reports.export.events import (
    OUTCOME,
    TOOL,
    Fields,
    begin_line,
    body_fields,
    loose_result,
    reset_line,
)
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.reading import decode_line

HELD_EVENTS = 256
"""Events for which a result waits for its call."""

ENVELOPE = (
    "record_id", "parent_id", "response_id", "child", "resets", "rewinds", "facts", "run", "whole",
)  # fmt: skip
"""Fields of an event that its line has only where they are set."""

_LAST_COUNTS = (TokenUsage, Title, Hidden)
"""Events that a log may repeat and that are known by their facts alone: the last one counts."""
_NOWHERE = SourceRef("", 0, 0)
_ANSWERED = (*TOOL, *OUTCOME)
_envelope = getter(ENVELOPE)
_answered = getter(_ANSWERED)


class _Held(Value):
    event: Event
    ref: SessionRef
    until: int


@dataclass(slots=True)
class _Known:
    """A call: its first event, and what is known of it."""

    event: str
    call: ToolCall


class _LogCalls:
    """The calls of one log, by their rows."""

    def __init__(self) -> None:
        self.joins = CallsOfEvents()
        self.by_row: dict[int, _Known] = {}

    def newest(self, call_id: str) -> _Known | None:
        """The newest call with an id."""
        row = self.joins.newest(call_id)
        return None if row is None else self.by_row.get(row)


class RecordLines:
    """Turns the events of one session, in file order, into lines; remembers its calls."""

    def __init__(self, provider: Provider, shown_path: str | None = None) -> None:
        """`shown_path` is printed instead of the path of a log."""
        self._provider = provider
        self._shown_path = shown_path
        self._calls: dict[str, _LogCalls] = {}
        """By the paths of logs."""
        self._held: dict[str, list[_Held]] = {}
        # Of each key the id and the file of the event that had it first, and last.
        self._firsts: dict[str, tuple[str, str]] = {}
        self._lasts: dict[str, tuple[str, str]] = {}
        self._count = 0
        self._resets = 0

    def log(self, ref: SessionRef) -> "RecordLog":
        return RecordLog(self, self._provider, ref)

    def feed(self, event: Event, ref: SessionRef) -> Iterator[Fields]:
        """Lines that the next event of the log `ref` gives rise to; often one, sometimes none."""
        self._count += 1
        if self._held:
            yield from self._overdue()
        body, calls = event.body, self._calls.setdefault(ref.path, _LogCalls())
        calls.joins.count(event)
        again = event.dedupe_key is not None and event.dedupe_key in self._firsts
        if isinstance(body, ToolCall):
            yield self._call(event, ref, body, again=again)
            for held in self._held.pop(body.call_id, ()):
                yield self._line(held.event, held.ref, calls.newest(body.call_id))
            return
        known = calls.newest(body.call_id) if isinstance(body, ToolResult) else None
        if isinstance(body, ToolResult) and known is None:
            held = _Held(event, ref, self._count + HELD_EVENTS)
            self._held.setdefault(body.call_id, []).append(held)
            return
        if isinstance(body, ToolResult) and not again:
            row = calls.joins.answered(event, body)
            known = known if row is None else calls.by_row.get(row)
        yield self._line(event, ref, known)

    def release(self) -> Iterator[Fields]:
        """Lines of all results that still wait for their call: nothing more is to come now."""
        waiting = [held for results in self._held.values() for held in results]
        self._held.clear()
        for held in sorted(waiting, key=lambda held: held.until):
            yield self._line(held.event, held.ref)

    def reset(self, ref: SessionRef, reason: str) -> Fields:
        """The line that says that the log `ref` is read again from its start."""
        self._resets += 1
        for known in (self._firsts, self._lasts):
            for key in [key for key, (_, path) in known.items() if path == ref.path]:
                del known[key]
        self._calls.pop(ref.path, None)
        return reset_line(ref, self._resets, reason)

    def move(self, old: str, new: str) -> None:
        """Know what was read of the log `old` as that of the log `new`."""
        for known in (self._firsts, self._lasts):
            known.update({key: (name, new) for key, (name, path) in known.items() if path == old})
        if old in self._calls:
            self._calls[new] = self._calls.pop(old)

    def _call(self, event: Event, ref: SessionRef, call: ToolCall, *, again: bool) -> Fields:
        """The line of a call, or of one more record of it; `again` for an event said before."""
        calls = self._calls[ref.path]
        if again:
            return self._line(event, ref)
        joined = calls.joins.called(event, call.call_id)
        known = None if joined.before is None else calls.by_row.pop(joined.before, None)
        line = self._line(event, ref, known)
        if known is None:
            known = _Known(event.id, call)
        elif event.amends:
            known.call = self._provider.reading.merge_call(known.call, call)
        calls.by_row[joined.row] = known
        return line

    def _overdue(self) -> Iterator[Fields]:
        first = next(iter(self._held.values()))[0]
        while first.until <= self._count:
            for held in self._held.pop(_call_id(first.event)):
                yield self._line(held.event, held.ref)
            if not self._held:
                return
            first = next(iter(self._held.values()))[0]

    def _line(self, event: Event, ref: SessionRef, known: _Known | None = None) -> Fields:
        """The line of an event; `known` is the call that it describes or answers."""
        source = event.source
        own = event.id
        line = begin_line(event, ref, own)
        line["source"] = {
            "file": self._shown_path or source.path,
            "line": source.line,
            "offset": source.offset,
            "length": source.length,
            **({"pointer": source.pointer} if source.pointer else {}),
        }
        for name, value in zip(ENVELOPE, _envelope(event), strict=True):
            if value is not None and value is not False:
                line[name] = value
        self._relate(event, (own, ref.path), line, known)
        line.update(self._body(event, known))
        return line

    def _relate(
        self, event: Event, own: tuple[str, str], line: Fields, known: _Known | None
    ) -> None:
        if event.dedupe_key is not None:
            if event.dedupe_key in self._firsts:
                line["twin_of"] = self._firsts[event.dedupe_key][0]
                return
            self._firsts[event.dedupe_key] = own
        if event.replaces is not None:
            last = self._lasts.get(event.replaces)
            if last is not None and last != own:
                line["takes_place_of"] = last[0]
            self._lasts[event.replaces] = own
        described = known if isinstance(event.body, ToolCall) else None
        if described is not None and described.event != own[0] and "takes_place_of" not in line:
            line["amends" if event.amends else "twin_of"] = described.event

    def _body(self, event: Event, known: _Known | None) -> Fields:
        body = event.body
        if not isinstance(body, ToolResult):
            return body_fields(body)
        if known is None:
            return loose_result(body)
        joined = self._provider.reading.attach_result(known.call, body)
        return dict(zip(_ANSWERED, _answered(joined), strict=True))


class RecordLog:
    """The records of one log, each line printed as its record is read."""

    by_facts = None
    """A line has what its record says."""

    def __init__(self, lines: RecordLines, provider: Provider, ref: SessionRef) -> None:
        self._lines = lines
        self._provider = provider
        self._ref = ref
        self._said: dict[str, int] = {}
        """The last version of each event, by its id; only of a log that may be written again."""

    def take(self, records: Sequence[tuple[Line, int | None]]) -> Iterator[Fields]:
        for record, number in records:
            for event in decode_line(self._provider, self._ref, record, number):
                if self._provider.rewrites_logs:
                    self._said[event.id] = _digest(event)
                yield from self._lines.feed(event, self._ref)

    def rewrite(
        self, ref: SessionRef, records: Sequence[tuple[Line, int | None]], reason: str
    ) -> Iterator[Fields]:
        """Take all records of a log that was written again.

        Lines of what is new, and of what changed where the later version of an event counts; else a
        reset, and all lines.
        """
        events = [event for line, _ in records for event in decode_line(self._provider, ref, line)]
        before, self._said = self._said, {event.id: _digest(event) for event in events}
        fresh = [event for event in events if before.get(event.id) != self._said[event.id]]
        changed = [event for event in fresh if event.id in before]
        if before.keys() <= self._said.keys() and all(map(_replaces, changed)):
            for event in fresh:
                yield from self._lines.feed(event, ref)
            return
        yield from self.reset(ref, reason)
        yield from self.take(records)

    def move(self, ref: SessionRef) -> None:
        """Continue: the log is at another path."""
        self._lines.move(self._ref.path, ref.path)
        self._ref = ref

    def reset(self, ref: SessionRef, reason: str) -> Iterator[Fields]:
        """Begin again: the records that follow are those of the log from its start."""
        self._ref = ref
        self._said.clear()
        yield self._lines.reset(ref, reason)


def _replaces(event: Event) -> bool:
    """Return True if the event counts in place of an earlier version of itself."""
    return event.replaces is not None or event.amends or isinstance(event.body, _LAST_COUNTS)


def _digest(event: Event) -> int:
    return hash(repr(replace(event, source=_NOWHERE)))


def _call_id(event: Event) -> str:
    return event.body.call_id if isinstance(event.body, ToolResult) else ""
