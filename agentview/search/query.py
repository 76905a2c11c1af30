r"""The line of a search: words, "phrases", prefix*, regex:/…/, -word, `in:` and `kind:`.

No line is an error but for a pattern that is none. Words of the library's filter, such as
`project:shop`, are told apart and left to the library.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import regex

from agentview.domain.activity import Kind, RowKind
from agentview.domain.index_entry import KINDS
from agentview.domain.value import Value
from agentview.errors import choices_hint
from agentview.search.fields import COLUMNS, Column
from agentview.search.tokenizer import words_of
from agentview.timeline.filters import KIND_NAMES, parse_filter

PLACES = ("prompt", "message", "reasoning", "command", "path", "args", "result")
"""What `in:` takes."""

_EVERYWHERE = frozenset(Column)
_IN: dict[str, tuple[frozenset[Column], Kind | None]] = {
    "prompt": (frozenset({Column.SAID}), RowKind.USER),
    "message": (frozenset({Column.SAID}), RowKind.MESSAGE),
    "reasoning": (frozenset({Column.SAID}), RowKind.REASONING),
    "command": (frozenset({Column.COMMAND}), None),
    "path": (frozenset({Column.PATH}), None),
    "args": (frozenset({Column.COMMAND, Column.PATH, Column.ARGS}), None),
    "result": (frozenset({Column.RESULT}), None),
}
_REGEX = "regex:/"


class Term(Value):
    """Words that follow each other in a text; the last may be the beginning of one."""

    words: tuple[str, ...]
    prefix: bool = False
    negative: bool = False
    typed: str = ""


class Pattern(Value):
    """A regular expression over the bytes of a record as they are written."""

    source: str
    compiled: regex.Pattern[str]
    negative: bool = False


class Scope(Value):
    """Columns in which words count, of activities of one kind or of all."""

    columns: frozenset[Column] = _EVERYWHERE
    kind: Kind | None = None


class Query(Value):
    """What is looked for. `filters` is the part of the line that is for the library."""

    terms: tuple[Term, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    scopes: tuple[Scope, ...] = (Scope(),)
    kinds: frozenset[Kind] | None = None
    """None is any kind."""
    filters: str = ""
    ignored: tuple[str, ...] = ()
    """What was typed and holds no word: signs only."""
    error: str | None = None
    """Why the line asks for nothing that can be looked for, in a sentence."""

    @property
    def empty(self) -> bool:
        """Whether nothing is asked for that an activity has."""
        return not (self.terms or self.patterns or self.kinds is not None)

    @property
    def wanted(self) -> tuple[Term, ...]:
        """The terms that a hit has."""
        return tuple(term for term in self.terms if not term.negative)

    @property
    def plain(self) -> str:
        """A text, else a pattern, to look for in the session that a hit is in; empty for none."""
        patterns = (f"{_REGEX}{each.source}/" for each in self.patterns if not each.negative)
        text = max((term.typed for term in self.wanted), key=len, default="")
        return text or next(patterns, "")


class _Word(NamedTuple):
    text: str
    quoted: bool
    """Whether it began with a quotation mark."""


def parse_query(line: str, fields: Collection[str] = (), *, typing: bool = False) -> Query:
    """What a line asks for; words `field:` of `fields`, and those alone, are for the library.

    While the person is `typing` the last word may be the beginning of one.
    """
    terms: list[Term] = []
    patterns: list[Pattern] = []
    scopes: list[Scope] = []
    kinds: set[Kind] | None = None
    out_kinds: set[Kind] = set()
    filters: list[str] = []
    ignored: list[str] = []
    error: str | None = None
    words = list(_split(line))
    for number, word in enumerate(words, 1):
        negative = len(word.text) > 1 and word.text.startswith("-") and not word.quoted
        text = word.text[1:] if negative else word.text
        name, colon, value = text.partition(":")
        name = name.lower()
        if text.startswith(_REGEX) and not word.quoted:
            pattern, problem = _pattern(text.removeprefix(_REGEX), negative=negative)
            error = problem or error
            patterns += [pattern] if pattern else []
        elif not word.quoted and ((colon and name in fields) or text.lower() in fields):
            filters.append(f'"{word.text}"' if " " in word.text else word.text)
        elif colon and not word.quoted and name == "in" and not negative:
            places = [place for place in PLACES if value and place.startswith(value)]
            scopes += [Scope(*_IN[place]) for place in places]
            error = _unknown("place in an activity", value, places, PLACES) or error
        elif colon and not word.quoted and name == "kind":
            chosen = _kinds(value)
            error = _unknown("kind of activity", value, chosen, KIND_NAMES) or error
            if negative:
                out_kinds |= chosen
            elif value:
                kinds = chosen if kinds is None else kinds | chosen
        else:
            open_end = typing and number == len(words) and line[-1:] not in ('"', " ")
            term = _term(text, negative=negative, open_end=open_end)
            if term is None:
                ignored.append(text)
            else:
                terms.append(term)
    if out_kinds:
        kinds = (set(KINDS) if kinds is None else kinds) - out_kinds
    return Query(
        terms=tuple(terms),
        patterns=tuple(patterns),
        scopes=tuple(scopes) or (Scope(),),
        kinds=None if kinds is None else frozenset(kinds),
        filters=" ".join(filters),
        ignored=tuple(ignored),
        error=error,
    )


def match_expression(query: Query) -> str | None:
    """What to ask the index for: all that matches the query, and perhaps more; None without words.

    Every word is quoted, and words hold letters and digits only: nothing in it is an operator.
    """
    wanted = [_phrase(term) for term in query.wanted]
    if not wanted:
        return None
    columns = frozenset[Column]().union(*(scope.columns for scope in query.scopes))
    within = "" if columns == _EVERYWHERE else _column_list(columns)
    expression = f"{within}({' AND '.join(wanted)})"
    # Whether a phrase is in a text is for the text to say; a single word is what the index knows.
    unwanted = [_phrase(term) for term in query.terms if term.negative and len(term.words) == 1]
    return f"{expression} NOT {within}({' OR '.join(unwanted)})" if unwanted else expression


def _column_list(columns: frozenset[Column]) -> str:
    return "{" + " ".join(COLUMNS[column] for column in sorted(columns)) + "} : "


def _phrase(term: Term) -> str:
    return f'"{" ".join(term.words)}"{" *" if term.prefix else ""}'


def _split(line: str) -> Iterator[_Word]:
    """The words of the line; quotation marks and a pattern's slashes hold words together."""
    at, end = 0, len(line)
    while at < end:
        if line[at].isspace():
            at += 1
            continue
        start = at
        if line.startswith((_REGEX, f"-{_REGEX}"), at):
            at = _pattern_end(line, line.index("/", at) + 1)
            yield _Word(line[start:at], quoted=False)
            continue
        text, in_quotes = "", False
        while at < end and (in_quotes or not line[at].isspace()):
            if line[at] == '"':
                in_quotes = not in_quotes
            else:
                text += line[at]
            at += 1
        if text:
            yield _Word(text, quoted=line[start] == '"')


def _pattern_end(line: str, at: int) -> int:
    """Behind the slash that ends a pattern, or the end of the line."""
    while at < len(line):
        if line[at] == "\\":
            at += 1
        elif line[at] == "/" and (at + 1 == len(line) or line[at + 1].isspace()):
            return at + 1
        at += 1
    return len(line)


def _term(text: str, *, negative: bool, open_end: bool) -> Term | None:
    words = words_of(text)
    if not words:
        return None
    typed = text.removesuffix("*")
    return Term(tuple(words), text.endswith("*") or open_end, negative, typed)


def _pattern(text: str, *, negative: bool) -> tuple[Pattern | None, str | None]:
    source = text.removesuffix("/")
    if not source:
        return None, None
    try:
        compiled = regex.compile(source, regex.IGNORECASE | regex.DOTALL)
    except (regex.error, OverflowError, RecursionError) as error:
        return None, f"/{source}/ is no pattern: {error}."
    return Pattern(source, compiled, negative), None


def _unknown(what: str, value: str, found: Collection[object], known: Sequence[str]) -> str | None:
    """What is wrong with a value that names nothing; None where it names something."""
    return f"{value} is no {what}. {choices_hint(value, known)}" if value and not found else None


def _kinds(value: str) -> set[Kind]:
    parsed = parse_filter(f"kind:{value}") if value else None
    if parsed is None or not parsed.row_tests:
        return set()
    return set(parsed.row_tests[0].kinds or ())
