"""The form `joined`: one line for each activity, with all that its records say together.

The rows are those of the store that the timeline shows, so that the counts of both agree. A line
has the common keys and these:

- always: `records`, the places in the log that it was made of, each {`file`, `line`, `offset`,
  `length`}; `status`; and `revision`, 1 for a line that is printed for the first time;
- `status`: `active`; `abandoned`, when the conversation went back to before it; `superseded`, when
  something else took its place; `duplicate`, when an earlier record says the same. Only active
  lines are printed unless all are asked for. `replaced_by` is the id of the line that counts;
- where it applies: `record_id`, `parent_id`, `response_id`, `parent_call` (the call that started
  the agent whose log this is), `child` (the stream that this event started), `facts` (what became
  known about the session) and `resets`;
- the fields of the type. A `tool_call` has its outcome, `progress` (its output so far, while it
  has no result), `reported` (what its end in the background was reported with), `ended` and
  `duration`. A `tool_result` is a result whose call is not in the log.

While a session is followed, a line that changes an earlier one has the same `id` and the next
`revision`; also one that counts no more, whose `status` says so.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.events import Body, Event, Facts, Message, Title, TokenUsage, ToolResult
from agentview.domain.index_entry import (
    NO_ROW,
    EventFact,
    Flag,
    LightEvent,
    RecordFacts,
    event_of,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.suite_result import Contradiction
from agentview.domain.tools import ToolCall
from agentview.facts.accounting.session_report import fate_codes
from agentview.providers.base import Provider
from agentview.reports.export.encoding import field_names, getter, iso_time
from agentview.reports.export.events import (
    Fields,
    Status,
    begin_line,
    body_fields,
    loose_result,
    reset_line,
    status_of,
)
from agentview.reports.export.printed_lines import Place, PrintedIds, PrintedLines
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.record_cache import FRESH_LINES
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.overview.claims import contradicted

# What joined lines are distinguished by: line numbers, events without a row.


class LineNumbers:
    """1-based numbers of lines by the offsets of their records."""

    def __init__(self) -> None:
        self._offsets = array("Q")
        self._numbers = array("Q")

    def add(self, offset: int, number: int | None) -> None:
        """Take the next record; its number is None where it is not known."""
        if number is not None:
            self._offsets.append(offset)
            self._numbers.append(number)

    def of(self, offset: int) -> int | None:
        """The number of the line that a byte is in."""
        at = bisect_right(self._offsets, offset) - 1
        return self._numbers[at] if at >= 0 else None


class LooseEvents:
    """Counts of tokens and titles, which have no row: which of them is the newest."""

    def __init__(self) -> None:
        self._newest: dict[int, Place] = {}
        self._holding: dict[int, int] = {}
        """Offsets of the records that have some of these, and how many."""
        self._rowless = array("Q")
        """Offsets of the records that have no other events."""
        self._changed: set[int] = set()

    def take(self, records: Iterable[RecordFacts]) -> None:
        for record in records:
            if all(fact.kind == NO_ROW for fact in record.events):
                self._rowless.append(record.offset)
            for fact in record.events:
                body = fact.usage or fact.title
                if body is None:
                    continue
                key, offset = _key(body), record.offset
                before = self._newest.get(key)
                if before is not None:
                    self._changed.add(before[0])
                    self._holding[before[0]] -= 1
                self._newest[key] = offset, fact.sub
                self._holding[offset] = self._holding.get(offset, 0) + 1

    def newest(self, body: TokenUsage | Title) -> Place | None:
        """The place of the newest event that counts the same response or gives the same title."""
        return self._newest.get(_key(body))

    def in_record(self, offset: int) -> bool:
        return bool(self._holding.get(offset))

    def only_in_record(self, offset: int) -> bool:
        """True if the record at an offset has no other events."""
        at = bisect_left(self._rowless, offset)
        return at < len(self._rowless) and self._rowless[at] == offset

    def changed(self) -> list[int]:
        """Offsets of records, of whose events one has a newer one now; each is given once."""
        changed, self._changed = sorted(self._changed), set()
        return changed


def is_loose(body: Body) -> bool:
    return isinstance(body, TokenUsage | Title)


def _key(body: TokenUsage | Title) -> int:
    if isinstance(body, Title):
        return hash(("title", body.source, body.target))
    return hash(("total",) if body.total else ("response", body.response_id))


ENVELOPE = ("record_id", "parent_id", "response_id", "resets")
"""Fields of an event that its line has only where they are set."""

_AT_ONCE = 256
"""Records that are joined together; keys are packed after each such step."""
_CHUNK = 4096
"""Rows whose codes are taken together."""
_GIVEN_WAY = (Status.SUPERSEDED, Status.DUPLICATE)

_envelope = getter(ENVELOPE)


class JoinedLines:
    """The logs of one session as joined lines; `release` prints what is new and what changed.

    With `every`, also lines that do not count are printed. With `follow`, what was printed is
    remembered, so that changes are noticed. `shown_path` is printed instead of the path of a log.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        every: bool = False,
        follow: bool = False,
        shown_path: str | None = None,
    ) -> None:
        self._provider = provider
        self._every = every
        self._follow = follow
        self._shown_path = shown_path
        self._logs: list[JoinedLog] = []

    def log(self, ref: SessionRef) -> "JoinedLog":
        """The lines of one log of the session: its own first, then those of its agents."""
        log = JoinedLog(
            self._provider,
            ref,
            every=self._every,
            follow=self._follow,
            shown_path=self._shown_path or ref.path,
        )
        # Only calls show which of them started an agent: each log looks in its own.
        for at, other in enumerate(self._logs):
            other.attach(log)
            if at:
                log.attach(other)
        self._logs.append(log)
        return log

    def release(self) -> Iterator[Fields]:
        """The lines of all that was read and not printed, and of what it changed."""
        for log in self._logs:
            yield from log.release()


class JoinedLog:
    """One log: rows of a store as lines."""

    def __init__(
        self, provider: Provider, ref: SessionRef, *, every: bool, follow: bool, shown_path: str
    ) -> None:
        self._provider = provider
        self.ref = ref
        self._every = every
        self._follow = follow
        self._shown_path = shown_path
        self._resets = 0
        self._agents: list[JoinedLog] = []
        self.parents: list[JoinedLog] = []
        """The logs that know this one as that of an agent."""
        self._begin()

    def attach(self, agent: "JoinedLog") -> None:
        """Know the log of an agent that a call of this one may have started."""
        self._agents.append(agent)
        agent.parents.append(self)
        self._set_child(agent)

    def take(self, records: Sequence[tuple[Line, int | None]]) -> Iterator[Fields]:
        """Join records, each given with the number of its line; `release` prints them."""
        for start in range(0, len(records), _AT_ONCE):
            batch = records[start : start + _AT_ONCE]
            for line, number in batch:
                self._numbers.add(line.offset, number)
            self._join(reduce_lines(self.ref, [line for line, _ in batch]))
        self._keep_fresh(records)
        yield from ()

    @property
    def by_facts(self) -> Self:
        return self

    def keep_first(self, line: Line, events: Sequence[LightEvent]) -> bool:
        return self.store.keep_first(line, events)

    def take_facts(self, records: Sequence[tuple[RecordFacts, int | None]]) -> None:
        for start in range(0, len(records), _AT_ONCE):
            batch = records[start : start + _AT_ONCE]
            for record, number in batch:
                self._numbers.add(record.offset, number)
            self._join([record for record, _ in batch])

    def _join(self, facts: Sequence[RecordFacts]) -> None:
        self._loose.take(facts)
        self.store.append(facts)

    def rewrite(
        self, ref: SessionRef, records: Sequence[tuple[Line, int | None]], reason: str
    ) -> Iterator[Fields]:
        """Take all records of a log that was written again.

        Lines of what is new and of what changed; a reset where a printed line is of no record now.
        """
        printed = self._printed
        if isinstance(printed, PrintedIds) and self._end > 0:
            facts = reduce_lines(ref, [line for line, _ in records])
            self.store.rewrite(facts)
            self._keep_fresh(records)
            self._succession, self._loose = self.store.succession, LooseEvents()
            self._loose.take(facts)
            self._changed, self._end = set(), 0
            printed.compare()
            lines = [*self.release()]
            if not printed.left():
                yield from lines
                return
        yield from self.reset(ref, reason)
        yield from self.take(records)

    def move(self, ref: SessionRef) -> None:
        """Continue: the log is at another path, which new and changed lines name."""
        self.ref, self._shown_path = ref, ref.path
        self.store.relocate(ref)

    def reset(self, ref: SessionRef, reason: str) -> Iterator[Fields]:
        """Begin again: the records that follow are those of the log from its start."""
        was_printed, self.ref = self._end > 0, ref
        self._begin()
        for agent in self._agents:
            self._set_child(agent)
        for parent in self.parents:
            parent.store.set_child(ref.stream, self.store, ref.parent_call)
        if was_printed:
            self._resets += 1
            yield reset_line(replace(ref, path=self._shown_path), self._resets, reason)

    def release(self) -> Iterator[Fields]:
        """The lines of rows that changed, then those of rows that are new."""
        store, changed, self._changed = self.store, self._changed, set[int]()
        self._described = self._ref_with_call()
        changed |= {self._first_row(offset) for offset in self._loose.changed()}
        for row in sorted(row for row in changed if row < self._end):
            yield from self._rows(row, row + 1, fresh=False)
        start, self._end = self._end, store.end
        if self._follow:
            self._printed.reserve(store.end)
        fresh = isinstance(self._printed, PrintedLines)
        for begin in range(start, store.end, _CHUNK):
            yield from self._rows(begin, min(begin + _CHUNK, store.end), fresh=fresh)

    def _begin(self) -> None:
        at_once = not self._follow
        self.store = store = SessionStore(self._provider, self.ref, at_once=at_once)
        # Keys are packed while the log is read, as those of a log that grows.
        store.finish_indexing()
        self._succession = store.succession
        by_id = self._follow and self._provider.rewrites_logs
        self._printed = PrintedIds() if by_id else PrintedLines()
        self._numbers, self._loose = LineNumbers(), LooseEvents()
        self._changed: set[int] = set()
        self._end = 0
        self._described = self.ref
        if self._follow:
            store.subscribe(self._note)

    def _keep_fresh(self, records: Sequence[tuple[Line, int | None]]) -> None:
        """Keep the bytes of the last records: the log may be written again before `release`."""
        if self._provider.rewrites_logs:
            for line, _ in records[-FRESH_LINES:]:
                self.store.keep_fresh(line)

    def _set_child(self, agent: "JoinedLog") -> None:
        self.store.set_child(agent.ref.stream, agent.store, agent.ref.parent_call)

    def _note(self, change: RowsChanged) -> None:
        self._changed.update(row for row in change.updated if row < self._end)

    def _first_row(self, offset: int) -> int:
        """The first row of the record at an offset."""
        row = self.store.row_at_offset(offset) or self.store.first
        while row > self.store.first and self.store.offset(row - 1) == offset:
            row -= 1
        return row

    def _rows(self, start: int, stop: int, *, fresh: bool) -> Iterator[Fields]:
        """Lines of rows, and of the events without a row that are in their records.

        Nothing was printed of `fresh` rows: of those that do not count, no record is decoded.
        """
        store = self.store
        kinds, flags = store.codes(start, stop)
        codes, offsets = fate_codes(kinds, flags), store.offsets(start, stop)
        only_active = fresh and not self._every
        before = store.offset(start - 1) if start > store.first else -1
        rows = zip(range(start, stop), codes, flags, offsets, strict=True)
        for row, code, bits, offset in rows:
            status = status_of(code, bits)
            found = None
            if offset != before and not (only_active and not self._loose.in_record(offset)):
                found = self._succession.record(row)
                yield from self._without_row(found[1], offset, status)
            before = offset
            if only_active and (status is not Status.ACTIVE or bits & Flag.JOINED):
                continue
            if bits & Flag.BOOKKEEPING and self._loose.only_in_record(offset):
                continue
            _, record, sub = found or self._succession.record(row)
            event = event_of(record[sub]) if sub < len(record) else store.event(row)
            line = self._row(row, event, status, joined=bool(bits & Flag.JOINED))
            if line is not None:
                yield line

    def _row(self, row: int, event: Event, status: Status, *, joined: bool) -> Fields | None:
        store = self.store
        if is_loose(event.body):
            return None
        part = self._succession.part_of(row) if joined else None
        printed = bool(self._printed.revision(row, event))
        if part is not None and not printed:
            return None
        if joined and status is Status.ACTIVE:
            status = Status.SUPERSEDED
        if status is not Status.ACTIVE and not (self._every or printed):
            return None
        heir = part
        if heir is None and status in _GIVEN_WAY:
            heir = self._succession.successor(row)
        counts = status not in _GIVEN_WAY
        is_call = isinstance(event.body, ToolCall)
        more = counts if is_call else store.joined(row)
        activity = store.activity(row) if more else Activity(event.body, (event,))
        return self._line(row, event, activity, status, heir)

    def _line(
        self, row: int, event: Event, activity: Activity, status: Status, heir: int | None
    ) -> Fields | None:
        line = self._begun(event, activity.events, status)
        if activity.child is not None:
            line["child"] = activity.child
        body = activity.body
        line.update(loose_result(body) if isinstance(body, ToolResult) else body_fields(body))
        if isinstance(body, ToolCall):
            line["progress"] = activity.progress
            line["reported"] = activity.reported
            line["ended"] = iso_time(activity.ended)
            line["duration"] = activity.duration
        if isinstance(body, Message) and status is Status.ACTIVE:
            claim = contradicted(self.store, row)
            if claim is not None:
                line["contradicted"] = self._evidence(claim)
        if heir is None:
            return self._finished(row, line)
        head = self._succession.part_of(heir)
        shown = self.store.event(heir if head is None else head)
        return self._replaced(row, line, event, shown.id, heir if head is None else head)

    def _evidence(self, claim: Contradiction) -> Fields:
        return {
            "says": claim.says,
            "evidence": self.store.event(claim.evidence).id,
            "fact": claim.fact,
            "failed": None if claim.result is None else claim.result.bad,
        }

    def _without_row(
        self, record: Sequence[LightEvent], offset: int, status: Status
    ) -> Iterator[Fields]:
        for sub, light in enumerate(record):
            if isinstance(light, EventFact) and light.usage is None and light.title is None:
                continue
            event = event_of(light)
            body = event.body
            if not isinstance(body, TokenUsage | Title):
                continue
            key, newest = (offset, sub), self._loose.newest(body)
            status = Status.ABANDONED if status is Status.ABANDONED else Status.ACTIVE
            later = newest is not None and newest != key
            if later and status is Status.ACTIVE:
                status = Status.SUPERSEDED
            if status is not Status.ACTIVE and not (
                self._every or self._printed.revision(key, event)
            ):
                continue
            line = self._begun(event, (event,), status)
            line.update(body_fields(body))
            if newest is None or status is not Status.SUPERSEDED:
                made = self._finished(key, line)
            else:
                _, others, _ = self._succession.record(self._first_row(newest[0]))
                heir = event_of(others[newest[1]])
                made = self._replaced(key, line, event, heir.id, newest)
            if made is not None:
                yield made

    def _begun(self, event: Event, events: Sequence[Event], status: Status) -> Fields:
        line = begin_line(event, self._described, event.id)
        line["status"] = status
        line["records"] = self._places(events)
        for name, value in zip(ENVELOPE, _envelope(event), strict=True):
            if value is not None:
                line[name] = value
        facts = _merged(events)
        if facts is not None:
            line["facts"] = facts
        if event.child is not None:
            line["child"] = event.child
        return line

    def _ref_with_call(self) -> SessionRef:
        """Whose log it is, with the call that started the agent, as far as that is known."""
        if self.ref.parent_call is not None or not self.parents:
            return self.ref
        for parent in self.parents:
            row = parent.store.child_call(self.ref.stream)
            body = None if row is None else parent.store.body(row)
            if isinstance(body, ToolCall):
                return replace(self.ref, parent_call=body.call_id)
        return self.ref

    def _replaced(
        self, key: int | Place, line: Fields, event: Event, heir_id: str, heir: int | Place
    ) -> Fields | None:
        """A line that another one has replaced, which may have the same id."""
        line["replaced_by"] = heir_id
        if heir_id == event.id:
            if self._printed.revision(key, event):
                self._printed.hand_over(key, heir)
                if not self._every:
                    return None
            # A record of the same id takes its place: this one is known by where it is.
            line["id"] = event.place_id
        return self._finished(key, line)

    def _finished(self, key: int | Place, line: Fields) -> Fields | None:
        revision = self._printed.next(key, line) if self._follow else 1
        if revision is None:
            return None
        line["revision"] = revision
        return line

    def _places(self, events: Sequence[Event]) -> list[Fields]:
        """Where the records are that a line was made of."""
        if len(events) == 1:
            return [self._place(events[0].source)]
        sources = {(event.source.offset, event.source.pointer): event.source for event in events}
        return [self._place(sources[key]) for key in sorted(sources)]

    def _place(self, source: SourceRef) -> Fields:
        place: Fields = {
            "file": self._shown_path,
            "line": self._numbers.of(source.offset),
            "offset": source.offset,
            "length": source.length,
        }
        if source.pointer:
            place["pointer"] = source.pointer
        return place


def _merged(events: Sequence[Event]) -> Facts | None:
    """Facts on the session from all records of a line, the last value of each."""
    merged: Facts | None = None
    for event in events:
        if event.facts is None or merged is None:
            merged = event.facts or merged
            continue
        if event.facts is merged:
            # Records that say the same share it.
            continue
        known = {name: getattr(event.facts, name) for name in field_names(Facts)}
        merged = replace(merged, **{name: val for name, val in known.items() if val is not None})
    return merged
