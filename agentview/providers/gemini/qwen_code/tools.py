"""Which tool a name means: the client's own tools of all versions."""

from collections.abc import Mapping

from agentview.domain.tool_inputs import Payload
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import Fields, mapping, text
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool
from agentview.providers.gemini.shared.tools import SHARED, family, plain

_PLAIN = (
    "zoom_image", "enter_worktree", "exit_worktree", "record_artifact", "artifact",
    "record_source", "image_gen", "structured_output", "team_create", "team_delete",
    "team_plan_approval", "request_shutdown",
)  # fmt: skip

SPECS: Mapping[str, ToolSpec] = {
    **SHARED,
    "notebook_edit": family("notebook", "notebook_edit"),
    "web_search": family("web_search"),
    "agent": family("task"),
    "task": family("task"),
    "create_sub_session": tool("task"),
    "workflow": tool("task", "workflow", keys={"name": "description", "script": "prompt"}),
    "exec": tool("bash", "exec", keys={"source": "script"}),
    "list_agents": family("message", "list_agents"),
    "send_message": family("message", "send_message"),
    "todo_write": family("todo_write"),
    "task_create": family("todo_create", "task_create"),
    "task_update": family("todo_update", "task_update"),
    "task_get": family("todo_get", "task_get"),
    "task_list": family("todo_list", "task_list"),
    "task_stop": family("kill", "task_stop"),
    "task_output": family("output", "task_output"),
    "monitor": family("bash"),
    "lsp": family("lints", "lsp"),
    "ask_user_question": family("ask"),
    "skill": family("skill"),
    "tool_search": family("tool_search"),
    "cron_create": family("schedule_create", "cron_create"),
    "cron_list": family("schedule_list", "cron_list"),
    "cron_delete": family("schedule_cancel", "cron_delete"),
    "get_goal": family("goal_get", "get_goal"),
    "update_goal": family("goal_update", "update_goal"),
    "report_findings": family("review", "report_findings"),
    "loop_wakeup": family("schedule_create", "loop_wakeup"),
    **{name: plain(name) for name in _PLAIN},
}
"""Every tool of the client; tools of MCP servers are reported by the prefix of their names."""

_BRIDGE = "tool_call"
"""The tool that calls another one, which its arguments name."""


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a call: through the bridge a tool is what the one is that it calls."""
    if name != _BRIDGE:
        return SPECS.get(name)
    inner, arguments = text(args, "name", "tool_name") or "", mapping(args.get("arguments"))
    spec = SPECS.get(inner) or classify(inner, arguments)

    def payload(_fields: Fields) -> Payload:
        return spec.payload(arguments)

    return ToolSpec(spec.kind, spec.canonical_name, payload, spec.result, spec.origin)
