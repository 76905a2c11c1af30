"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

_KEYS = {
    "oldStr": "old_text", "old_str": "old_text", "newStr": "new_text", "new_str": "new_text",
    "file_text": "content", "fileText": "content",
}  # fmt: skip

_WRITE, _EDIT = tool("write", keys=_KEYS), tool("edit", keys=_KEYS)

SPECS: Mapping[str, ToolSpec] = {
    **tools(
        read="read fs_read",
        bash="shell execute_bash execute_cmd",
        grep="grep",
        glob="glob",
        web_search="web_search",
        web_fetch="web_fetch",
        todo_write="todo_list",
        task="subagent use_subagent delegate",
        plain="introspect knowledge report_issue",
        think="thinking",
    ),
    "write": _EDIT,
    "fs_write": _EDIT,
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a call: the command of one that writes says whether a file is new."""
    spec = SPECS.get(name)
    return _WRITE if spec is _EDIT and text(args, "command") == "create" else spec
