"""A plan: its text, or its steps with their states, and what became of it."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import PlanPayload, TodoStatus
from agentview.domain.tool_results import PlanResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.render.containers import Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.markdown.body import markdown_body
from agentview.ui.render.text_lines import Rows, text_rows
from agentview.ui.render.todos import changes, todos_body
from agentview.ui.tool_widget import ToolWidget, shortened


class PlanTool(ToolWidget):
    """A plan that was proposed, approved, rejected or updated."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.PLAN,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """Steps, text and where the plan is kept."""
        del activity
        palette, payload = space.palette, call.payload
        result = call.result if isinstance(call.result, PlanResult) else PlanResult()
        if not isinstance(payload, PlanPayload):
            return None
        gap = Rows([[("", palette.dim)]], space)
        parts: list[LazyLines] = []
        if payload.steps:
            steps = todos_body(changes(payload.steps, None), space)
            parts.append(shortened(steps, level, "steps", space))
        decided = call.denial is not None and result.text == call.denial.words
        text = payload.text or (None if decided else result.text)
        if text:
            parts += [gap] if parts else []
            parts.append(shortened(markdown_body(text, space), level, "lines", space))
        if result.approved is not None and call.denial is None:
            word = "approved" if result.approved else "rejected"
            style = palette.success if result.approved else palette.warning
            sign = space.glyphs.todos[
                TodoStatus.COMPLETED if result.approved else TodoStatus.CANCELLED
            ]
            parts += [gap] if parts else []
            parts.append(Rows([[(f"{sign} {word}", style)]], space))
        path = result.path or payload.path
        if path and level is DetailLevel.FULL:
            parts.append(text_rows(f"kept in {path}", space, palette.dim))
        return Stack(parts)

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:  # noqa: ARG003
        return False
