"""Searching file contents: the lines found, grouped by file, with what was found marked."""

from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import GrepPayload
from agentview.domain.tool_results import Match, MatchResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.format_numbers import counted
from agentview.timeline.levels import DetailLevel
from agentview.timeline.sanitize import clean
from agentview.timeline.titles.text import cwd_of
from agentview.ui.render.bounded_regex import Finder
from agentview.ui.render.containers import Stack
from agentview.ui.render.file_tree import path_pieces
from agentview.ui.render.lazy_lines import Body, Space
from agentview.ui.render.section import Section
from agentview.ui.render.text_lines import LineRows, Piece, Rows, over
from agentview.ui.tool_widget import ToolWidget, shortened, untyped

_SEPARATOR = "--"


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
        cwd = cwd_of(activity)
        lines = any(match.text is not None or match.line is not None for match in result.matches)
        if lines:
            body = _lines(result.matches, _finder(call.payload), cwd, level, space)
        else:
            body = _files(result.matches, cwd, space)
        parts: list[Body] = [shortened(body, level, "lines" if lines else "files", space)]
        if result.truncated:
            parts.append(Rows([[("the tool cut the list off", space.palette.warning)]], space))
        return Stack(parts)


def _lines(
    matches: Sequence[Match], finder: Finder, cwd: str | None, level: DetailLevel, space: Space
) -> Body:
    """The files one below another, each with its lines, which fold away."""
    digits = max((len(str(match.line)) for match in matches if match.line is not None), default=0)
    parts: list[Body] = []
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
    rows: Sequence[Match | None], finder: Finder, digits: int, level: DetailLevel, space: Space
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


def _files(matches: Sequence[Match], cwd: str | None, space: Space) -> Body:
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
