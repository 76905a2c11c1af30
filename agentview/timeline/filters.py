"""The filter line: words and terms such as `kind:shell`; `-` excludes.

`regex:/…/`, `kind:`, `tool:Bash`, `file:src/`, `state:error`, `stream:main`, `problems`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.session import Stream
from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.value import Value
from agentview.timeline.activity_text import file_paths, tool_names
from agentview.timeline.row_flags import KINDS, RowFlag, overlap
from agentview.timeline.rows_protocol import AgentRows, Rows
from agentview.timeline.search import Field, Test, text_test
from agentview.timeline.titles.title import StatusIcon, mark_of

_ALIASES: dict[str, Sequence[Kind]] = {
    "bash": (ToolKind.SHELL,),
    "change": (ToolKind.EDIT, ToolKind.WRITE, ToolKind.DELETE, ToolKind.NOTEBOOK_EDIT),
    "search": (ToolKind.GREP, ToolKind.GLOB, ToolKind.SEM_SEARCH),
    "web": (ToolKind.WEB_FETCH, ToolKind.WEB_SEARCH),
    "agent": (ToolKind.SUBAGENT_TASK,),
    "thinking": (RowKind.REASONING,),
    "prompt": (RowKind.USER,),
    "you": (RowKind.USER,),
    "tool": tuple(ToolKind),
    "abandoned": (RowKind.BRANCH,),
}

KIND_NAMES = (*(kind.value for kind in (*ToolKind, *RowKind)), *_ALIASES)
"""What `kind:` may name, or the beginning of."""

_STATES: dict[str, StatusIcon] = {
    "error": StatusIcon.FAILED,
    "failed": StatusIcon.FAILED,
    "denied": StatusIcon.DENIED,
    "running": StatusIcon.RUNNING,
    "streaming": StatusIcon.STREAMING,
    "abandoned": StatusIcon.ABANDONED,
    "ok": StatusIcon.OK,
    "done": StatusIcon.OK,
    "warning": StatusIcon.WARNING,
}
_PROBLEMS = frozenset({StatusIcon.FAILED, StatusIcon.DENIED})
_WARNED: frozenset[Kind] = frozenset({RowKind.NOTICE, RowKind.UNPARSED})
"""Kinds that a warning may be of."""

_ALL = b"\xff"
_SIDE_NAMES = ("sidechain", "agents")

_UNFINISHED = ("kind:", "tool:", "file:", "state:", "stream:", "regex:", "regex:/", "regex://")


@runtime_checkable
class JudgedRows(Rows, Protocol):
    """Rows of which some are known to have ended well without decoding them."""

    def ended_well(self, start: int, stop: int) -> bytes:
        """A byte a row: 255 for calls of which it is known that they ended well, else 0."""
        ...


MakeTest = Callable[[str, Field], Test]
"""Makes what says of an activity whether something is found in a field of it."""


class RowTest(Value):
    """What can be told of a row without decoding it: its kind, or a trait."""

    kinds: frozenset[Kind] | None = None
    """None asks for the trait."""
    negative: bool = False
    trait: RowFlag = RowFlag.PROBLEM

    def passes(self, rows: Rows, row: int) -> bool:
        """Whether the row passes."""
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


class ContentTest(Value):
    """What only the activity itself can tell."""

    test: Test
    negative: bool = False
    query: str = ""
    field: Field | None = None
    """Where `query` is looked for; None for what is no search."""
    only: tuple[RowTest, ...] = ()
    """No other rows are found, which is told without decoding them."""
    well: bool | None = None
    """Whether calls that are known to have ended well are found; None for what that says not."""

    def passes(self, rows: Rows, row: int) -> bool:
        """Whether the row passes; decodes it when it has to."""
        possible = all(test.passes(rows, row) for test in self.only)
        return (possible and self.test(rows.activity(row))) != self.negative

    def masks(self, rows: Rows, kinds: bytes, flags: bytes, first: int) -> tuple[bytes, bytes]:
        """What is known of the rows from `first` on without decoding them, 255 or 0 for each.

        The first tells which pass, the second of which only their activity tells.
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


class Filter(Value):
    """A filter in two steps: what a row's number tells, then what its content tells."""

    row_tests: tuple[RowTest, ...] = ()
    content_tests: tuple[ContentTest, ...] = ()

    def passes_row(self, rows: Rows, row: int) -> bool:
        """What can be told without decoding the row."""
        return all(test.passes(rows, row) for test in self.row_tests)

    def mask(self, kinds: bytes, flags: bytes) -> bytes:
        """What can be told without decoding, of many rows: 255 for each that passes, else 0."""
        return overlap([test.mask(kinds, flags) for test in self.row_tests], len(kinds))

    def passes(self, rows: Rows, row: int) -> bool:
        """Whether the row is left in; decodes it when it has to."""
        return self.passes_row(rows, row) and all(
            test.passes(rows, row) for test in self.content_tests
        )


def field_test(query: str, field: Field) -> Test:
    """Finds a text; without case in names and paths."""
    if field is Field.TEXT:
        return text_test(query)
    texts, wanted = tool_names if field is Field.TOOL else file_paths, query.lower()
    return lambda activity: any(wanted in text.lower() for text in texts(activity))


def parse_filter(
    text: str, rows: Rows | None = None, make_test: MakeTest = field_test
) -> Filter | None:
    """The filter that a line of text asks for; None for an empty line.

    Words that are no known term are looked for in the content, so that no line is an error.
    Quotes hold words together. `rows` tell the names of agents.
    """
    row_tests: list[RowTest] = []
    content_tests: list[ContentTest] = []
    for word in split_words(text):
        negative = len(word) > 1 and word.startswith("-")
        term = word[1:] if negative else word
        if term.lower() in _UNFINISHED:
            continue
        test = _row_test(term) or _content_test(term, rows, make_test)
        test = replace(test, negative=test.negative != negative)
        if isinstance(test, RowTest):
            row_tests.append(test)
        else:
            content_tests.append(test)
    if not row_tests and not content_tests:
        return None
    return Filter(tuple(row_tests), tuple(content_tests))


def _row_test(term: str) -> RowTest | None:
    lowered = term.lower()
    if lowered in ("problems", "problem", "errors"):
        return RowTest()
    name, _, value = lowered.partition(":")
    if name == "kind" and value:
        return RowTest(frozenset(_kinds(value)))
    if name == "stream" and value:
        if "main".startswith(value):
            return RowTest(trait=RowFlag.SIDE, negative=True)
        if any(side.startswith(value) for side in _SIDE_NAMES):
            return RowTest(trait=RowFlag.SIDE)
    return None


def _kinds(value: str) -> Sequence[Kind]:
    """Kinds whose name begins with the value: a filter narrows while its word is being typed."""
    named = [kind for kind in (*ToolKind, *RowKind) if kind.value.startswith(value)]
    for alias, kinds in _ALIASES.items():
        if alias.startswith(value):
            named.extend(kinds)
    return named


def _content_test(term: str, rows: Rows | None, make_test: MakeTest) -> ContentTest:
    name, _, value = term.partition(":")
    match name.lower() if value else "":
        case "tool":
            only = (RowTest(frozenset(ToolKind)),)
            return ContentTest(make_test(value, Field.TOOL), False, value, Field.TOOL, only)
        case "file":
            return ContentTest(make_test(value, Field.FILE), False, value, Field.FILE)
        case "state":
            return _state_test(value.lower())
        case "stream":
            only = (RowTest(trait=RowFlag.SIDE),)
            return ContentTest(_stream_test(value.lower(), rows), only=only)
        case _:
            return ContentTest(make_test(term, Field.TEXT), False, term, Field.TEXT)


def _state_test(value: str) -> ContentTest:
    """The state as the mark before an activity tells it; while it is typed, all that begin so."""
    marks = frozenset(mark for state, mark in _STATES.items() if state.startswith(value))
    kinds = _WARNED if StatusIcon.WARNING in marks else frozenset[Kind]()
    only = (RowTest(kinds | frozenset(ToolKind)),)
    if marks <= _PROBLEMS:
        only = (RowTest(),)
    elif not marks & {*_PROBLEMS, StatusIcon.WARNING}:
        only += (RowTest(negative=True),)
    well = StatusIcon.OK in marks
    return ContentTest(lambda activity: mark_of(activity) in marks, only=only, well=well)


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


def split_words(text: str) -> list[str]:
    """The words of a filter line; quotes hold words together, as the slashes of a pattern do."""
    words: list[str] = []
    word, quoted = "", False
    for char in text:
        pattern = word.lower().lstrip("-").startswith("regex:/")
        if pattern and not _ended(word, char):
            word += char
        elif char == '"':
            quoted = not quoted
        elif char.isspace() and not quoted:
            words.append(word)
            word = ""
        else:
            word += char
    words.append(word)
    return [word for word in words if word]


def _ended(word: str, char: str) -> bool:
    """Whether a pattern ends before this character: behind a slash that is not escaped."""
    slash = len(word) > len("regex:/") and word.endswith("/") and not word.endswith("\\/")
    return slash and char.isspace()
