"""Searching file contents: the lines found, grouped by file, with what was found marked."""

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.payloads import GrepPayload
from agentview.domain.results import Match, MatchResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.levels import DetailLevel
from agentview.timeline.plain import clean
from agentview.timeline.quantities import counted
from agentview.timeline.wording import cwd_of, shown_path
from agentview.ui.render.body import Body, Space
from agentview.ui.render.lines import LineRows, Piece, Rows, over
from agentview.ui.render.stack import Stack
from agentview.ui.tool_widget import ToolWidget, shortened, untyped

_UNBOUNDED = re.compile(r"(?<!\\)[*+{]")
_MAX_LINE = 1_000

Spans = Sequence[tuple[int, int]]


class GrepTool(ToolWidget):
    """Lines, files or counts that a search found."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.GREP,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: Space
    ) -> Body | None:
        """A file's name above its lines; only names or counts where that is all there is."""
        result = call.result
        if not isinstance(result, MatchResult):
            return untyped(call, level, space)
        find = _finder(call.payload)
        body = _matches(result.matches, find, cwd_of(activity), level, space)
        parts: list[Body] = [shortened(body, level, "lines", space)]
        if result.truncated:
            parts.append(Rows([[("the tool cut the list off", space.palette.dim)]], space))
        return Stack(parts)


def _matches(
    matches: Sequence[Match],
    find: Callable[[str], Spans],
    cwd: str | None,
    level: DetailLevel,
    space: Space,
) -> Body:
    rows: list[tuple[Match, bool]] = []
    path = None
    for match in matches:
        if match.path != path or match.line is None:
            rows.append((match, True))
            path = match.path
        if match.text is not None or match.line is not None:
            rows.append((match, False))
    digits = max((len(str(match.line)) for match in matches if match.line is not None), default=0)

    def plain(index: int) -> str:
        match, header = rows[index]
        return clean(shown_path(match.path, cwd) if header else match.text or "")

    def paint(index: int) -> list[Piece]:
        match, header = rows[index]
        palette, text = space.palette, plain(index)
        if header:
            count = "" if match.count is None else f"  {counted(match.count, 'line')}"
            return [(text, palette.path), (count, palette.dim)]
        if match.context:
            return [(text, palette.dim)]
        return over([(text, palette.text)], find(text), palette.match)

    def prefix(index: int, first: bool) -> list[Piece]:
        match, header = rows[index]
        number = "" if header or match.line is None or not first else str(match.line)
        return [(f"{number:>{digits}}  " if digits and not header else "", space.palette.dim)]

    return LineRows(
        len(rows),
        plain,
        paint,
        space,
        prefix=prefix,
        prefix_width=digits + 2 if digits else 0,
        fold=level is DetailLevel.FULL,
    )


def _finder(payload: object) -> Callable[[str], Spans]:
    """A function that gives the spans of the pattern in a line, none where that may take long."""
    if not isinstance(payload, GrepPayload) or not payload.pattern:
        return _nothing
    pattern = re.escape(payload.pattern) if payload.literal else payload.pattern
    # With one open-ended repetition the work stays quadratic in a line of bounded length.
    if not payload.literal and len(_UNBOUNDED.findall(pattern)) > 1:
        return _nothing
    try:
        compiled = re.compile(pattern, re.IGNORECASE if payload.ignore_case else 0)
    except (re.error, RecursionError, OverflowError):
        compiled = re.compile(re.escape(payload.pattern))
    return lambda text: (
        [match.span() for match in compiled.finditer(text) if match.end() > match.start()]
        if len(text) <= _MAX_LINE
        else ()
    )


def _nothing(_text: str) -> Spans:
    return ()
