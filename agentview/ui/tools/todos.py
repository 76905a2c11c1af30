"""The todo list as it stands after a call, with what the call changed in it."""

from collections.abc import Sequence
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import TodoItem, TodosAction, TodosPayload
from agentview.domain.tool_results import TodosResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.titles.tools import todo_items
from agentview.ui.render.containers import Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Rows, prose_rows
from agentview.ui.render.todos import Line, changed_first, changes, todos_body
from agentview.ui.tool_widget import SUMMARY_ROWS, ToolWidget, shortened, untyped_texts


class TodosTool(ToolWidget):
    """A todo list, or a step on items of it."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.TODOS,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The whole list with its changes; at summary level those first."""
        items, before = _lists(call, activity)
        payload = call.payload if isinstance(call.payload, TodosPayload) else None
        if items is not None:
            numbered = payload is not None and payload.action is not TodosAction.REPLACE
            return _list(changes(items, before), level, space, numbered=numbered)
        named = payload.items if payload is not None else ()
        if not named:
            return untyped_texts(call, level, space)
        if len(named) > 1:
            return _list(changes(named, None), level, space)
        notes = [prose_rows(item.note, space, space.palette.dim) for item in named if item.note]
        return shortened(Stack(notes), level, "lines", space)

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:  # noqa: ARG003
        return False


def _lists(
    call: ToolCall, activity: Activity
) -> tuple[Sequence[TodoItem] | None, Sequence[TodoItem] | None]:
    """The list after and before a call, each None where it is not known."""
    if activity.todos is not None:
        return activity.todos.after, activity.todos.before
    before = call.result.before if isinstance(call.result, TodosResult) else None
    return todo_items(call), before


def _list(
    lines: Sequence[Line], level: DetailLevel, space: RenderContext, *, numbered: bool = False
) -> LazyLines:
    if level is DetailLevel.FULL:
        return todos_body(lines, space, numbered=numbered)
    some = lines if len(lines) <= SUMMARY_ROWS else changed_first(lines, SUMMARY_ROWS - 1)
    body = shortened(todos_body(some, space, notes=False, numbered=numbered), level, "lines", space)
    if len(some) == len(lines):
        return body
    rest = f"{space.glyphs.ellipsis} {counted(len(lines) - len(some), 'more item')}"
    return Stack([body, Rows([[(rest, space.palette.dim)]], space)])
