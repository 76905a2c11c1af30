"""Something that the client reported."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Level, Notification
from agentview.timeline.levels import DetailLevel
from agentview.ui.activity import ActivityWidget
from agentview.ui.render.body import Body, Space
from agentview.ui.render.lines import text_rows
from agentview.ui.render.prose import prose_rows
from agentview.ui.render.stack import Cropped, Stack

_SUMMARY_ROWS = 6


class NoticeProse(ActivityWidget):
    """An error of the API, a hook, a limit, a change of model or mode ..."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.NOTICE,)
    REPEATS_TITLE: ClassVar[bool] = True

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: Space) -> Body | None:
        """The whole text, then the detail."""
        body = activity.body
        if not isinstance(body, Notification):
            return None
        palette = space.palette
        style = {Level.ERROR: palette.error, Level.WARNING: palette.warning}.get(
            body.level, palette.text
        )
        parts = [prose_rows(body.text.strip("\n"), space, style)]
        if body.detail:
            parts.append(text_rows(body.detail, space, palette.dim))
        whole = Stack(parts)
        if level is not DetailLevel.FULL:
            return Cropped(whole, _SUMMARY_ROWS, "lines", space)
        return whole
