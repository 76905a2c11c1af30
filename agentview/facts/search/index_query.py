"""A query as the search in all sessions runs it: what the index is asked, what texts must hold.

The index knows words. So here a word is found from its beginning on, and accents do not count; a
word with `*` in front and signs alone are looked for in the logs themselves.
"""

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

from agentview.domain.activity import Kind, RowKind
from agentview.domain.index_entry import KINDS
from agentview.domain.period import ALL_TIME, Period
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.facts.search.documents import COLUMNS, Column, Document
from agentview.facts.search.matcher import Scope, columns_of, required, scopes_of
from agentview.facts.search.tokenizer import folded, words_of
from agentview.query.parser import Field, Query, Regex, Text, selects_sessions
from agentview.query.text_matcher import TextMatcher, counts_case
from agentview.query.vocabulary import kinds_named
from agentview.timeline.view.filter.filters import has_state

_EVERYWHERE = frozenset(Column)
PATTERN_SECONDS = 0.5
"""How long a pattern may take over one record."""

_IN_WORD = r"a-z0-9\x80-\U0010ffff"
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_ESCAPED_LETTERS = re.compile(
    rb"\\u(?!00[0-2]|003[a-f])[0-9a-f]{4}(?:\\u(?!00[0-2]|003[a-f])[0-9a-f]{4})*"
)
"""Escapes that stand for more than a sign: they may be a part of a word."""
# Patterns find a text of two bytes, of which one is frequent, in a third of the time of `in`.
_ESCAPE, _DOUBLY_ESCAPED = re.compile(rb"\\u"), re.compile(rb"\\\\u")
_NO_ESCAPE = re.compile(rb"\\u(?![0-9a-f]{4})")
_SLASHES = 8
"""Backslashes in front of an escape: it is in JSON in a string of JSON, and so on."""
_ASCII = bytes(range(128))
_IN_ASCII_WORD = re.compile("[a-z0-9]")
_COLOUR = re.compile(rb"\\u001b\[[0-9;:?<=>]{0,64}[ -/]?[@-~]")
_OF_NUMBER = re.compile("[0-9]+(?:e[0-9]*)?")
"""A word of a number as it is shown."""
_WRITTEN_OTHERWISE = re.compile(
    rb"[:\[,]\s*-?(?:[0-9.]{16}|[0-9]+(?:(?:\.[0-9]*)?e|\.(?:0{4}|[0-9]*0[\s,\]}])))"
)
"""In lower-case records, a JSON number that may be shown in another form: 1.50, 1e3, 0.00001.

One of more than 15 digits has more of them than a float may keep.
"""
_SPREAD = 200
"""Characters that may stand between two words of a term and are still marked with it."""


class IndexTerm(Value):
    """A word, phrase or pattern: what the index knows of it, and what a text must hold besides."""

    words: tuple[str, ...]
    """Words that follow each other, of which the last may go on; none for a term without words."""
    text: Text | Regex | None
    """Condition on the text itself; None for a word, of which the index knows all."""
    negative: bool


class IndexQuery(Value, gc=True):
    """A query, split by who answers it."""

    terms: tuple[IndexTerm, ...] = ()
    scopes: tuple[Scope, ...] = (Scope(),)
    kinds: frozenset[Kind] | None = None
    """None is any kind."""
    fields: tuple[Field, ...] = ()
    """For the activity itself: tool, file, state, problems."""
    sessions: Query = Query()
    """For the library: which sessions are searched."""
    activities: str = ""
    """The terms for activities as they were typed."""
    period: Period = ALL_TIME
    """When activities began and notes were made."""

    @property
    def empty(self) -> bool:
        """True if nothing is asked for that an activity, a note or a title has."""
        return not self.activities and not self.only_sessions

    @property
    def notes(self) -> tuple[str, ...]:
        """Words that one of the person's notes must have, in lower case."""
        return self._values("note")

    @property
    def titles(self) -> tuple[str, ...]:
        """Words that the title must have, in lower case."""
        return self._values("title")

    @property
    def only_sessions(self) -> bool:
        """True if sessions, notes or titles are all that is looked for: no log is read for them."""
        return bool(self.sessions.terms) and not self.activities

    @property
    def lists_sessions(self) -> bool:
        """True if each session that passes is a match, with nothing to be found in it."""
        return self.only_sessions and not self.notes and not self.titles

    @property
    def wanted(self) -> tuple[IndexTerm, ...]:
        """The terms that a hit has and that the index knows words of."""
        return tuple(term for term in self.terms if term.words and not term.negative)

    @property
    def exact(self) -> bool:
        """True if all that the index finds are hits."""
        return not self.fields and all(term.text is None for term in self.terms)

    def has(self, kind: Kind, time: float | None) -> bool:
        return (self.kinds is None or kind in self.kinds) and self.period.has(time)

    def _values(self, name: str) -> tuple[str, ...]:
        fields = (field for field in self.sessions.fields if field.name == name)
        return tuple(field.value.lower() for field in fields if not field.negative)

    @property
    def has_pattern(self) -> bool:
        """True if it has a regular expression, for which all of a text is looked at."""
        return any(isinstance(term.text, Regex) for term in self.terms)

    @property
    def reads_logs(self) -> bool:
        """True if the index is of no use, because words are not what is looked for."""
        unindexed = any(not term.words and not term.negative for term in self.terms)
        return self.has_pattern or (unindexed and not self.wanted)


def index_query(query: Query) -> IndexQuery:
    """Return the conditions of a query on index, texts, activities and sessions."""
    activities = query.where(lambda term: not selects_sessions(term))
    places = [field.value for field in query.fields if field.name == "in"]
    return IndexQuery(
        terms=tuple(map(_index_term, query.texts)),
        scopes=scopes_of(places),
        kinds=_kinds(activities.fields),
        fields=tuple(f for f in activities.fields if f.name not in ("in", "kind")),
        sessions=query.where(selects_sessions),
        activities=activities.line,
    )


def match_expression(query: IndexQuery) -> str | None:
    """Expression for the index, which matches at least what the query does; None without words.

    Every word is quoted, and words hold letters and digits only: nothing in it is an operator.
    """
    wanted = [_quoted(term) for term in query.wanted]
    if not wanted:
        return None
    columns = frozenset[Column]().union(*(scope.columns for scope in query.scopes))
    within = "" if columns == _EVERYWHERE else _column_list(columns)
    expression = f"{within}({' AND '.join(wanted)})"
    # Whether a phrase is in a text is for the text to say; a single word is what the index knows.
    unwanted = [
        _quoted(term)
        for term in query.terms
        if term.negative and term.text is None and len(term.words) == 1
    ]
    return f"{expression} NOT {within}({' OR '.join(unwanted)})" if unwanted else expression


def _index_term(term: Text | Regex) -> IndexTerm:
    if isinstance(term, Regex):
        return IndexTerm((), term, term.negative)
    words = () if term.inside else tuple(words_of(term.text))
    is_word = len(words) == 1 and term.text.isalnum() and not counts_case(term.text)
    return IndexTerm(words, None if is_word else term, term.negative)


def _kinds(fields: tuple[Field, ...]) -> frozenset[Kind] | None:
    kinds: frozenset[Kind] | None = None
    for field in fields:
        if field.name == "kind":
            named = kinds_named(field.value)
            named = frozenset(KINDS) - named if field.negative else named
            kinds = named if kinds is None else kinds & named
        elif field.name == "tool" and not field.negative:
            calls = frozenset[Kind](ToolKind)
            kinds = calls if kinds is None else kinds & calls
    return kinds


def _column_list(columns: frozenset[Column]) -> str:
    return "{" + " ".join(COLUMNS[column] for column in sorted(columns)) + "} : "


def _quoted(term: IndexTerm) -> str:
    return f'"{" ".join(term.words)}" *'


class DocumentMatcher:
    """Whether documents are hits. With `full` all of a text is looked at.

    Documents and index are compared on the same form of the text, so both find the same.
    """

    def __init__(self, query: IndexQuery, *, full: bool = False) -> None:
        self._query = query
        self._full = full or query.has_pattern
        self._has_words = any(term.words for term in query.terms)
        self._terms = [
            (term, _words_pattern(term.words), _text_matcher(term)) for term in query.terms
        ]

    @property
    def late(self) -> int:
        """Texts for which a pattern took too long so far."""
        return sum(matcher.late for _, _, matcher in self._terms if matcher is not None)

    def matches(self, document: Document, *, alone: bool = False) -> bool:
        """True if all terms hold; of a result `alone`, kind and fields are those of its call."""
        query = self._query
        if not alone and not query.has(document.kind, document.time):
            return False
        columns = self.columns(document)
        if not columns or not (alone or all(_has_field(document, each) for each in query.fields)):
            return False
        full = self._full
        forms = [document.indexed(each, full=full).lower() for each in columns if self._has_words]
        texts = [text for each in columns for text in document.pieces(each, full=full)]
        return all(
            (
                (words is None or any(map(words.search, forms)))
                and (matcher is None or matcher.finds(texts))
            )
            != term.negative
            for term, words, matcher in self._terms
        )

    def columns(self, document: Document) -> frozenset[Column]:
        return columns_of(self._query.scopes, document.kind)


def _words_pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    if not words:
        return None
    return re.compile(rf"(?<![{_IN_WORD}])" + rf"[^{_IN_WORD}]+".join(map(re.escape, words)))


def _text_matcher(term: IndexTerm) -> TextMatcher | None:
    return None if term.text is None else TextMatcher(term.text, accentless, PATTERN_SECONDS)


def _has_field(document: Document, field: Field) -> bool:
    value = field.value.lower()
    match field.name:
        case "tool":
            found = any(value in name.lower() for name in document.tools)
        case "file":
            found = any(value in path.lower() for path in document.texts.get(Column.PATH, ()))
        case "state":
            found = has_state(document.activity(), value)
        case _:
            activity = document.activity()
            failed = has_state(activity, "error") or has_state(activity, "denied")
            found = failed or document.kind is RowKind.UNPARSED
    return found != field.negative


class Prefilter:
    """Shows by the bytes of records whether they may match a query."""

    def __init__(self, query: IndexQuery) -> None:
        words = {_longest_word(term) for term in query.terms}
        ends = any(field.name in ("state", "problems") for field in query.fields)
        positive = any(not term.negative for term in query.terms)
        unknown = ends or not positive or "" in words or query.kinds is not None
        self.words = frozenset[str]() if unknown else frozenset(words)
        """Words of which each record that may be of a match has one; none where that is unknown."""
        self.needed = frozenset(
            word for term in query.terms if not term.negative and (word := _longest_word(term))
        )
        """Words that all records of a match have together."""
        self._signs: set[str] = set()
        """Characters that cannot be a part of a word in ASCII."""

    def may(self, record: bytes) -> bool:
        """Return False if no word of the query can be in the record, however it is escaped."""
        return not self.words or len(self.missing(record, self.words)) < len(self.words)

    def missing(self, records: bytes, words: frozenset[str]) -> frozenset[str]:
        """Those of some words that cannot be in whole records, however these are escaped."""
        low = records.lower()
        left = frozenset(word for word in words if word.encode() not in low)
        numbers = frozenset(filter(_OF_NUMBER.fullmatch, left))
        if numbers and _WRITTEN_OTHERWISE.search(low):
            left -= numbers
        if not left:
            return left
        if _ESCAPE.search(low):
            # What is escaped is a part of a word, and a colour may begin or end within one.
            once = _once_escaped(low)
            if once is None:
                return frozenset()
            low = _COLOUR.sub(b"", _ESCAPED_LETTERS.sub(_letters_of, once))
            left = frozenset(word for word in left if word.encode() not in low)
        return left if low.isascii() else self._missing_in_foreign(low, left)

    def _missing_in_foreign(self, low: bytes, words: frozenset[str]) -> frozenset[str]:
        """Those of some words that are not in lower-case records in which no letter is escaped."""
        if all(map(str.isascii, words)):
            letters = {char: folded(char) for char in self._letters_in(low.translate(None, _ASCII))}
            if not any(_may_complete(word, low, letters.values()) for word in words):
                return words
            # To fold the whole record would take ten times as long.
            text = low.decode("utf-8", "replace")
            for char, instead in letters.items():
                text = text.replace(char, instead)
        else:
            text = folded(low.decode("utf-8", "replace"))
        return frozenset(word for word in words if word not in text)

    def _letters_in(self, foreign: bytes) -> set[str]:
        """Characters beyond ASCII that count as some within it, or as none at all."""
        fresh = set(foreign.decode("utf-8", "replace")) - self._signs
        letters = {char for char in fresh if not _is_apart(char)}
        self._signs |= fresh - letters
        return letters


def _may_complete(word: str, low: bytes, made: Collection[str]) -> bool:
    """True if a word may be in records once some of their letters are others, or are nothing."""
    if not made or "" in made:
        return bool(made)
    pieces = re.split(f"[{re.escape(''.join(made))}]", word)
    return len(pieces) > 1 and all(piece.encode() in low for piece in pieces)


def _once_escaped(low: bytes) -> bytes | None:
    """The records with one backslash in front of what is escaped several times.

    None where an escape is not one of JSON: how it is read is not known.
    """
    for found in _NO_ESCAPE.finditer(low):
        before = low[max(0, found.start() - _SLASHES) : found.start()]
        if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
            return None
    for _ in range(_SLASHES):
        if _DOUBLY_ESCAPED.search(low) is None:
            return low
        low = low.replace(b"\\\\u", b"\\u")
    return None


def _letters_of(escaped: re.Match[bytes]) -> bytes:
    """The characters that escapes stand for, in lower case."""
    units = bytes.fromhex(escaped[0].replace(b"\\u", b"").decode())
    return units.decode("utf-16-be", "replace").lower().encode("utf-8", "replace")


def _is_apart(char: str) -> bool:
    """Return True if a character beyond ASCII stands between words in ASCII, whatever it is."""
    text = folded(char)
    return bool(text) and not _IN_ASCII_WORD.search(text)


def _longest_word(term: IndexTerm) -> str:
    """The longest word that a text with a term has; empty where none is known."""
    return max(term.words or _inside(term), key=len, default="")


def _inside(term: IndexTerm) -> list[str]:
    """Words of which each record that holds a term without words of the index has a part."""
    if isinstance(term.text, Text):
        return words_of(term.text.text)
    literal = "" if term.text is None else required(term.text.source)
    return words_of(literal)


class MatchHighlighter:
    """Finds in a text as it is shown what a query looks for, to be marked."""

    def __init__(self, query: IndexQuery) -> None:
        loose = [
            rf"[\W_]{{0,{_SPREAD}}}?".join(map(re.escape, term.words))
            for term in query.wanted
            if term.text is None
        ]
        strict = [rf"(?<![^\W_]){words}" for words in loose]
        self._strict = re.compile("|".join(strict)) if strict else None
        self._loose = re.compile("|".join(loose)) if loose else None
        texts = [term for term in query.terms if term.text is not None and not term.negative]
        self._matchers = [matcher for matcher in map(_text_matcher, texts) if matcher is not None]

    def ranges(self, text: str) -> list[tuple[int, int]]:
        """Start and end of what is to be marked, in order, none overlapping."""
        flat = _same_length(text)
        found: list[tuple[int, int]] = []
        for pattern in (self._strict, self._loose):
            if pattern is not None and not found:
                found = [match.span() for match in pattern.finditer(flat)]
        for matcher in self._matchers:
            spans = (match.span() for match in matcher.finditer(accentless(text)))
            found += [span for span in spans if span[1] > span[0]]
        return _apart(found)


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def accentless(text: str) -> str:
    """The text without accents, each character where it was."""
    return text if text.isascii() else _FOREIGN.sub(lambda run: _bases(run[0]), text)


@lru_cache(maxsize=4096)
def _bases(run: str) -> str:
    return "".join(map(_base, run))


def _base(char: str) -> str:
    if "\uac00" <= char <= "\ud7a3" or "\u3041" <= char <= "\u30fa":
        return char
    return unicodedata.normalize("NFKD", char)[0]


def _same_length(text: str) -> str:
    """The text in lower case without accents, each character where it was."""
    if not text.isascii():
        text = _FOREIGN.sub(lambda run: _small_bases(run[0]), text)
    return text.lower()


@lru_cache(maxsize=4096)
def _small_bases(run: str) -> str:
    return "".join(char.casefold()[:1] or char for char in _bases(run))
