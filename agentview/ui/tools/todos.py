"""The todo list as it stands after a call, with what changed in it."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.payloads import TodosPayload
from agentview.domain.results import TodosResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.levels import DetailLevel
from agentview.timeline.title_work import todo_items
from agentview.ui.render.body import Body, Space
from agentview.ui.render.prose import prose_rows
from agentview.ui.render.stack import Stack
from agentview.ui.render.todos import todos_body
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class TodosTool(ToolWidget):
    """A todo list, or one item of it."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.TODOS,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: Space
    ) -> Body | None:
        """The whole list where it is known, else what the title leaves out of single items."""
        del activity
        items = todo_items(call)
        before = call.result.before if isinstance(call.result, TodosResult) else None
        if items is not None:
            return shortened(todos_body(items, before, space), level, "items", space)
        named = call.payload.items if isinstance(call.payload, TodosPayload) else ()
        notes = [prose_rows(item.note, space, space.palette.dim) for item in named if item.note]
        if len(named) > 1:
            notes.insert(0, todos_body(named, None, space))
        if not named:
            return untyped(call, level, space)
        return shortened(Stack(notes), level, "lines", space)
