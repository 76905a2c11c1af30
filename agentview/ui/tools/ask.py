"""Questions to the person: their options, with the chosen one marked."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.tool_widget import ToolWidget, question_body


class AskTool(ToolWidget):
    """Questions and answers."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.ASK,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """Each question with its options; an answer in the person's own words below them."""
        del activity
        return question_body(call, level, space)

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:  # noqa: ARG003
        return False
