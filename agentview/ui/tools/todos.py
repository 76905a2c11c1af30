"""The todo list as it stands after a call, with what changed in it."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.payloads import TodosPayload
from agentview.domain.results import TodosResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.levels import DetailLevel
from agentview.timeline.title_work import todo_items
from agentview.ui.render.body import Body, Space
from agentview.ui.render.todos import todos_body
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class TodosTool(ToolWidget):
    """A todo list, or one item of it."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.TODOS,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: Space
    ) -> Body | None:
        """The whole list where it is known, else the items that the call names."""
        del activity
        items = todo_items(call)
        before = call.result.before if isinstance(call.result, TodosResult) else None
        if items is None:
            items = call.payload.items if isinstance(call.payload, TodosPayload) else ()
        if not items and not before:
            return untyped(call, level, space)
        return shortened(todos_body(items, before, space), level, "items", space)
