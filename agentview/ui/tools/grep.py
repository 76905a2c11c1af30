"""Searching file contents: the lines found, grouped by file, with what was found marked."""

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import groupby
from typing import Any, ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import GrepPayload
from agentview.domain.tool_results import Match, MatchResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import clean
from agentview.timeline.view.titles.text import cwd_of
from agentview.ui.render.containers import Stack
from agentview.ui.render.file_tree import path_pieces
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.section import Section
from agentview.ui.render.text_lines import LineRows, Piece, Rows, over
from agentview.ui.tool_widget import ToolWidget, shortened, untyped

# Where a pattern matches in a line: found only as far as that takes no time worth noticing.

Spans = Sequence[tuple[int, int]]

_MAX_LINE = 1_000
_MAX_PATTERN = 1_000
_SECONDS = 0.01
"""Seconds for one line; a pattern that took longer once is not tried again."""
_COSTLY = re.compile(r"(?<!\\)[(?{]")
_UNBOUNDED = re.compile(r"(?<!\\)[*+]")
_DOUBTFUL = re.compile(r"\[\^?\[|--|&&|~~|\|\|")
"""Sequences that Python takes in a set of characters, but with a warning on the terminal."""


def _wants_care(pattern: str) -> bool:
    doubtful = _COSTLY.search(pattern) or _DOUBTFUL.search(pattern)
    return doubtful is not None or len(_UNBOUNDED.findall(pattern)) > 1


class Finder:
    """Finds a regular expression, or a literal text, in the lines of one result.

    What Python does not take as an expression is looked for as it is. Patterns that may go back
    and forth over a line are given to a matcher that keeps to a time, and so are those that
    Python would warn of.
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
        if not self._literal and _wants_care(pattern):
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


_SEPARATOR = "--"


class GrepTool(ToolWidget):
    """Lines, files or counts that a search found."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.GREP,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """A file's name above its lines; only names or counts where that is all there is."""
        result = call.result
        if not isinstance(result, MatchResult):
            return untyped(call, level, space)
        cwd = cwd_of(activity)
        lines = any(match.text is not None or match.line is not None for match in result.matches)
        if lines:
            body = _lines(result.matches, _finder(call.payload), cwd, level, space)
        else:
            body = _files(result.matches, cwd, space)
        parts: list[LazyLines] = [shortened(body, level, "lines" if lines else "files", space)]
        if result.truncated:
            parts.append(Rows([[("the tool truncated the list", space.palette.warning)]], space))
        return Stack(parts)


def _lines(
    matches: Sequence[Match],
    finder: Finder,
    cwd: str | None,
    level: DetailLevel,
    space: RenderContext,
) -> LazyLines:
    """The files one below another, each with its lines, which fold away."""
    digits = max((len(str(match.line)) for match in matches if match.line is not None), default=0)
    parts: list[LazyLines] = []
    for number, (path, found) in enumerate(groupby(matches, key=lambda match: match.path)):
        rows = _with_gaps([match for match in found if match.text is not None or match.line])
        body = _file_lines(rows, finder, digits, level, space)
        if not path:
            parts.append(body)
            continue
        count = sum(not match.context for match in rows if match is not None)
        words = counted(count, "line") if count else "no line"
        head = [*path_pieces(path, cwd, space), (f"  {words}", space.palette.dim)]
        parts.append(Section(f"grep:{number}", head, lambda body=body: body, space, begins=True))
    return Stack(parts)


def _with_gaps(matches: Sequence[Match]) -> list[Match | None]:
    """The lines of a file; None where lines are left out between two that stand with context."""
    rows: list[Match | None] = []
    context = any(match.context for match in matches)
    last: int | None = None
    for match in matches:
        if context and last is not None and match.line is not None and match.line > last + 1:
            rows.append(None)
        rows.append(match)
        last = match.line
    return rows


def _file_lines(
    rows: Sequence[Match | None],
    finder: Finder,
    digits: int,
    level: DetailLevel,
    space: RenderContext,
) -> LineRows:
    palette = space.palette

    def plain(index: int) -> str:
        match = rows[index]
        return _SEPARATOR if match is None else clean(match.text or "")

    def paint(index: int) -> list[Piece]:
        match, text = rows[index], plain(index)
        if match is None or match.context:
            return [(text, palette.dim)]
        return over([(text, palette.text)], finder.spans(text), palette.match)

    def prefix(index: int, first: bool) -> list[Piece]:
        match = rows[index]
        known = match is not None and match.line is not None and first
        number = str(match.line) if known and match is not None else ""
        style = palette.dim if match is None or match.context else palette.number
        return [(f"  {number:>{digits}}  ", style)]

    return LineRows(
        len(rows),
        plain,
        paint,
        space,
        prefix=prefix,
        prefix_width=digits + 4,
        fold=level is DetailLevel.FULL,
    )


def _files(matches: Sequence[Match], cwd: str | None, space: RenderContext) -> LazyLines:
    """One file a row, counts where they are known in a column of their own."""
    counts = [len(f"{match.count:,}") for match in matches if match.count is not None]
    digits = max(counts, default=0)

    def paint(index: int) -> list[Piece]:
        match = matches[index]
        count = "" if match.count is None else f"{match.count:,}"
        column = [(f"{count:>{digits}}  ", space.palette.number)] if digits else []
        return [*column, *path_pieces(match.path, cwd, space)]

    return LineRows(
        len(matches), lambda index: clean(matches[index].path), paint, space, fold=False
    )


def _finder(payload: object) -> Finder:
    if not isinstance(payload, GrepPayload):
        return Finder("")
    return Finder(payload.pattern, literal=payload.literal, ignore_case=payload.ignore_case)
