"""The parser of queries: a line of words, phrases, patterns and fields becomes terms.

All terms of a query must hold. `docs/query.md` describes the language.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from string import whitespace
from typing import Any

from agentview.domain.activity import Kind
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.errors import UsageError, nearest
from agentview.query.values import MOMENTS, PERIODS, amount, moment, stretch
from agentview.query.vocabulary import (
    CALL_STATES,
    FIELD_ALIASES,
    FIELDS,
    KIND_NAMES,
    MARKS,
    PLACES,
    SESSION_STATES,
    Surface,
    ValueType,
    call_states,
    kinds_named,
    marks_named,
    places_named,
    session_states,
)

REGEX = "regex:/"
"""The beginning of a regular expression; a slash ends it."""

LONGEST = 4_096
"""Characters of a query."""
_MOST_TERMS = 64
_LONGEST_REGEX = 1_000
_BARE = "problems"
"""The field that needs no colon."""
_COMPARISON = re.compile(r"[<>]=?\s*\$?\d[\d.]*[kmg]?", re.IGNORECASE)
_NAME = re.compile(r"[a-z]+")
_NO_EXCLUSION = "->=" + whitespace
"""Behind a minus sign: `--force`, `->` and `-=` are texts."""
_ESCAPED = '\\"'


class QueryError(UsageError):
    """A query, or a part of one, that is not valid: a sentence and a hint."""

    @property
    def short(self) -> str:
        """The sentence without the list of what is valid, for the end of a line."""
        return self.message.partition("; ")[0].removesuffix(".")


class Text(Value):
    """A word or a phrase. `inside`: it may also be in the middle of a word of the index."""

    text: str
    negative: bool = False
    inside: bool = False
    typed: str = ""


class Regex(Value):
    """A regular expression."""

    source: str
    negative: bool = False
    typed: str = ""


class Field(Value):
    """A field with its value; the value of a bare `problems` is empty."""

    name: str
    value: str
    negative: bool = False
    typed: str = ""


Term = Text | Regex | Field


class Query(Value, gc=True):
    """The terms of a line that are valid, and the first error in it."""

    terms: tuple[Term, ...] = ()
    error: QueryError | None = None

    @property
    def texts(self) -> tuple[Text | Regex, ...]:
        return tuple(term for term in self.terms if not isinstance(term, Field))

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(term for term in self.terms if isinstance(term, Field))

    @property
    def line(self) -> str:
        return " ".join(term.typed for term in self.terms)

    def where(self, wanted: Callable[[Term], bool]) -> "Query":
        return Query(tuple(term for term in self.terms if wanted(term)), self.error)


class _Word(Value):
    text: str
    """Without quotation marks and the sign of exclusion."""
    quoted: bool
    """True if it begins with a quotation mark."""
    negative: bool
    typed: str


def parse_query(line: str, surface: Surface) -> Query:
    """The query of a line. Terms that are not valid are left out; the first gives the error.

    A field without a value is one that is still being typed: it is left out without an error.
    """
    if len(line) > LONGEST:
        return Query(error=QueryError(f"query too long: at most {LONGEST:,} characters."))
    terms: list[Term] = []
    errors: list[QueryError] = []
    for word in _words(line):
        try:
            term = _term(word, surface)
        except QueryError as error:
            errors.append(error)
        else:
            terms += [] if term is None else [term]
    if len(terms) > _MOST_TERMS:
        return Query(error=QueryError(f"query too long: at most {_MOST_TERMS} terms."))
    return Query(tuple(terms), errors[0] if errors else None)


def exact_kind(name: str) -> frozenset[Kind]:
    """Kinds with a name or alias as it is. Raises QueryError for any other."""
    if name.lower() not in KIND_NAMES:
        raise _unknown("kind", name, KIND_NAMES)
    return kinds_named(name)


def selects_sessions(term: Term) -> bool:
    """Return True if the search in all sessions takes the term as one that selects sessions."""
    if not isinstance(term, Field):
        return False
    spec = FIELDS[term.name]
    if term.name == "state":
        return not call_states(term.value) or term.value.lower() in SESSION_STATES
    if spec.type is ValueType.AMOUNT:
        return not _is_bare(term)
    return Surface.ACTIVITIES not in spec.surfaces or spec.type is ValueType.MOMENT


def quoted(text: str) -> str:
    """The phrase that stands for a text as it is."""
    escaped = text.replace("\\", "\\\\").replace('"', _ESCAPED)
    return f'"{escaped}"'


def _term(word: _Word, surface: Surface) -> Term | None:
    text, negative = word.text, word.negative
    if word.quoted:
        return Text(text, negative, typed=word.typed) if text.strip() else None
    if text[: len(REGEX)].lower() == REGEX:
        return _regex(word)
    name, colon, value = text.partition(":")
    name = FIELD_ALIASES.get(name.lower(), name.lower())
    if name in FIELDS and (colon or name == _BARE):
        field = Field(name, value, negative, word.typed)
        if not value and (FIELDS[name].type is not ValueType.AMOUNT):
            return None
        _check(field, surface)
        return field
    if colon and _NAME.fullmatch(name) and _COMPARISON.fullmatch(value):
        raise QueryError(f'unknown field "{name}".', _choices(name, FIELDS))
    stripped = text.strip("*")
    if not stripped:
        return None
    return Text(stripped, negative, text.startswith("*"), word.typed)


def _regex(word: _Word) -> Regex | None:
    source = word.text[len(REGEX) :]
    if re.search(r"(?<!\\)(\\\\)*/$", source):
        source = source[:-1]
    if not source:
        return None
    try:
        if len(source) > _LONGEST_REGEX:
            raise OverflowError(f"longer than {_LONGEST_REGEX:,} characters")
        compiled_regex(source)
    except (_engine().error, RecursionError, OverflowError, MemoryError) as error:
        raise QueryError(
            f"invalid regular expression: {source[:80]}: {error}.",
            f"Quote it to search for it as text: {quoted(REGEX + source[:80] + '/')}",
        ) from None
    return Regex(source, word.negative, word.typed)


def compiled_regex(source: str) -> Any:
    """The compiled form, whose methods take a `timeout`. Raises the errors of the engine."""
    engine = _engine()
    return engine.compile(source, engine.IGNORECASE | engine.MULTILINE)


def _engine() -> Any:
    # Imported late: most sessions are read without a pattern.
    return import_module("regex")


def _is_bare(field: Field) -> bool:
    return field.name == _BARE and ":" not in field.typed


def _check(field: Field, surface: Surface) -> None:
    """Raise QueryError for a value that the field does not have, or a field of something else."""
    spec, name, value = FIELDS[field.name], field.name, field.value
    if surface not in spec.surfaces:
        raise _misplaced(field, surface)
    match spec.type:
        case ValueType.KIND if not kinds_named(value):
            raise _unknown("kind", value, KIND_NAMES)
        case ValueType.KIND if surface is Surface.SESSIONS and not _has_calls(value):
            raise _misplaced(field, surface)
        case ValueType.PLACE if not places_named(value) or field.negative:
            raise _unknown("place", value, PLACES)
        case ValueType.MARK if not marks_named(value):
            raise _unknown("mark", value, MARKS)
        case ValueType.STATE:
            _check_state(value, surface)
        case ValueType.AMOUNT if amount(value) is None:
            raise QueryError(
                f"invalid filter: {name}:{value}.",
                f"Give a number or a comparison, such as {name}:>5 or {name}:<=100k.",
            )
        case ValueType.AMOUNT if value and surface is Surface.ACTIVITIES:
            raise _misplaced(field, surface)
        case ValueType.MOMENT | ValueType.PERIOD:
            _check_time(spec.type, name, value)
        case _:
            pass


def _check_time(kind: ValueType, name: str, value: str) -> None:
    is_period = kind is ValueType.PERIOD
    if (stretch(value, 0.0) if is_period else moment(value, 0.0)) is None:
        raise QueryError(
            f"invalid filter: {name}:{value}.",
            f"Give a time, such as {PERIODS if is_period else MOMENTS}; quote one with a space:"
            f' {name}:"last week".',
        )


def _has_calls(value: str) -> bool:
    return any(isinstance(kind, ToolKind) for kind in kinds_named(value))


def _check_state(value: str, surface: Surface) -> None:
    known: Sequence[str] = ()
    if surface is not Surface.SESSIONS:
        known = CALL_STATES
    if surface is not Surface.ACTIVITIES:
        known = (*known, *SESSION_STATES)
    of_call = surface is not Surface.SESSIONS and call_states(value)
    if not of_call and not (surface is not Surface.ACTIVITIES and session_states(value)):
        raise _unknown("state", value, dict.fromkeys(known))


def _misplaced(field: Field, surface: Surface) -> QueryError:
    known = {
        Surface.ACTIVITIES: "it selects sessions, not activities",
        Surface.SESSIONS: "it selects activities, not sessions",
        Surface.EVERYWHERE: "it selects activities of one session",
    }
    return QueryError(
        f"invalid filter: {field.typed}: {known[surface]}.", "Quote it to search for it as text."
    )


def _unknown(what: str, value: str, known: Iterable[str]) -> QueryError:
    names = list(known)
    hint = nearest(value, names, 0.6) or "Run 'agentview help query' for what a query can say."
    return QueryError(f'unknown {what} "{value}"; valid {what}s: {", ".join(names)}.', hint)


def _choices(name: str, known: Iterable[str]) -> str:
    names = list(known)
    asked = nearest(name, names, 0.6)
    listed = f"Valid fields: {', '.join(names)}."
    return listed if asked is None else f"{asked} {listed}"


def _words(line: str) -> Iterator[_Word]:
    """The words of a line; quotation marks and the slashes of a pattern hold words together."""
    at, end = 0, len(line)
    while at < end:
        if line[at].isspace():
            at += 1
            continue
        start = at
        negative = line[at] == "-" and at + 1 < end and line[at + 1] not in _NO_EXCLUSION
        at += negative
        if line[at : at + len(REGEX)].lower() == REGEX:
            stop = _regex_end(line, at + len(REGEX))
            yield _Word(line[at:stop], False, negative, line[start:stop])
            at = stop
            continue
        quoted_first = line[at] == '"'
        text, at = _word_at(line, at)
        if text and line[start:at] != "-":
            yield _Word(text, quoted_first, negative, line[start:at])


def _word_at(line: str, at: int) -> tuple[str, int]:
    """The word that begins at a place, without quotation marks, and where it ends."""
    pieces: list[str] = []
    in_quotes = False
    while at < len(line) and (in_quotes or not line[at].isspace()):
        if line.startswith(_ESCAPED, at) or (in_quotes and line.startswith("\\\\", at)):
            pieces.append(line[at + 1])
            at += 2
            continue
        if line[at] == '"':
            in_quotes = not in_quotes
        else:
            pieces.append(line[at])
        at += 1
    return "".join(pieces), at


def _regex_end(line: str, at: int) -> int:
    """The place behind the slash that ends a pattern, or the end of the line."""
    while at < len(line):
        if line[at] == "\\":
            at += 1
        elif line[at] == "/" and (at + 1 == len(line) or line[at + 1].isspace()):
            return at + 1
        at += 1
    return len(line)
