"""Changing a cell of a notebook: its source, against what it was where that is known."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import NotebookEditPayload
from agentview.domain.tool_results import ChangeResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.diff.from_call import FileDiff, compare, diffs_of
from agentview.ui.render.containers import Stack
from agentview.ui.render.diff.body import diff_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.tool_widget import ToolWidget, shortened


class NotebookEditTool(ToolWidget):
    """A cell that was replaced, inserted or deleted."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.NOTEBOOK_EDIT,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The cell's source as a diff; as added lines where the old source is not known."""
        del activity
        payload = call.payload
        if not isinstance(payload, NotebookEditPayload):
            return None
        full = level is DetailLevel.FULL
        diffs = diffs_of(call) if isinstance(call.result, ChangeResult) else ()
        if not any(diff.hunks for diff in diffs):
            name = "cell.md" if payload.cell_type == "markdown" else "cell.py"
            old, new = (payload.source, "") if payload.mode == "delete" else ("", payload.source)
            hunks, coarse = compare(old or "", new or "")
            diffs = (FileDiff(name, hunks=hunks, numbered=False, coarse=coarse),)
        body = Stack([diff_body(diff, space, fold=full) for diff in diffs if diff.hunks])
        return shortened(body, level, "lines", space)

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:  # noqa: ARG003
        return False
