"""Findings of a review: how grave, where, what, why."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace
from rich.style import Style

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import Finding, ReviewPayload
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.sanitize import first_line, one_line
from agentview.timeline.view.titles.standing import severity_word
from agentview.timeline.view.titles.text import cwd_of
from agentview.ui.render.containers import Indented, Stack
from agentview.ui.render.file_tree import path_pieces
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Piece, Rows, prose_rows
from agentview.ui.tool_widget import ToolWidget, shortened, untyped

_GRAVE = frozenset({"p0", "p1", "blocker", "critical", "error", "high", "important", "major"})
_SLIGHT = frozenset({"p3", "hint", "info", "low", "minor", "nit", "suggestion"})
_INDENT = "    "


class ReviewTool(ToolWidget):
    """A review with its findings."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.REVIEW,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """A row a finding; at full level with the reasons, and with the answer."""
        payload, full = call.payload, level is DetailLevel.FULL
        if not isinstance(payload, ReviewPayload):
            return untyped(call, level, space)
        parts: list[LazyLines] = []
        if payload.summary:
            said = prose_rows(payload.summary, space, space.palette.text)
            parts.append(shortened(said, level, "lines", space))
        cwd = cwd_of(activity)
        if full:
            parts += [row for item in payload.findings for row in _whole(item, cwd, space)]
            answer = untyped(call, level, space)
            parts += [answer] if answer is not None else []
        else:
            rows = [_short(item, cwd, space) for item in payload.findings]
            parts.append(shortened(Rows(rows, space), level, "findings", space))
        return Stack(parts)


def _short(item: Finding, cwd: str | None, space: RenderContext) -> list[Piece]:
    return [
        *_head(item, cwd, space),
        (first_line(item.message, 300), space.palette.text),
    ]


def _whole(item: Finding, cwd: str | None, space: RenderContext) -> Iterator[LazyLines]:
    palette = space.palette
    about = " · ".join(one_line(word, 80) for word in (item.category, item.verdict) if word)
    yield Rows([[*_head(item, cwd, space), (about, palette.dim)]], space)
    inner = replace(space, width=max(1, space.width - len(_INDENT)))
    for text, style in ((item.message, palette.text), (item.detail, palette.dim)):
        if text:
            yield Indented(prose_rows(text, inner, style), [(_INDENT, palette.dim)])


def _head(item: Finding, cwd: str | None, space: RenderContext) -> list[Piece]:
    word = severity_word(item)
    pieces: list[Piece] = [(f"{word:<9} ", _style(word, space))]
    if item.path:
        pieces += path_pieces(item.path, cwd, space)
        place = f":{item.line}" if item.line is not None else ""
        pieces.append((f"{place}  ", space.palette.number))
    return pieces


def _style(word: str, space: RenderContext) -> Style:
    palette = space.palette
    if word in _GRAVE:
        return palette.error
    return palette.dim if word in _SLIGHT else palette.warning
