"""Which tool a name means: the client's own tools of all versions."""

from collections.abc import Mapping

from agentview.domain.tool_inputs import SubagentPayload, TodosAction
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import Fields, text
from agentview.normalize.tools import todo
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers.gemini.shared.tools import SHARED, family, plain

_PLAIN = (
    "complete_task", "get_internal_docs",
)  # fmt: skip
_AGENTS = ("codebase_investigator", "cli_help", "generalist", "browser_agent")
"""Agents that are tools by their own names (up to 0.5x)."""


def _agent(fields: Fields) -> SubagentPayload:
    return SubagentPayload(
        prompt=text(fields, "prompt", "objective", "query", "question", "request", "task"),
        agent_type=text(fields, "agent_name", "agentName"),
    )


def _named_agent(name: str) -> ToolSpec:
    def payload(fields: Fields) -> SubagentPayload:
        made = _agent(fields)
        return SubagentPayload(prompt=made.prompt, agent_type=name)

    return ToolSpec(ToolKind.SUBAGENT_TASK, "Task", payload)


def _tracker(name: str, action: TodosAction) -> ToolSpec:
    return ToolSpec(ToolKind.TODOS, name, todo.acting(action))


SPECS: Mapping[str, ToolSpec] = {
    **SHARED,
    "google_web_search": family("web_search"),
    "write_todos": family("todo_write"),
    "tracker_create_task": _tracker("tracker_create_task", TodosAction.CREATE),
    "tracker_update_task": _tracker("tracker_update_task", TodosAction.UPDATE),
    "tracker_get_task": _tracker("tracker_get_task", TodosAction.GET),
    "tracker_list_tasks": _tracker("tracker_list_tasks", TodosAction.LIST),
    "tracker_add_dependency": _tracker("tracker_add_dependency", TodosAction.UPDATE),
    "tracker_visualize": _tracker("tracker_visualize", TodosAction.LIST),
    "invoke_agent": ToolSpec(ToolKind.SUBAGENT_TASK, "Task", _agent),
    "delegate_to_agent": ToolSpec(ToolKind.SUBAGENT_TASK, "Task", _agent),
    **{name: _named_agent(name) for name in _AGENTS},
    "ask_user": family("ask"),
    "update_topic": family("topic", "update_topic"),
    "list_background_processes": family("output", "list_background_processes"),
    "read_background_output": family("output", "read_background_output"),
    "activate_skill": family("skill", "activate_skill"),
    **{name: plain(name) for name in _PLAIN},
}
"""Every tool of the client; tools of MCP servers are reported by what the client calls them."""
