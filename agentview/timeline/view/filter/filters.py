"""The filter of a timeline: tests of rows for the terms of a query."""

import time
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.session import Stream
from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.value import Value
from agentview.query.parser import Field, Query, Term
from agentview.query.values import moment
from agentview.query.vocabulary import call_states, kinds_named
from agentview.timeline.view.filter.row_flags import KINDS, RowFlag, overlap
from agentview.timeline.view.filter.search import Test
from agentview.timeline.view.rows_protocol import AgentRows, JudgedRows, Rows
from agentview.timeline.view.titles.title import StatusIcon, mark_of

_MARKS: dict[str, StatusIcon] = {
    "error": StatusIcon.FAILED,
    "denied": StatusIcon.DENIED,
    "running": StatusIcon.RUNNING,
    "streaming": StatusIcon.STREAMING,
    "abandoned": StatusIcon.ABANDONED,
    "ok": StatusIcon.OK,
    "warning": StatusIcon.WARNING,
}
"""Marks of the states that `state:` names."""
_PROBLEMS = frozenset({StatusIcon.FAILED, StatusIcon.DENIED})
_WARNED: frozenset[Kind] = frozenset({RowKind.NOTICE, RowKind.UNPARSED})
"""Kinds that a warning may be of."""

_ALL = b"\xff"
_SIDE_NAMES = ("sidechain", "agents")


MakeTest = Callable[[Term, Sequence[str]], Test]
"""Makes the test of a term that is looked for in texts, names or paths of an activity, given the
places that `in:` allows."""


class RowTest(Value):
    """A test of a row without decoding it: by its kind, or a trait."""

    kinds: frozenset[Kind] | None = None
    """None asks for the trait."""
    negative: bool = False
    trait: RowFlag = RowFlag.PROBLEM

    def passes(self, rows: Rows, row: int) -> bool:
        """Return True if the row passes."""
        if self.kinds is not None:
            found = rows.kind(row) in self.kinds
        else:
            found = rows.problem(row) if self.trait is RowFlag.PROBLEM else rows.nested(row)
        return found != self.negative

    def mask(self, kinds: bytes, flags: bytes) -> bytes:
        """The same for many rows, by their codes and flags: 255 for each that passes, else 0."""
        if self.kinds is None:
            table = [bool(flag & self.trait) != self.negative for flag in range(256)]
            return flags.translate(_full(table))
        table = [(kind in self.kinds) != self.negative for kind in KINDS]
        return kinds.translate(_full(table))


def _full(table: Iterable[bool]) -> bytes:
    return bytes(255 if passes else 0 for passes in table).ljust(256, b"\0")


class ContentTest(Value, gc=True):
    """A test that needs the activity itself."""

    test: Test
    negative: bool = False
    term: Term | None = None
    """The term searched in texts, names or paths; None if it is not a search."""
    only: tuple[RowTest, ...] = ()
    """Only these rows are found, which needs no decoding."""
    well: bool | None = None
    """True if calls that are known to have ended well are found; None for what that says not."""

    def passes(self, rows: Rows, row: int) -> bool:
        """Return True if the row passes; decodes it when it has to."""
        possible = all(test.passes(rows, row) for test in self.only)
        return (possible and self.test(rows.activity(row))) != self.negative

    def masks(self, rows: Rows, kinds: bytes, flags: bytes, first: int) -> tuple[bytes, bytes]:
        """Masks of the rows from `first` on without decoding them, 255 or 0 for each.

        The first says which pass, the second for which the activity has to be decoded.
        """
        count = len(kinds)
        masks = [test.mask(kinds, flags) for test in self.only]
        possible = int.from_bytes(overlap(masks, count))
        passing = 0
        if self.well is not None and isinstance(rows, JudgedRows):
            well = int.from_bytes(rows.ended_well(first, first + count))
            passing = well & possible if self.well else 0
            possible &= ~well
        if self.negative:
            passing = ~(passing | possible) & int.from_bytes(_ALL * count)
        return passing.to_bytes(count), possible.to_bytes(count)


class Filter(Value, gc=True):
    """A filter in two steps: by the row's number, then by its content."""

    row_tests: tuple[RowTest, ...] = ()
    content_tests: tuple[ContentTest, ...] = ()
    places: tuple[str, ...] = ()
    """Where texts are looked for; anywhere when empty."""

    def passes_row(self, rows: Rows, row: int) -> bool:
        return all(test.passes(rows, row) for test in self.row_tests)

    def mask(self, kinds: bytes, flags: bytes) -> bytes:
        """Return the tests of many rows without decoding: 255 for each that passes, else 0."""
        return overlap([test.mask(kinds, flags) for test in self.row_tests], len(kinds))

    def passes(self, rows: Rows, row: int) -> bool:
        return self.passes_row(rows, row) and all(
            test.passes(rows, row) for test in self.content_tests
        )


def row_filter(query: Query, rows: Rows | None, make_test: MakeTest) -> Filter | None:
    """The filter of a query; None for one without terms. `rows` have the names of agents."""
    places = _places(query)
    row_tests: list[RowTest] = []
    content_tests: list[ContentTest] = []
    for term in query.terms:
        if isinstance(term, Field) and term.name == "in":
            continue
        test = _row_test(term) or _content_test(term, rows, make_test, places)
        test = replace(test, negative=test.negative != term.negative)
        if isinstance(test, RowTest):
            row_tests.append(test)
        else:
            content_tests.append(test)
    if not row_tests and not content_tests:
        return None
    return Filter(tuple(row_tests), tuple(content_tests), places)


def _places(query: Query) -> tuple[str, ...]:
    """Values of `in:`; of prompts alone, only what the person wrote counts."""
    kinds = {kinds_named(f.value) for f in query.fields if f.name == "kind" and not f.negative}
    named = tuple(term.value for term in query.fields if term.name == "in")
    return ("prompt",) if not named and kinds == {frozenset({RowKind.USER})} else named


def _row_test(term: Term) -> RowTest | None:
    if not isinstance(term, Field):
        return None
    value = term.value.lower()
    match term.name:
        case "problems":
            return RowTest()
        case "kind":
            return RowTest(kinds_named(value))
        case "stream" if "main".startswith(value):
            return RowTest(trait=RowFlag.SIDE, negative=True)
        case "stream" if any(side.startswith(value) for side in _SIDE_NAMES):
            return RowTest(trait=RowFlag.SIDE)
        case _:
            return None


def _content_test(
    term: Term, rows: Rows | None, make_test: MakeTest, places: Sequence[str]
) -> ContentTest:
    name = term.name if isinstance(term, Field) else ""
    value = term.value.lower() if isinstance(term, Field) else ""
    match name:
        case "tool":
            only = (RowTest(frozenset(ToolKind)),)
            return ContentTest(make_test(term, places), term=term, only=only)
        case "state":
            return _state_test(value)
        case "after" | "before":
            return _time_test(value, later=name == "after")
        case "stream":
            return ContentTest(_stream_test(value, rows), only=(RowTest(trait=RowFlag.SIDE),))
        case _:
            return ContentTest(make_test(term, places), term=term)


def has_state(activity: Activity, value: str) -> bool:
    return mark_of(activity) in {_MARKS[state] for state in call_states(value)}


def _state_test(value: str) -> ContentTest:
    """Return the test of the state that is shown in front of an activity."""
    marks = frozenset(_MARKS[state] for state in call_states(value))
    kinds = _WARNED if StatusIcon.WARNING in marks else frozenset[Kind]()
    only = (RowTest(kinds | frozenset(ToolKind)),)
    if marks <= _PROBLEMS:
        only = (RowTest(),)
    elif not marks & {*_PROBLEMS, StatusIcon.WARNING}:
        only += (RowTest(negative=True),)
    well = StatusIcon.OK in marks
    return ContentTest(lambda activity: mark_of(activity) in marks, only=only, well=well)


def _time_test(value: str, *, later: bool) -> ContentTest:
    """Return the test of what began at a time or later, or earlier; a row without a time fails."""
    bound = moment(value, time.time())

    def test(activity: Activity) -> bool:
        started = activity.started if activity.started is not None else activity.first.time
        if started is None or bound is None:
            return False
        return started >= bound if later else started < bound

    return ContentTest(test)


def _stream_test(value: str, rows: Rows | None) -> Test:
    """Finds what an agent did, by its id or by what the call that started it says of it."""
    known: dict[Stream, bool] = {}

    def test(activity: Activity) -> bool:
        stream = activity.first.stream
        if stream in known:
            return known[stream]
        names = _names(stream, rows)
        found = any(value in name.lower() for name in (stream.id, *names))
        if names:
            known[stream] = found
        return found

    return test


def _names(stream: Stream, rows: Rows | None) -> Sequence[str]:
    call = rows.child_call(stream) if isinstance(rows, AgentRows) else None
    body = None if call is None or rows is None else rows.activity(call).body
    if not isinstance(body, ToolCall) or not isinstance(body.payload, SubagentPayload):
        return ()
    payload = body.payload
    names = (payload.agent_name, payload.agent_type, payload.description)
    return [name for name in names if name]
