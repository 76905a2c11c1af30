"""What somebody looks for in a session: a text, `regex:/…/`, the name of a tool, a path.

A text counts case when it has a capital letter; a pattern, a name and a path never do. Patterns run
in an engine that keeps to a time.
"""

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from agentview.domain.activity import Activity
from agentview.domain.events import Body
from agentview.search.byte_prefilter import BytePattern
from agentview.timeline.activity_text import (
    body_paths,
    body_texts,
    body_tools,
    file_paths,
    searchable,
    tool_names,
)
from agentview.timeline.search import Field

PATTERN = "regex:/"
"""What a pattern begins with; a slash ends it."""

_SECONDS = 0.1
"""What a pattern may take for one text; where it takes longer the text does not match."""

_MAX_PATTERN = 1_000
_LEAST = 2
"""Letters that a part of a pattern needs to be looked for in bytes."""

_BEHIND = "?*{"
_SPECIAL = ".^$|)]}+?*{"


class Matcher:
    """Says of events and activities whether they hold what is looked for."""

    def __init__(self, query: str, field: Field = Field.TEXT) -> None:
        self._field = field
        source = pattern_source(query) if field is Field.TEXT else None
        self.cased = source is None and field is Field.TEXT and query != query.lower()
        self._text = query if self.cased else query.lower()
        self._pattern: Any = None
        self.trouble: str | None = None
        """Why the pattern is none; then nothing matches."""
        self.needle: BytePattern | None = None
        """What must stand in the bytes of a record that matches; None where nothing must."""
        if source is not None:
            self._compile(source)
        elif field is not Field.TOOL:
            # A tool is found by the name that all give it, too, which need not stand in the log.
            self.needle = BytePattern(self._text)

    def _compile(self, source: str) -> None:
        # Late: most sessions are read without a pattern.
        engine: Any = import_module("regex")
        try:
            if len(source) > _MAX_PATTERN:
                raise OverflowError("it is too long")
            self._pattern = engine.compile(source, engine.IGNORECASE | engine.MULTILINE)
        except (engine.error, RecursionError, OverflowError, MemoryError) as error:
            self.trouble = f"no pattern: {error}"
        literal = required(source)
        if len(literal) >= _LEAST:
            self.needle = BytePattern(literal.lower())

    def finds(self, body: Body) -> bool:
        """Whether what one event says matches, without what it is joined with."""
        if self._field is Field.TOOL:
            return self.says(body_tools(body))
        if self._field is Field.FILE:
            return self.says(body_paths(body))
        return self.says(body_texts(body))

    def fits(self, activity: Activity) -> bool:
        """Whether an activity matches as a whole."""
        if self._field is Field.TEXT:
            return self.says(searchable(activity))
        names = tool_names if self._field is Field.TOOL else file_paths
        return self.says(names(activity))

    def says(self, texts: Iterable[str]) -> bool:
        """Whether one of the texts matches."""
        if self.trouble is not None:
            return False
        if self._pattern is not None:
            return any(self._matches(text) for text in texts)
        wanted = self._text
        return any(wanted in (text if self.cased else text.lower()) for text in texts)

    def _matches(self, text: str) -> bool:
        try:
            return self._pattern.search(text, timeout=_SECONDS) is not None
        except TimeoutError:
            return False

    def search(self, text: str) -> object:
        """What a pattern finds first in a text; None for nothing."""
        return next(self.finditer(text), None)

    def finditer(self, text: str) -> Iterator["re.Match[str]"]:
        """All that a pattern finds in a text, as far as that takes no time worth noticing."""
        if self._pattern is None:
            return
        try:
            yield from self._pattern.finditer(text, timeout=_SECONDS / 10)
        except TimeoutError:
            return


def pattern_source(query: str) -> str | None:
    """The pattern of `regex:/…/`, also while it is being typed; None for a text."""
    if not query.lower().startswith(PATTERN):
        return None
    source = query[len(PATTERN) :]
    return source[:-1] if re.search(r"(?<!\\)(\\\\)*/$", source) else source


def required(source: str) -> str:
    """The longest text that all that a pattern matches has; empty where that is not told easily."""
    runs, run, at = [""], "", 0
    if "|" in source or "(?" in source:
        return ""
    while at < len(source):
        char, at = source[at], at + 1
        if char == "\\" and at < len(source):
            escaped, at = source[at], at + 1
            char = "" if escaped.isalnum() else escaped
        elif char in "([":
            char, at = "", _behind(source, at, char)
        elif char in _SPECIAL:
            char = ""
        if char and not (at < len(source) and source[at] in _BEHIND):
            run += char
        else:
            runs.append(run)
            run = ""
        if char and at < len(source) and source[at] == "+":
            runs.append(run)
            run = ""
    return max([*runs, run], key=len)


def _behind(source: str, at: int, opened: str) -> int:
    """Behind what closes a group or a set of characters; nothing of it is taken as required."""
    depth, inside = 1, opened == "["
    begin = at
    while at < len(source) and depth:
        char = source[at]
        if char == "\\":
            at += 1
        elif inside:
            if char == "]" and at > begin + (source[begin] == "^"):
                inside = False
                depth -= opened == "["
        elif char == "[":
            inside, begin = True, at + 1
        else:
            depth += (char == "(") - (char == ")")
        at += 1
    return at
