"""Whether a document, or a record as it is written, is what a query asks for."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from agentview.search.documents import Document
from agentview.search.fields import Column
from agentview.search.query import Pattern, Query, Term
from agentview.search.tokenizer import folded

PATTERN_SECONDS = 0.5
"""How long a pattern may take over one record."""

_IN_WORD = r"a-z0-9\x80-\U0010ffff"
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_LETTER_ESCAPED = re.compile(rb"\\u(?!00[0-2]|003[a-fA-F])")
"""An escape that stands for more than a sign: it may be a part of a word."""
_ASCII = bytes(range(128))
_IN_ASCII_WORD = re.compile("[a-z0-9]")
_COLOUR = re.compile(rb"\\+u001b\[[0-9;:?<=>]{0,64}[ -/]?[@-~]")
_SPREAD = 200
"""Characters that may stand between two words of a term and are still marked with it."""


class Matcher:
    """Says of documents whether they are hits, as the index would. `full` looks at all of a text.

    Documents and index are compared on the same form of the text, so both find the same.
    """

    def __init__(self, query: Query, *, full: bool = False) -> None:
        self._query = query
        self._full = full
        self._terms = [(term, _term_pattern(term)) for term in query.terms]

    def matches(self, document: Document, *, any_kind: bool = False) -> bool:
        """Whether all terms hold; what the patterns say is asked of the records."""
        kinds = self._query.kinds
        if kinds is not None and not any_kind and document.kind not in kinds:
            return False
        columns = self.columns(document)
        texts = [document.indexed(column, full=self._full).lower() for column in sorted(columns)]
        return all(
            any(pattern.search(text) for text in texts) != term.negative
            for term, pattern in self._terms
        ) and bool(columns)

    def columns(self, document: Document) -> frozenset[Column]:
        """Columns of the document in which words count."""
        scopes = self._query.scopes
        allowed = (scope for scope in scopes if scope.kind in (None, document.kind))
        return frozenset[Column]().union(*(scope.columns for scope in allowed))


def _term_pattern(term: Term) -> re.Pattern[str]:
    words = rf"[^{_IN_WORD}]+".join(map(re.escape, term.words))
    end = "" if term.prefix else rf"(?![{_IN_WORD}])"
    return re.compile(rf"(?<![{_IN_WORD}]){words}{end}")


def pattern_holds(
    patterns: Iterable[Pattern], record: str, seconds: float = PATTERN_SECONDS
) -> bool:
    """Whether all patterns hold for a record as it is written. Raises TimeoutError."""
    return all(
        (pattern.compiled.search(record, timeout=seconds) is None) == pattern.negative
        for pattern in patterns
    )


class Prefilter:
    """Tells by the bytes of a record whether it may hold what a query asks for."""

    def __init__(self, query: Query) -> None:
        words = {_rarest(term) for term in query.terms}
        kinds_alone = not query.wanted or query.kinds is not None
        self._words = () if kinds_alone else tuple(sorted(words))
        self._plain = [word.encode() for word in self._words if word.isascii()]
        self._foreign = len(self._plain) < len(self._words)
        self._signs: set[str] = set()
        """Characters that cannot be a part of a word in ASCII."""

    def may(self, record: bytes) -> bool:
        """False when no word of the query can stand in the record, however it is escaped."""
        if not self._words:
            return True
        low = record.lower()
        if any(word in low for word in self._plain):
            return True
        if b"\\u" in low:
            if _LETTER_ESCAPED.search(low) is not None:
                return True
            if b"u001b" in low:
                # A colour may begin or end within a word.
                return self._stand_in(_COLOUR.sub(b"", low))
        return not low.isascii() and self._stand_in(low)

    def _stand_in(self, low: bytes) -> bool:
        """Whether a word stands in a record in lower case that escapes no letter."""
        if any(word in low for word in self._plain):
            return True
        if self._foreign:
            text = folded(low.decode("utf-8", "replace"))
            return any(word in text for word in self._words)
        letters = self._letters_in(low.translate(None, _ASCII))
        if not letters:
            return False
        # To fold the whole record would take ten times as long.
        text = low.decode("utf-8", "replace")
        for char in letters:
            text = text.replace(char, folded(char))
        return any(word in text for word in self._words)

    def _letters_in(self, foreign: bytes) -> set[str]:
        """Characters beyond ASCII that count as some within it, or as none at all."""
        fresh = set(foreign.decode("utf-8", "replace")) - self._signs
        letters = {char for char in fresh if not _is_apart(char)}
        self._signs |= fresh - letters
        return letters


def _is_apart(char: str) -> bool:
    """Whether a character beyond ASCII stands between words in ASCII, whatever it is."""
    text = folded(char)
    return bool(text) and not _IN_ASCII_WORD.search(text)


def _rarest(term: Term) -> str:
    """The word of a term to look for first: the longest."""
    return max(term.words, key=len)


class MatchHighlighter:
    """Finds in a text as it is shown what a query looks for, to be marked."""

    def __init__(self, query: Query) -> None:
        strict: list[str] = []
        loose: list[str] = []
        for term in query.wanted:
            words = rf"[\W_]{{0,{_SPREAD}}}?".join(map(re.escape, term.words))
            strict.append(rf"(?<![^\W_]){words}" + ("" if term.prefix else r"(?![^\W_])"))
            loose.append(words)
        self._strict = re.compile("|".join(strict)) if strict else None
        self._loose = re.compile("|".join(loose)) if loose else None
        self._patterns = [each.compiled for each in query.patterns if not each.negative]

    def ranges(self, text: str) -> list[tuple[int, int]]:
        """Start and end of what is to be marked, in order, none overlapping."""
        flat = _same_length(text)
        found: list[tuple[int, int]] = []
        for pattern in (self._strict, self._loose):
            if pattern is not None and not found:
                found = [match.span() for match in pattern.finditer(flat)]
        for pattern in self._patterns:
            try:
                matches = list(pattern.finditer(text, timeout=PATTERN_SECONDS))
            except TimeoutError:
                continue
            found += [match.span() for match in matches if match.end() > match.start()]
        return _apart(found)


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _same_length(text: str) -> str:
    """The text in lower case without diacritics, each character where it was."""
    return (text if text.isascii() else _FOREIGN.sub(_bases, text)).lower()


def _bases(match: re.Match[str]) -> str:
    return _base_run(match[0])


@lru_cache(maxsize=4096)
def _base_run(run: str) -> str:
    return "".join(map(_base, run))


def _base(char: str) -> str:
    decomposed = unicodedata.normalize("NFKD", char)
    if "\uac00" <= char <= "\ud7a3" or "\u3041" <= char <= "\u30fa":
        return char
    return decomposed[0].casefold()[:1] or char
