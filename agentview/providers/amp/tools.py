"""Which tool a name means, by public readers of these threads."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import GlobPayload, SubagentPayload, UnknownPayload
from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import search, subagent
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec


def _glob(fields: Fields) -> GlobPayload:
    made = search.glob(fields)
    return replace(made, pattern=text(fields, "filePattern") or made.pattern)


def _consulted(agent: str) -> ToolSpec:
    """An agent that is a tool of its own."""

    def start(fields: Fields) -> SubagentPayload:
        made = subagent.start(fields)
        asked = text(fields, "task", "query", "prompt")
        return replace(made, prompt=asked or made.prompt, agent_type=agent)

    return replace(FAMILIES["task"], canonical_name=agent, payload=start)


def _as_json(_fields: Fields) -> UnknownPayload:
    return UnknownPayload()


_PLAIN = ("mermaid", "look_at", "skill", "format_file", "undo_edit", "handoff", "find_thread",
          "read_thread", "read_mcp_resource", "painter", "chart")  # fmt: skip

SPECS: Mapping[str, ToolSpec] = {
    "Bash": FAMILIES["bash"],
    "Read": FAMILIES["read"],
    "create_file": FAMILIES["write"],
    "edit_file": FAMILIES["edit"],
    "apply_patch": FAMILIES["patch"],
    "Grep": FAMILIES["grep"],
    "glob": replace(FAMILIES["glob"], payload=_glob),
    "finder": FAMILIES["semantic"],
    "codebase_search_agent": FAMILIES["semantic"],
    "list_directory": FAMILIES["ls"],
    "get_diagnostics": FAMILIES["lints"],
    "web_search": FAMILIES["web_search"],
    "read_web_page": FAMILIES["web_fetch"],
    "Task": FAMILIES["task"],
    "oracle": _consulted("oracle"),
    "librarian": _consulted("librarian"),
    "todo_write": FAMILIES["todo_write"],
    "todo_read": FAMILIES["todo_read"],
    **{name: ToolSpec(ToolKind.UNKNOWN, name, _as_json) for name in _PLAIN},
}
