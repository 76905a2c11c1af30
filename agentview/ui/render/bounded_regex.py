"""Where a pattern matches in a line: found only as far as that takes no time worth noticing."""

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

Spans = Sequence[tuple[int, int]]

_MAX_LINE = 1_000
_MAX_PATTERN = 1_000
_SECONDS = 0.01
"""What one line may take; a pattern that took longer once is not tried again."""
_COSTLY = re.compile(r"(?<!\\)[(?{]")
_UNBOUNDED = re.compile(r"(?<!\\)[*+]")


class Finder:
    """Finds a regular expression, or a literal text, in the lines of one result.

    What Python does not take as an expression is looked for as it is. Patterns that may go back
    and forth over a line are given to a matcher that keeps to a time.
    """

    def __init__(self, pattern: str, *, literal: bool = False, ignore_case: bool = False) -> None:
        self._pattern = pattern
        self._literal = literal
        self._flags = re.IGNORECASE if ignore_case else re.NOFLAG
        self._find: Callable[[str], Spans] | None = None
        if not pattern or len(pattern) > _MAX_PATTERN:
            self._find = _nothing

    def spans(self, text: str) -> Spans:
        """Starts and ends of the matches in a line, those of no width left out."""
        if len(text) > _MAX_LINE:
            return ()
        if self._find is None:
            self._find = self._made()
        try:
            return self._find(text)
        except TimeoutError:
            self._find = _nothing
            return ()

    def _made(self) -> Callable[[str], Spans]:
        pattern = re.escape(self._pattern) if self._literal else self._pattern
        if not self._literal and (_COSTLY.search(pattern) or len(_UNBOUNDED.findall(pattern)) > 1):
            return self._timed(pattern)
        try:
            compiled = re.compile(pattern, self._flags)
        except (re.error, RecursionError, OverflowError):
            compiled = re.compile(re.escape(self._pattern), self._flags)
        return lambda text: [m.span() for m in compiled.finditer(text) if m.end() > m.start()]

    def _timed(self, pattern: str) -> Callable[[str], Spans]:
        # Late: most sessions are read without a pattern that needs it.
        matcher: Any = import_module("regex")
        try:
            compiled = matcher.compile(pattern, flags=int(self._flags))
        except (matcher.error, RecursionError, OverflowError, MemoryError):
            compiled = matcher.compile(re.escape(self._pattern), flags=int(self._flags))
        return lambda text: [
            match.span()
            for match in compiled.finditer(text, timeout=_SECONDS)
            if match.end() > match.start()
        ]


def _nothing(_text: str) -> Spans:
    return ()
