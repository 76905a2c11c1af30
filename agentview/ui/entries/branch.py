"""An abandoned branch of the conversation: what it began with. Its rows open below it."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Branch
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.containers import Cropped
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import text_rows

_SUMMARY_ROWS = 3


class BranchEntry(ActivityWidget):
    """The prompt that the branch began with."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.BRANCH,)

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """The whole prompt; at summary its first lines."""
        body = activity.body
        if not isinstance(body, Branch) or not body.prompt.strip():
            return None
        rows = text_rows(body.prompt.strip("\n"), space, space.palette.dim)
        return rows if level is DetailLevel.FULL else Cropped(rows, _SUMMARY_ROWS, "lines", space)
