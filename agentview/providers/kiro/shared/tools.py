"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

_KEYS = {
    "oldStr": "old_text", "old_str": "old_text", "newStr": "new_text", "new_str": "new_text",
    "file_text": "content", "fileText": "content",
}  # fmt: skip

_WRITE, _EDIT = tool("write", keys=_KEYS), tool("edit", keys=_KEYS)
_LINES = {"start_line": "offset"}


def _operation(args: Fields) -> Fields:
    """The first operation of a call that reads, which older versions have as its arguments."""
    listed = items_of(args.get("operations"))
    return fields_of(listed[0]) if listed else args


def _of_operation(family: str) -> ToolSpec:
    spec = tool(family, keys=_LINES)
    return tool(family, payload=lambda args: spec.payload(_operation(args)))


_READ = _of_operation("read")
_MODES: Mapping[str, ToolSpec] = {
    "Directory": _of_operation("ls"),
    "Search": _of_operation("grep"),
}

SPECS: Mapping[str, ToolSpec] = {
    **tools(
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
    "read": _READ,
    "fs_read": _READ,
    "write": _EDIT,
    "fs_write": _EDIT,
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a call by its arguments.

    The command of one that writes says whether a file is new, the mode of one that reads what that
    is.
    """
    spec = SPECS.get(name)
    if spec is _READ:
        return _MODES.get(text(_operation(args), "mode") or "", spec)
    return _WRITE if spec is _EDIT and text(args, "command") == "create" else spec
