"""Memory from session to session: what was saved or changed, what was found."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import MemoryPayload, MemoryStep
from agentview.domain.tool_results import Memory, MemoryResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.sanitize import first_line
from agentview.timeline.view.titles.standing import memory_place
from agentview.timeline.view.titles.text import cwd_of
from agentview.ui.render.containers import Indented, Stack, labelled
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Piece, Rows, prose_rows
from agentview.ui.tool_widget import ToolWidget, shortened, untyped

_INDENT = "    "


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
    does = step.action or "memory"
    place = memory_place(step, cwd)
    if step.before:
        label = "replace" if step.text else does
        yield labelled(label, step.before, space, palette.removed_gutter)
    if step.text:
        label = "with" if step.before else does
        yield labelled(label, step.text, space, palette.added_gutter if step.before else None)
    if not step.before and not step.text:
        yield labelled(does, place, space)
    elif place:
        yield labelled("in", place, space)
    if step.note:
        yield labelled("why", step.note, space)


def _found(result: MemoryResult, level: DetailLevel, space: RenderContext) -> Iterator[LazyLines]:
    if not result.found:
        yield Rows([[("nothing found", space.palette.dim)]], space)
    for rank, memory in enumerate(result.found, 1):
        head = _head(memory, rank, space)
        if level is DetailLevel.FULL:
            inner = replace(space, width=max(1, space.width - len(_INDENT)))
            yield Rows([head], space)
            said = prose_rows(memory.text, inner, space.palette.text)
            yield Indented(said, [(_INDENT, space.palette.dim)])
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
