"""The place where the history was replaced by a summary."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Compaction
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.containers import Cropped
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.markdown.body import markdown_body, markdown_head
from agentview.ui.render.text_lines import Rows

_SUMMARY_ROWS = 3


class CompactionEntry(ActivityWidget):
    """A compaction with the summary that the model continues from."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.COMPACTION,)

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """The summary, where the log has it."""
        body = activity.body
        if not isinstance(body, Compaction):
            return None
        full = level is DetailLevel.FULL
        if not body.summary:
            note = "the summary is not in this record"
            return Rows([[(note, space.palette.dim)]], space) if full else None
        text, style = body.summary.strip("\n"), space.palette.dim
        if full:
            return markdown_body(text, space, style)
        head, rows = markdown_head(text, space, _SUMMARY_ROWS, style)
        return Cropped(head, _SUMMARY_ROWS, "lines", space, total=rows)
