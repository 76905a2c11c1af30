"""A search for tools: the names that were found."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_results import ToolSearchResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import counted
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Piece, Rows
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class ToolSearchTool(ToolWidget):
    """Tools that were found."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.TOOL_SEARCH,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """One name a row; at full level how many tools were searched."""
        del activity
        result = call.result
        if not isinstance(result, ToolSearchResult):
            return untyped(call, level, space)
        rows: list[list[Piece]] = [[(name, space.palette.text)] for name in result.tools]
        if result.total is not None and level is DetailLevel.FULL:
            rows.append([(f"of {counted(result.total, 'tool')}", space.palette.dim)])
        return shortened(Rows(rows, space), level, "tools", space)
