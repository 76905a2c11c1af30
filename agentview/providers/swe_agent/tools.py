"""Tools: commands of a shell, also those that are given as functions."""

from collections.abc import Mapping

from agentview.domain.tool_inputs import Payload, ShellPayload
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools.specs import PayloadMaker, ToolSpec, known_calls
from agentview.providers._kit.tool_table import tool, tools

_COMMANDS = frozenset({
    "open", "goto", "scroll_up", "scroll_down", "create", "search_dir", "search_file", "find_file",
    "edit", "insert", "append", "submit", "exit_cost", "exit_context", "exit_format", "exit_api",
    "exit_forfeit", "filemap", "view_image", "str_replace", "undo_edit", "goto_line", "skip",
    "set_cursors", "exit_error",
})  # fmt: skip
"""Commands that its bundles put into the shell of the container."""


def _typed(name: str) -> PayloadMaker:
    """Makes the command line: the name of the function and what it was given."""

    def make(fields: Fields) -> Payload:
        words = (as_text(value) for value in fields.values())
        return ShellPayload(" ".join([name, *(word for word in words if word is not None)]))

    return make


SPECS: Mapping[str, ToolSpec] = tools(bash="bash")


def find_tool(name: str, args: Fields | None) -> ToolSpec | None:
    """The spec of a call; others, such as `str_replace_editor`, are known by the shared rules."""
    _ = args
    if name in _COMMANDS:
        return tool("bash", name, payload=_typed(name))
    return SPECS.get(name)


known = known_calls(lambda name: find_tool(name, None))
"""Facts of calls without their arguments."""
