"""Finding files by name: their paths."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_results import PathsResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.titles.text import cwd_of
from agentview.ui.render.file_tree import paths_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class GlobTool(ToolWidget):
    """Files that a pattern found."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.GLOB,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """One path a row, in the order recorded."""
        if not isinstance(call.result, PathsResult):
            return untyped(call, level, space)
        body = paths_body(call.result, cwd_of(activity), space)
        return shortened(body, level, "files", space)
