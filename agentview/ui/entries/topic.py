"""Headings that an agent gave to what follows."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.tool_inputs import TopicPayload
from agentview.domain.tools import ToolCall
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import prose_rows
from agentview.ui.tool_widget import ToolWidget, shortened


class TopicEntry(ToolWidget):
    """Topic that the agent turned to."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.TOPIC,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The text below the heading."""
        del activity
        text = call.payload.text if isinstance(call.payload, TopicPayload) else None
        if not text:
            return None
        return shortened(prose_rows(text, space, space.palette.text), level, "lines", space)

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:  # noqa: ARG003
        return True
