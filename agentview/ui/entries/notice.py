"""Something that the client reported."""

from typing import ClassVar

from rich.cells import cell_len

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Level, Notification
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.containers import Cropped, Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import prose_rows, text_rows

_SUMMARY_ROWS = 6
_LABEL = 22


class NoticeEntry(ActivityWidget):
    """An error of the API, a hook, a limit, a change of model or mode ..."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.NOTICE,)

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """The text where the title has only a part of it, then the detail."""
        body = activity.body
        if not isinstance(body, Notification):
            return None
        palette = space.palette
        style = {Level.ERROR: palette.error, Level.WARNING: palette.warning}.get(
            body.level, palette.text
        )
        text = body.text.strip()
        # The label of the title takes some of its width.
        fits = "\n" not in text and cell_len(text) < space.width - _LABEL
        parts = [] if fits else [prose_rows(text, space, style)]
        if body.detail:
            parts.append(text_rows(body.detail, space, palette.dim))
        whole = Stack(parts)
        if level is not DetailLevel.FULL:
            return Cropped(whole, _SUMMARY_ROWS, "lines", space)
        return whole
