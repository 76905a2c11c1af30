"""The matcher of texts: a word, a phrase or a regular expression, by one rule for case."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from agentview.query.parser import Regex, Text, compiled_regex

SECONDS = 0.1
"""The most that a regular expression may take for one text; each time-out halves it."""
_LEAST_SECONDS = 0.002

WHITE = r"[ \t\r\n]"
"""White space that a space of a phrase stands for."""
_BETWEEN = WHITE + "{1,64}"
_SPLIT = re.compile(WHITE + "+")


class TextMatcher:
    """Finds one term in texts, without regard to whether the term excludes.

    Case counts for a text with a capital letter, and for a pattern that says so: `(?-i:Retry)`. A
    space of a phrase stands for any white space.
    """

    def __init__(
        self, term: Text | Regex, fold: Callable[[str], str] | None = None, seconds: float = SECONDS
    ) -> None:
        """`fold` is applied to the term and to each text, as to remove accents."""
        self._fold = fold
        self._seconds = seconds
        self._plain: str | None = None
        self._pattern: Any = None
        self.late = 0
        """Texts for which the pattern took too long; they do not match."""
        self._timed = isinstance(term, Regex)
        if isinstance(term, Regex):
            self._pattern = compiled_regex(term.source)
            return
        text = fold(term.text) if fold is not None else term.text
        self.cased = counts_case(text)
        words = [word for word in _SPLIT.split(text) if word] or [text]
        if len(words) == 1:
            self._plain = words[0]
        flags = re.NOFLAG if self.cased else re.IGNORECASE
        self._pattern = re.compile(_BETWEEN.join(map(re.escape, words)), flags)

    def finds(self, texts: Iterable[str]) -> bool:
        return any(map(self._holds, texts))

    def _holds(self, text: str) -> bool:
        if self._fold is not None:
            text = self._fold(text)
        if self._plain is not None:
            return self._plain in (text if self.cased else text.lower())
        return self.search(text) is not None

    def search(self, text: str) -> "re.Match[str] | None":
        """The first place of the term in a text."""
        if not self._timed:
            return self._pattern.search(text)
        try:
            return self._pattern.search(text, timeout=self._seconds)
        except TimeoutError:
            self._took_too_long()
            return None

    def finditer(self, text: str) -> Iterator["re.Match[str]"]:
        """All places of the term in a text, as far as a pattern finds them quickly."""
        if not self._timed:
            yield from self._pattern.finditer(text)
            return
        try:
            yield from self._pattern.finditer(text, timeout=self._seconds / 10)
        except TimeoutError:
            self._took_too_long()

    def _took_too_long(self) -> None:
        self.late += 1
        self._seconds = max(self._seconds / 2, _LEAST_SECONDS)


def counts_case(text: str) -> bool:
    """Return True if case counts: when the text has a capital letter."""
    return text != text.lower()
