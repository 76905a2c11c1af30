"""The goal that an agent pursues: what, how far, at what cost."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import Goal, GoalPayload
from agentview.domain.tool_results import GoalResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import exact_span
from agentview.timeline.view.titles.standing import goal_of, goal_tokens
from agentview.ui.render.containers import Stack, labelled
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class GoalTool(ToolWidget):
    """A goal that was set, changed or asked for."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.GOAL,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """Each fact of the goal behind its label."""
        del activity
        if not isinstance(call.payload, GoalPayload):
            return untyped(call, level, space)
        rows = list(_facts(goal_of(call), call.payload.note, space))
        body = shortened(Stack(rows), level, "lines", space)
        answer = None if isinstance(call.result, GoalResult) else untyped(call, level, space)
        return body if answer is None else Stack([body, answer])


def _facts(goal: Goal, note: str | None, space: RenderContext) -> Iterator[LazyLines]:
    facts = (
        ("goal", goal.objective),
        ("done when", goal.criterion),
        ("status", goal.status.replace("_", " ") if goal.status else None),
        ("budget", goal.budget),
        ("tokens", goal_tokens(goal)),
        ("time", exact_span(goal.time_used) if goal.time_used is not None else None),
        ("note", note),
    )
    for label, text in facts:
        if text:
            yield labelled(label, text, space)
