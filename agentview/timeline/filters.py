"""The filter line: words, `kind:shell`, `tool:Bash`, `file:src/`, `problems`; `-` excludes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.timeline.model import Rows
from agentview.timeline.search import Test, text_test
from agentview.timeline.texts import file_paths, tool_names
from agentview.timeline.traits import KINDS, Trait, overlap

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
}

_UNFINISHED = ("kind:", "tool:", "file:")


class RowTest(Value):
    """What can be told of a row without decoding it: its kind, or that it is a problem."""

    kinds: frozenset[Kind] | None = None
    """None asks for problems."""
    negative: bool = False

    def passes(self, rows: Rows, row: int) -> bool:
        """Whether the row passes."""
        found = rows.problem(row) if self.kinds is None else rows.kind(row) in self.kinds
        return found != self.negative

    def mask(self, kinds: bytes, flags: bytes) -> bytes:
        """The same for many rows, by their codes and flags: 255 for each that passes, else 0."""
        if self.kinds is None:
            table = [bool(flag & Trait.PROBLEM) != self.negative for flag in range(256)]
            return flags.translate(_full(table))
        table = [(kind in self.kinds) != self.negative for kind in KINDS]
        return kinds.translate(_full(table))


def _full(table: Iterable[bool]) -> bytes:
    return bytes(255 if passes else 0 for passes in table).ljust(256, b"\0")


class Filter(Value):
    """A filter in two steps: what a row's number tells, then what its content tells."""

    row_tests: tuple[RowTest, ...] = ()
    content_tests: tuple[Test, ...] = ()

    @property
    def needs_content(self) -> bool:
        """True when rows must be decoded to know whether they pass."""
        return bool(self.content_tests)

    def passes_row(self, rows: Rows, row: int) -> bool:
        """What can be told without decoding the row."""
        return all(test.passes(rows, row) for test in self.row_tests)

    def mask(self, kinds: bytes, flags: bytes) -> bytes:
        """What can be told without decoding, of many rows: 255 for each that passes, else 0."""
        return overlap([test.mask(kinds, flags) for test in self.row_tests], len(kinds))

    def passes_content(self, activity: Activity) -> bool:
        """What only the activity itself can tell."""
        return all(test(activity) for test in self.content_tests)

    def passes(self, rows: Rows, row: int) -> bool:
        """Whether the row is left in; decodes it when it has to."""
        return self.passes_row(rows, row) and (
            not self.content_tests or self.passes_content(rows.activity(row))
        )


def parse_filter(text: str) -> Filter | None:
    """The filter that a line of text asks for; None for an empty line.

    Words that are no known term are looked for in the content, so that no line is an error.
    Quotes hold words together.
    """
    row_tests: list[RowTest] = []
    content_tests: list[Test] = []
    for word in split_words(text):
        negative = len(word) > 1 and word.startswith("-")
        term = word[1:] if negative else word
        if term.lower() in _UNFINISHED:
            continue
        row_test = _row_test(term)
        if row_test is not None:
            row_tests.append(replace(row_test, negative=negative))
        else:
            test = _content_test(term)
            content_tests.append(_other_than(test) if negative else test)
    if not row_tests and not content_tests:
        return None
    return Filter(tuple(row_tests), tuple(content_tests))


def _row_test(term: str) -> RowTest | None:
    lowered = term.lower()
    if lowered in ("problems", "problem", "errors"):
        return RowTest()
    name, colon, value = lowered.partition(":")
    if name != "kind" or not colon or not value:
        return None
    return RowTest(frozenset(_kinds(value)))


def _kinds(value: str) -> Sequence[Kind]:
    """Kinds whose name begins with the value: a filter narrows while its word is being typed."""
    named = [kind for kind in (*ToolKind, *RowKind) if kind.value.startswith(value)]
    for alias, kinds in _ALIASES.items():
        if alias.startswith(value):
            named.extend(kinds)
    return named


def _content_test(term: str) -> Test:
    name, colon, value = term.partition(":")
    wanted = value.lower()
    if colon and value and name.lower() == "tool":
        return lambda activity: any(wanted in tool.lower() for tool in tool_names(activity))
    if colon and value and name.lower() == "file":
        return lambda activity: any(wanted in path.lower() for path in file_paths(activity))
    return text_test(term)


def _other_than(test: Test) -> Test:
    return lambda activity: not test(activity)


def split_words(text: str) -> list[str]:
    """The words of a filter line; quotes hold words together."""
    words: list[str] = []
    word, quoted = "", False
    for char in text:
        if char == '"':
            quoted = not quoted
        elif char.isspace() and not quoted:
            words.append(word)
            word = ""
        else:
            word += char
    words.append(word)
    return [word for word in words if word]
