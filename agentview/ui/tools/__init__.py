"""Widgets of tool calls: one module a tool kind, found by the name of the kind."""

from agentview.domain.tools import ToolKind
from agentview.ui.activity_widget import ActivityWidget, widget_for


def tool_widget_for(kind: ToolKind) -> type[ActivityWidget]:
    """The widget class of a tool kind."""
    return widget_for(kind)
