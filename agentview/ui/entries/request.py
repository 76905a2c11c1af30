"""Requests for permission whose call is not in the log."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.tools import ToolCall
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.tool_widget import ToolWidget, question_body


class RequestEntry(ToolWidget):
    """A question to a person, and the answer."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.REQUEST,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The question with its options, what was shown with it, and the answer."""
        del activity
        return question_body(call, level, space)

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:  # noqa: ARG003
        return False
