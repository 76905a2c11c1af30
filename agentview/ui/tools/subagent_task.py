"""Another agent at work: its task, what it is doing, and what it came back with."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.domain.activity import Activity, ChildSummary, Kind
from agentview.domain.payloads import SubagentPayload
from agentview.domain.results import SubagentResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.levels import DetailLevel
from agentview.timeline.titles import title_of
from agentview.ui.render.blocks import text_of
from agentview.ui.render.body import Body, Space
from agentview.ui.render.lines import Piece, Rows
from agentview.ui.render.markdown import markdown_body
from agentview.ui.render.prose import prose_rows
from agentview.ui.render.stack import Stack
from agentview.ui.tool_widget import ToolWidget, shortened

_PROMPT_ROWS = 2


class SubagentTool(ToolWidget):
    """A call that started an agent, or spoke to one."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.SUBAGENT_TASK,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: Space
    ) -> Body | None:
        """The prompt, the agent's newest steps while it works, and its last message."""
        palette = space.palette
        parts: list[Body] = []
        prompt = call.payload.prompt if isinstance(call.payload, SubagentPayload) else None
        answer = call.result.text if isinstance(call.result, SubagentResult) else None
        # What a client says of an agent that it has only started is not the agent's answer.
        ended = not isinstance(call.result, SubagentResult) or level is DetailLevel.FULL
        if answer is None and not call.error and ended:
            answer = text_of(call.output) or None
        if prompt:
            shown = prose_rows(prompt.strip(), space, palette.dim)
            parts.append(shortened(shown, level, "lines of the task", space, rows=_PROMPT_ROWS))
        answered = isinstance(call.result, SubagentResult) and call.result.text is not None
        if activity.child_summary is not None and not answered:
            parts.append(Rows(list(_steps(activity.child_summary, space)), space))
        if answer:
            if prompt:
                parts.append(Rows([[(f"{space.glyphs.arrow} answer", palette.dim)]], space))
            parts.append(shortened(markdown_body(answer, space), level, "lines", space))
        return Stack(parts)


def _steps(child: ChildSummary, space: Space) -> Iterator[list[Piece]]:
    palette, glyphs = space.palette, space.glyphs
    for activity in child.latest:
        title = title_of(activity)
        yield [
            (f"{glyphs.marks[title.mark]} ", palette.dim),
            (f"{title.label}  ", palette.accent),
            (title.subject, palette.text),
            (f"  {title.detail}" if title.detail else "", palette.dim),
        ]
