"""Messages of the agent."""

from typing import ClassVar

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Message
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.blocks import media_body
from agentview.ui.render.containers import Cropped, Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.markdown.body import markdown_body, markdown_head

_SUMMARY_ROWS = 8


class MessageEntry(ActivityWidget):
    """A message, its Markdown laid out."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.MESSAGE,)
    REPEATS_TITLE: ClassVar[bool] = True
    UNLABELED: ClassVar[bool] = True

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """The text, and what came with it."""
        body = activity.body
        if not isinstance(body, Message):
            return None
        text = body.text.strip("\n")
        media = media_body(body.blocks, space, trees=level is DetailLevel.FULL)
        if level is DetailLevel.FULL and not media.height:
            return markdown_body(text, space)
        if level is DetailLevel.FULL:
            # Only a body by itself can be finished later.
            return Stack([markdown_body(text, replace(space, sliced=False)), media])
        head, rows = markdown_head(text, space, _SUMMARY_ROWS)
        return Stack([Cropped(head, _SUMMARY_ROWS, "lines", space, total=rows), media])
