"""Which tool a name means, by the tools that Inspect AI itself has."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import SubagentPayload, UnknownPayload
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec

_HANDOFF = "transfer_to_"
_EDITOR = {
    "view": "read",
    "create": "write",
    "str_replace": "edit",
    "insert": "edit",
    "undo_edit": "edit",
}


def _as_json(_fields: Fields) -> UnknownPayload:
    return UnknownPayload()


SPECS: Mapping[str, ToolSpec] = {
    "bash": FAMILIES["bash"],
    "bash_session": FAMILIES["bash"],
    "python": FAMILIES["bash"],
    "text_editor": FAMILIES["edit"],
    "web_search": FAMILIES["web_search"],
    "web_browser_go": FAMILIES["web_fetch"],
    "update_plan": FAMILIES["todo_write"],
    "think": FAMILIES["think"],
    **{
        name: ToolSpec(ToolKind.UNKNOWN, name, _as_json)
        for name in ("submit", "memory", "skill", "code_execution", "computer")
    },
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool; an editor is known by its command, handing over by its name."""
    if name == "text_editor":
        family = _EDITOR.get(text(args, "command") or "")
        return replace(FAMILIES[family], canonical_name=name) if family else SPECS[name]
    if name.startswith(_HANDOFF):
        agent = name.removeprefix(_HANDOFF)
        payload = SubagentPayload(description=agent, agent_type=agent)
        return ToolSpec(ToolKind.SUBAGENT_TASK, name, lambda _: payload)
    return SPECS.get(name)
