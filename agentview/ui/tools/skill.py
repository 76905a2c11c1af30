"""A skill: what it was given, and the text that came back."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.render.input_output import exchange_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.tool_widget import ToolWidget, untyped


class SkillTool(ToolWidget):
    """A skill that was loaded, run or managed."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.SKILL,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The text; at full level all arguments before it."""
        del activity
        if level is DetailLevel.FULL:
            return exchange_body(call, space, short=False)
        return untyped(call, level, space)
