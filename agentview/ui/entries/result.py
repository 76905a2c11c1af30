"""A result whose call is not in the log."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import ToolResult
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.blocks import blocks_body
from agentview.ui.render.containers import Cropped, Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Rows, text_rows

_SUMMARY_ROWS = 8


class ResultEntry(ActivityWidget):
    """An outcome without its call."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.RESULT,)

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """The error if there is one, then what came back."""
        body = activity.body
        if not isinstance(body, ToolResult):
            return None
        palette, full = space.palette, level is DetailLevel.FULL
        parts: list[LazyLines] = []
        if full:
            parts.append(Rows([[(f"call {body.call_id}", palette.dim)]], space))
        if body.denial is not None and body.denial.words:
            parts.append(text_rows(body.denial.words, space, palette.warning))
        if body.error:
            parts.append(text_rows(body.error, space, palette.error))
        else:
            parts.append(blocks_body(body.output, space))
        whole = Stack(parts)
        return whole if full else Cropped(whole, _SUMMARY_ROWS, "lines", space)
