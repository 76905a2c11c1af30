"""Searching by meaning: ranked places, best first."""

from typing import ClassVar

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_results import SearchHit, SearchResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.sanitize import first_line
from agentview.timeline.view.titles.text import cwd_of
from agentview.ui.render.code import code_rows
from agentview.ui.render.containers import Indented, Stack
from agentview.ui.render.file_tree import path_pieces
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.section import Section
from agentview.ui.render.text_lines import Piece, Rows
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class SemSearchTool(ToolWidget):
    """Places that a search by meaning found."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.SEM_SEARCH,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The places with the first line of their excerpts; at full level the whole of those."""
        result = call.result
        if not isinstance(result, SearchResult):
            return untyped(call, level, space)
        cwd = cwd_of(activity)
        if level is not DetailLevel.FULL:
            rows = [_short(hit, rank, cwd, space) for rank, hit in enumerate(result.hits, 1)]
            return shortened(Rows(rows, space), level, "results", space)
        return Stack([_hit(hit, rank, cwd, space) for rank, hit in enumerate(result.hits, 1)])


def _hit(hit: SearchHit, rank: int, cwd: str | None, space: RenderContext) -> LazyLines:
    head = _head(hit, rank, cwd, space)
    if not hit.text:
        return Rows([[("  ", space.palette.dim), *head]], space)
    text, inner = hit.text.strip("\n"), replace(space, width=max(1, space.width - 2))
    return Section(
        f"search:{rank}",
        head,
        lambda: Indented(
            code_rows(text, hit.path, inner, start=hit.start), [("  ", space.palette.dim)]
        ),
        space,
        begins=True,
    )


def _short(hit: SearchHit, rank: int, cwd: str | None, space: RenderContext) -> list[Piece]:
    excerpt = first_line(hit.text or "", 200)
    return [*_head(hit, rank, cwd, space), (f"  {excerpt}", space.palette.dim)]


def _head(hit: SearchHit, rank: int, cwd: str | None, space: RenderContext) -> list[Piece]:
    palette = space.palette
    pieces: list[Piece] = [(f"{rank:>2}  ", palette.dim), *path_pieces(hit.path, cwd, space)]
    if hit.start is not None:
        end = "" if hit.end is None or hit.end == hit.start else f"–{hit.end}"
        pieces.append((f":{hit.start}{end}", palette.number))
    if hit.score is not None:
        pieces.append((f"  {hit.score:.2f}", palette.dim))
    return pieces
