"""Which tool a name means: those of Gemini CLI, and what the client adds to them."""

from collections.abc import Mapping

from agentview.normalize.tools.specs import ToolSpec
from agentview.providers.gemini.shared.tools import SHARED, family

SPECS: Mapping[str, ToolSpec] = {
    **SHARED,
    "multi_edit": family("multi_edit"),
    "web_search": family("web_search"),
    "google_web_search": family("web_search", "google_web_search"),
    "task": family("task"),
    "todo_read": family("todo_list", "todo_read"),
    "todo_write": family("todo_write"),
    "ask_user_question": family("ask"),
    "skill": family("skill"),
}
"""Every tool of the client; tools of MCP servers are reported by the prefix of their names."""
