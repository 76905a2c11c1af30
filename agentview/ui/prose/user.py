"""What a person asked of the agent."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import User
from agentview.timeline.levels import DetailLevel
from agentview.ui.activity import ActivityWidget
from agentview.ui.render.blocks import media_body
from agentview.ui.render.body import Body, Space
from agentview.ui.render.prose import prose_rows
from agentview.ui.render.stack import Cropped, Stack

_SUMMARY_ROWS = 8


class UserProse(ActivityWidget):
    """A prompt, as it was typed."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.USER,)
    REPEATS_TITLE: ClassVar[bool] = True

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: Space) -> Body | None:
        """The text, and what came with it."""
        body = activity.body
        if not isinstance(body, User):
            return None
        text = prose_rows(body.text.strip("\n"), space, space.palette.text)
        if level is not DetailLevel.FULL:
            text = Cropped(text, _SUMMARY_ROWS, "lines", space)
        return Stack([text, media_body(body.blocks, space)])
