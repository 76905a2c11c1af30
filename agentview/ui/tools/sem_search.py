"""Searching by meaning: ranked places, best first."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.results import SearchHit, SearchResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.levels import DetailLevel
from agentview.timeline.wording import cwd_of, shown_path
from agentview.ui.render.body import Body, Space
from agentview.ui.render.code import code_rows
from agentview.ui.render.lines import Piece, Rows
from agentview.ui.render.stack import Stack
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class SemSearchTool(ToolWidget):
    """Places that a search by meaning found."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.SEM_SEARCH,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: Space
    ) -> Body | None:
        """The places; at full level each with its excerpt."""
        result = call.result
        if not isinstance(result, SearchResult):
            return untyped(call, level, space)
        cwd = cwd_of(activity)
        full = level is DetailLevel.FULL
        parts = [
            body
            for rank, hit in enumerate(result.hits, 1)
            for body in _hit(hit, rank, cwd, full, space)
        ]
        return shortened(Stack(parts), level, "results", space)


def _hit(hit: SearchHit, rank: int, cwd: str | None, full: bool, space: Space) -> Iterator[Body]:
    palette = space.palette
    pieces: list[Piece] = [(f"{rank:>2}  ", palette.dim), (shown_path(hit.path, cwd), palette.path)]
    if hit.start is not None:
        end = "" if hit.end is None or hit.end == hit.start else f"–{hit.end}"
        pieces.append((f":{hit.start}{end}", palette.number))
    if hit.score is not None:
        pieces.append((f"  {hit.score:.2f}", palette.dim))
    yield Rows([pieces], space)
    if hit.text and full:
        yield code_rows(hit.text, hit.path, space, start=hit.start)
