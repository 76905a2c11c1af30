"""Thoughts of the model before it spoke."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Reasoning
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.containers import Cropped
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.markdown.body import markdown_body, markdown_head
from agentview.ui.render.text_lines import Rows

_SUMMARY_ROWS = 4


class ReasoningEntry(ActivityWidget):
    """A thought, quiet; a word about it where the log does not have its text."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.REASONING,)
    REPEATS_TITLE: ClassVar[bool] = True

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """The thought."""
        body = activity.body
        if not isinstance(body, Reasoning):
            return None
        if not body.text.strip():
            note = "encrypted: the log has only a signature" if body.withheld else "no text"
            return Rows([[(note, space.palette.dim)]], space)
        text, style = body.text.strip("\n"), space.palette.reasoning
        if level is DetailLevel.FULL:
            return markdown_body(text, space, style)
        head, rows = markdown_head(text, space, _SUMMARY_ROWS, style)
        return Cropped(head, _SUMMARY_ROWS, "lines", space, total=rows)
