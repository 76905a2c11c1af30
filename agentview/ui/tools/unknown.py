"""A tool that nothing is known about: its arguments and its result, member by member."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.render.input_output import exchange_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.tool_widget import ToolWidget


class UnknownTool(ToolWidget):
    """A call of an unknown tool."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.UNKNOWN,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """Arguments and result."""
        del activity
        return exchange_body(call, space, short=level is not DetailLevel.FULL)
