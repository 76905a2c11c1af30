"""Memory from session to session: what was saved or changed, what was found."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import MemoryPayload, MemoryStep
from agentview.domain.tool_results import Memory, MemoryResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.sanitize import first_line
from agentview.timeline.view.titles.standing import memory_place
from agentview.timeline.view.titles.text import cwd_of
from agentview.ui.render.containers import Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Piece, Rows, prose_rows
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class MemoryTool(ToolWidget):
    """Work on the memory that outlives a session."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.MEMORY,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The saved text with the one that it replaces; then finds, or the answer as it came."""
        parts: list[LazyLines] = []
        if isinstance(call.payload, MemoryPayload):
            cwd = cwd_of(activity)
            steps = [row for step in call.payload.steps for row in _step(step, cwd, space)]
            parts.append(shortened(Stack(steps), level, "lines", space))
        if isinstance(call.result, MemoryResult):
            found = list(_found(call.result, level, space))
            parts.append(shortened(Stack(found), level, "results", space))
        elif (answer := untyped(call, level, space)) is not None:
            parts.append(answer)
        return Stack(parts)


def _step(step: MemoryStep, cwd: str | None, space: RenderContext) -> Iterator[LazyLines]:
    palette = space.palette
    place = memory_place(step, cwd, "in ")
    does = "  ".join(part for part in (step.action or "", place) if part)
    if does:
        yield Rows([[(does, palette.dim)]], space)
    if step.before:
        yield prose_rows(f"- {step.before}", space, palette.removed_gutter)
    if step.text:
        sign = "+ " if step.before else ""
        style = palette.added_gutter if step.before else palette.text
        yield prose_rows(f"{sign}{step.text}", space, style)
    if step.note:
        yield prose_rows(step.note, space, palette.dim)


def _found(result: MemoryResult, level: DetailLevel, space: RenderContext) -> Iterator[LazyLines]:
    if not result.found:
        yield Rows([[("nothing found", space.palette.dim)]], space)
    for rank, memory in enumerate(result.found, 1):
        head = _head(memory, rank, space)
        if level is DetailLevel.FULL:
            yield Rows([head], space)
            yield prose_rows(memory.text, space, space.palette.text)
        else:
            yield Rows([[*head, (first_line(memory.text, 200), space.palette.text)]], space)


def _head(memory: Memory, rank: int, space: RenderContext) -> list[Piece]:
    palette = space.palette
    pieces: list[Piece] = [(f"{rank:>2}  ", palette.dim)]
    if memory.place:
        pieces.append((f"{first_line(memory.place, 200)}  ", palette.path))
    if memory.score is not None:
        pieces.append((f"{memory.score:.2f}  ", palette.dim))
    return pieces
