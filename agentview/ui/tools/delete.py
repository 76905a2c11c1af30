"""Deleting files: which, and what was lost where the log has it."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import DeletePayload
from agentview.domain.tool_results import ChangeResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.diff.from_call import diffs_of
from agentview.timeline.view.titles.text import cwd_of, shown_path
from agentview.ui.render.containers import Stack
from agentview.ui.render.diff.body import diff_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Rows
from agentview.ui.tool_widget import ToolWidget, shortened


class DeleteTool(ToolWidget):
    """Files that were deleted."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.DELETE,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The paths, when there are several, and the lines that were in the files."""
        paths = call.payload.paths if isinstance(call.payload, DeletePayload) else ()
        cwd, palette = cwd_of(activity), space.palette
        lost = diffs_of(call) if isinstance(call.result, ChangeResult) else ()
        diffs = {diff.path: diff for diff in lost if diff.hunks}
        parts: list[LazyLines] = []
        for path in paths:
            if len(paths) > 1:
                parts.append(Rows([[(shown_path(path, cwd), palette.path)]], space))
            if path in diffs:
                parts.append(diff_body(diffs[path], space, fold=level is DetailLevel.FULL))
        if not diffs and call.ok:
            note = "the log does not have its content"
            parts.append(Rows([[(note, palette.dim)]], space))
        return shortened(Stack(parts), level, "lines", space)

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:  # noqa: ARG003
        return False
