"""The fate of each record of a log, known once all of them have been joined."""

from array import array
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar, cast

from agentview.domain.activity import RowKind
from agentview.domain.events import Event, Hidden, Title, TokenUsage, Unparsed
from agentview.domain.index_entry import (
    KIND_CODES,
    NO_ROW,
    REQUEST,
    EventFact,
    RecordFacts,
    Role,
)
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.facts.accounting.call_account import CallAccount, CallCounts
from agentview.facts.accounting.outcome import RecordOutcome
from agentview.facts.accounting.record_types import parse, record_type
from agentview.facts.accounting.session_report import UNREAD, fate_codes, fate_of_code
from agentview.normalize.light_events import reduce_record
from agentview.providers import load_provider
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.reading import decode_light

MOST_NAMES = 2000
"""Different types, reasons and versions that are distinguished in one log; the others are one."""

OTHERS = "(others)"
"""The name of those that are not distinguished."""

_BATCH = 512
_TEXT = 200
_SETTLED_AT_ONCE = 256
_SETTLED = 8192
"""Records whose keys are kept as they came; those before are packed."""
_QUIET = frozenset({KIND_CODES[RowKind.HIDDEN], NO_ROW})
_UNREAD_KIND = KIND_CODES[RowKind.UNPARSED]
_GONE = (RecordOutcome.ABANDONED, RecordOutcome.REPLACED, RecordOutcome.TWIN, RecordOutcome.HIDDEN)
"""Of a record whose rows all went: which of their fates is its own."""


class RecordReport(Value):
    """The fate of a record; `line` is 1-based, None is unknown."""

    offset: int
    length: int
    line: int
    fate: RecordOutcome
    record_type: str | None
    reason: str | None
    client_version: str | None


class _Cause(Value):
    """The fate of a record that no event takes, and its reason."""

    fate: RecordOutcome
    record_type: str | None = None
    reason: str | None = None


_NAMED = TypeVar("_NAMED")


class _Numbers(Generic[_NAMED]):
    """Names by their number, in the order in which they came."""

    def __init__(self) -> None:
        self._numbers: dict[_NAMED, int] = {}

    def of(self, name: _NAMED, other: _NAMED) -> int:
        """The number of a name, that of `other` where there are too many."""
        numbers = self._numbers
        if len(numbers) >= MOST_NAMES and name not in numbers:
            name = other
        return numbers.setdefault(name, len(numbers))

    def names(self) -> list[_NAMED]:
        return list(self._numbers)


class RecordReports:
    """Records as they are read: joined, and what is kept of each until all have been read."""

    def __init__(self, ref: SessionRef) -> None:
        self._ref = ref
        self._provider = load_provider(ref.provider)
        self._assembler = Assembler.of(self._provider)
        self.events = 0
        self.offsets = array("Q")
        self.lengths = array("Q")
        self._lines = array("Q")
        self._rows = array("I")
        self._end = 0
        """How many rows there are."""
        self._calls = CallAccount()
        self._causes = array("H")
        self._versions = array("H")
        self._cause_numbers: _Numbers[_Cause] = _Numbers()
        self._version_numbers: _Numbers[str | None] = _Numbers()
        self._version: str | None = None
        self._unsettled = 0

    def take(self, batch: Sequence[tuple[Line, int]]) -> None:
        """Join records, each with the number of its line, that follow those before."""
        facts: list[RecordFacts] = []
        for line, number in batch:
            light = decode_light(self._provider, self._ref, line)
            self.offsets.append(line.offset)
            self.lengths.append(line.length)
            self._lines.append(number)
            self._note_calls(number, light)
            self._note(line, light)
            facts.append(reduce_record(line.offset, line.length, light, calls=False))
        self._assembler.append(facts)
        self._unsettled += len(facts)
        if self._unsettled > _SETTLED:
            # Each time packs a number of keys that is fit for a screen that must not be held up.
            for _ in range(0, self._unsettled, _SETTLED_AT_ONCE):
                self._assembler.settle()
                self._assembler.summary.settle()
            self._unsettled = 0

    def all(self) -> Iterator[RecordReport]:
        """Return the fate of each record, in order; only when all have been taken."""
        causes, versions = self._cause_numbers.names(), self._version_numbers.names()
        row = 0
        for start in range(0, len(self.offsets), _BATCH):
            stop = min(start + _BATCH, len(self.offsets))
            end = row + sum(self._rows[start:stop])
            codes = fate_codes(*self._assembler.codes(row, end))
            at = 0
            for record in range(start, stop):
                rows = codes[at : at + self._rows[record]]
                at += self._rows[record]
                cause = causes[self._causes[record]]
                fate = _fate(rows, cause)
                yield RecordReport(
                    self.offsets[record],
                    self.lengths[record],
                    self._lines[record],
                    fate,
                    cause.record_type,
                    cause.reason if fate in (cause.fate, RecordOutcome.PARTIAL) else None,
                    versions[self._versions[record]],
                )
            row = end

    def calls(self) -> CallCounts:
        """Compare the calls with those that are shown; only when all have been taken."""
        return self._calls.counts(self._assembler.rows.flags)

    def _note_calls(self, number: int, light: Sequence[EventFact]) -> None:
        row = self._end
        for fact in light:
            if fact.role == Role.CALL and fact.kind != REQUEST:
                self._calls.take(row, number, fact, cast("ToolCall", fact.event().body))
            row += fact.kind != NO_ROW

    def _note(self, line: Line, light: Sequence[EventFact]) -> None:
        kinds = [fact.kind for fact in light]
        self.events += len(kinds)
        rows = max(1, len(kinds) - kinds.count(NO_ROW))
        self._rows.append(rows)
        self._end += rows
        for fact in light:
            if fact.facts is not None and fact.facts.client_version is not None:
                self._version = fact.facts.client_version
        self._versions.append(self._version_numbers.of(self._version, OTHERS))
        cause = _Cause(RecordOutcome.EVENT)
        if _UNREAD_KIND in kinds or _QUIET.issuperset(kinds):
            cause = _cause([fact.event() for fact in light], oversize=line.data is None)
        named = cause.record_type
        if line.data is not None:
            named = _whole_name(
                record_type(parse(line.data), self._provider.record_type_keys), named
            )
        cause = _Cause(cause.fate, _cut(named), _cut(cause.reason))
        other = _Cause(cause.fate, OTHERS, OTHERS)
        self._causes.append(self._cause_numbers.of(cause, other))


def _whole_name(called: str, said: str | None) -> str:
    """Name of a record, with the part of it that continues: `a/b` and `b/c`."""
    if said is None:
        return called
    have, more = called.split("/"), said.split("/")
    common = next((n for n in range(len(more), 0, -1) if have[-n:] == more[:n]), 0)
    return "/".join([*have, *more[common:]]) if common else said


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= _TEXT else f"{text[:_TEXT]}…"


def _fate(rows: bytes, cause: _Cause) -> RecordOutcome:
    """The fate of a record by those of its rows: what is shown of it counts more than what went."""
    unread = UNREAD in rows
    found = {fate_of_code(code) for code in rows if code != UNREAD}
    if RecordOutcome.EVENT in found:
        return RecordOutcome.PARTIAL if unread else RecordOutcome.EVENT
    if unread:
        return cause.fate
    return next(fate for fate in _GONE if fate in found)


def _cause(events: Sequence[Event], *, oversize: bool) -> _Cause:
    """Why a record has unread or hidden events; what could not be read comes first."""
    for event in events:
        body = event.body
        if isinstance(body, Unparsed):
            fate = RecordOutcome.MALFORMED if body.malformed else RecordOutcome.UNKNOWN
            return _Cause(
                RecordOutcome.OVERSIZE if oversize else fate, body.record_type, body.reason
            )
    for event in events:
        if isinstance(event.body, Hidden):
            return _Cause(RecordOutcome.HIDDEN, event.body.record_type, event.body.reason)
    kinds = {type(event.body) for event in events}
    if kinds == {Title}:
        return _Cause(RecordOutcome.HIDDEN, None, "title of the session")
    if TokenUsage in kinds:
        return _Cause(RecordOutcome.HIDDEN, None, "count of tokens")
    return _Cause(RecordOutcome.HIDDEN, None, "said about another record")
