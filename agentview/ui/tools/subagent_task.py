"""Another agent at work: its task, what it is doing, and what it came back with."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.domain.activity import Activity, ChildSummary, Kind
from agentview.domain.session import StreamKind
from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tool_results import SubagentResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import counted, span, tokens
from agentview.timeline.view.titles.title import title_of
from agentview.timeline.view.titles.tools import child_cost
from agentview.ui.render.blocks import text_of
from agentview.ui.render.containers import Stack
from agentview.ui.render.input_output import repeats_error
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.markdown.body import markdown_body
from agentview.ui.render.style.glyphs import icon_style
from agentview.ui.render.text_lines import Piece, Rows, prose_rows, wrap
from agentview.ui.tool_widget import ToolWidget, shortened

_PROMPT_ROWS = 2


class SubagentTool(ToolWidget):
    """A call that started an agent, or spoke to one."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.SUBAGENT_TASK,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The prompt, the agent's newest steps while it works, and its last message."""
        palette, full = space.palette, level is DetailLevel.FULL
        payload = call.payload if isinstance(call.payload, SubagentPayload) else SubagentPayload()
        parts: list[LazyLines] = []
        if full:
            parts.append(Rows(list(_facts(call, payload, activity, space)), space))
        if payload.prompt:
            shown = prose_rows(payload.prompt.strip(), space, palette.dim)
            parts.append(shortened(shown, level, "lines of the task", space, rows=_PROMPT_ROWS))
        answer = _answer(call, activity)
        child = activity.child_summary
        if child is not None and child.latest and (full or not answer):
            parts.append(_heading("newest steps", space))
            parts.append(Rows(list(_steps(child, space)), space))
        if full and (note := _launch_note(call)) is not None:
            parts += [_heading("launched", space), prose_rows(note, space, palette.dim)]
        if answer:
            parts += [_heading("answer", space)] if parts else []
            parts.append(shortened(markdown_body(answer, space), level, "lines", space))
        elif _launched(call) and activity.outcome is not None:
            parts.append(prose_rows(activity.outcome.text, space, palette.dim))
        sidechain = activity.child is not None and activity.child.kind is StreamKind.SIDECHAIN
        if child is not None or sidechain:
            hint = f"{space.glyphs.arrow} enter opens its timeline"
            parts.append(Rows([[(hint, palette.dim)]], space))
        return Stack(parts)

    @classmethod
    def reported(cls, activity: Activity) -> str | None:
        """None for an agent in the background: its answer is shown."""
        call = activity.body
        return None if isinstance(call, ToolCall) and _launched(call) else activity.reported

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:  # noqa: ARG003
        return False


def _launched(call: ToolCall) -> bool:
    return isinstance(call.result, SubagentResult) and call.result.launched


def _answer(call: ToolCall, activity: Activity) -> str | None:
    """Last message of the agent: of one in the background what was reported at its end."""
    if _launched(call):
        text = activity.outcome.detail if activity.outcome is not None else None
    elif isinstance(call.result, SubagentResult):
        text = call.result.text
    else:
        text = text_of(call.output)
    return text if text and not repeats_error(text, call) else None


def _launch_note(call: ToolCall) -> str | None:
    """The words of the client on an agent that it only started."""
    result = call.result
    return text_of(call.output) if isinstance(result, SubagentResult) and not result.text else None


def _heading(word: str, space: RenderContext) -> LazyLines:
    return Rows([[(f"{space.glyphs.arrow} {word}", space.palette.dim)]], space)


def _facts(
    call: ToolCall, payload: SubagentPayload, activity: Activity, space: RenderContext
) -> Iterator[list[Piece]]:
    """Who worked, how it ended, and what it took."""
    result = call.result if isinstance(call.result, SubagentResult) else SubagentResult()
    child = activity.child_summary
    calls = result.call_count if result.call_count is not None else child and child.call_count
    used = result.total_tokens if result.total_tokens is not None else child and child.total_tokens
    reported = None if result.launched else result.status
    state = reported or (child.state.value if child is not None else None)
    took = result.duration if result.duration is not None else child and child.duration
    facts = [
        payload.agent_type,
        payload.agent_name,
        result.model or payload.model or (child.model if child is not None else None),
        state.replace("_", " ") if state else None,
        counted(child.agent_count, "agent") if child and child.agent_count > 1 else None,
        counted(calls, "call") if calls is not None else None,
        counted(child.problem_count, "problem") if child and child.problem_count else None,
        f"{tokens(used)} tokens" if used is not None else None,
        child_cost(child) if child is not None else None,
        span(took) if took is not None else None,
    ]
    known = [fact for fact in facts if fact]
    if set(known) - {payload.agent_type}:
        yield from wrap([(" · ".join(known), space.palette.dim)], space.width)


def _steps(child: ChildSummary, space: RenderContext) -> Iterator[list[Piece]]:
    palette, glyphs = space.palette, space.glyphs
    for activity in child.latest:
        title = title_of(activity)
        yield [
            (f"{glyphs.marks[title.mark]} ", icon_style(title.mark, palette)),
            (f"{title.label}  ", palette.accent),
            (title.subject, palette.text),
            (f"  {title.detail}" if title.detail else "", palette.dim),
        ]
