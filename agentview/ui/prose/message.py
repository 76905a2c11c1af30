"""What the agent said."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Message
from agentview.timeline.levels import DetailLevel
from agentview.ui.activity import ActivityWidget
from agentview.ui.render.blocks import media_body
from agentview.ui.render.body import Body, Space
from agentview.ui.render.markdown import markdown_body
from agentview.ui.render.stack import Cropped, Stack

_SUMMARY_ROWS = 8


class MessageProse(ActivityWidget):
    """A message, its Markdown laid out."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.MESSAGE,)
    REPEATS_TITLE: ClassVar[bool] = True

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: Space) -> Body | None:
        """The text, and what came with it."""
        body = activity.body
        if not isinstance(body, Message):
            return None
        text = markdown_body(body.text.strip("\n"), space)
        if level is not DetailLevel.FULL:
            text = Cropped(text, _SUMMARY_ROWS, "lines", space)
        return Stack([text, media_body(body.blocks, space)])
