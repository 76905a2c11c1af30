"""Which tool a name means: the client's own tools of all versions."""

from collections.abc import Mapping

from agentview.domain.tool_inputs import Payload
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize import build
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import Fields, mapping, text
from agentview.normalize.specs import ToolSpec
from agentview.providers.gemini.shared.tools import SHARED, family, plain
from agentview.providers.gemini.shared.tools import kind_of as kind_in

_PLAIN = (
    "skill", "tool_search", "get_goal", "update_goal", "zoom_image", "report_findings",
    "enter_worktree", "exit_worktree", "record_artifact", "cron_create", "cron_list",
    "cron_delete", "loop_wakeup",
)  # fmt: skip

SPECS: Mapping[str, ToolSpec] = {
    **SHARED,
    "notebook_edit": family("notebook", "notebook_edit"),
    "web_search": family("web_search"),
    "agent": family("task"),
    "task": family("task"),
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
    **{name: plain(name) for name in _PLAIN},
}
"""Every tool of the client; tools of MCP servers are told by the prefix of their names."""

_BRIDGE = "tool_call"
"""The tool that calls another one, which its arguments name."""


def specs_for(name: str, args: Fields) -> Mapping[str, ToolSpec]:
    """The table for a call: through the bridge a tool is what the one is that it calls."""
    if name != _BRIDGE:
        return SPECS
    inner, arguments = text(args, "name", "tool_name") or "", mapping(args.get("arguments"))
    spec = SPECS.get(inner) or classify(inner, arguments)

    def payload(_fields: Fields) -> Payload:
        return spec.payload(arguments)

    named = ToolSpec(spec.kind, spec.canonical_name, payload, spec.result, spec.origin)
    return {_BRIDGE: named}


def merge_call(call: ToolCall, later: ToolCall) -> ToolCall:
    """The call with what another record of it says, as the table knows its tool."""
    name = later.provider_name or call.provider_name
    args = later.args if later.args_json else call.args
    return build.merge_call(call, later, specs_for(name, args or {}).get(name))


def kind_of(name: str) -> ToolKind:
    """Kind of any tool name: the table, then the shared rules, then unknown."""
    return kind_in(name, SPECS)
