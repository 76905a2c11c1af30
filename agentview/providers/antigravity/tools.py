"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from agentview.domain.tools import ToolKind
from agentview.normalize.json_fields import mapping, text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools.specs import ResultMaker, ToolSpec
from agentview.providers._kit.result_text import ResultText
from agentview.providers._kit.tool_table import tool, tools

_PREFIX = "default_api:"
_NAMES = {
    "TargetFile": "file_path", "AbsolutePath": "file_path", "File": "file_path",
    "CodeContent": "content", "TargetContent": "old_string", "ReplacementContent": "new_string",
    "AllowMultiple": "replace_all", "CommandLine": "command", "Cwd": "cwd",
    "SearchPath": "path", "SearchDirectory": "path", "Pattern": "pattern", "Query": "query",
    "query": "query", "Url": "url", "Prompt": "prompt", "Task": "prompt",
    "ReplacementChunks": "edits",
}  # fmt: skip
"""Names of arguments here, and in the rules that all share."""


SPECS: Mapping[str, ToolSpec] = {
    **tools(
        keys=_NAMES,
        read="view_file",
        ls="list_dir",
        glob="find_by_name",
        grep="grep_search",
        semantic="codebase_search",
        write="write_to_file write_file",
        edit="replace_file_content",
        multi_edit="multi_replace_file_content",
        bash="run_command",
        output="command_status",
        input="send_command_input",
        web_search="search_web",
        web_fetch="read_url_content",
        task="browser_subagent",
    ),
    **{name: tool("read", name, keys=_NAMES) for name in ("view_file_outline", "view_code_item")},
}

_COMMAND = ResultText(
    head=r"\s*(?:Created At: [^\n]*\n)?(?:Completed At: [^\n]*\n)?\s*The command (?:completed "
    r"successfully|failed with exit code:? ?(?P<exit_code>-?\d{1,10}))\.?\n(?:Output:\n)?"
)
BY_KIND: Mapping[ToolKind, ResultMaker] = {ToolKind.SHELL: _COMMAND.shell}
"""How the result of a call is read, by what the call does."""


def find_tool(name: str, _args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name, which may have the name of the interface in front of it."""
    return SPECS.get(name.removeprefix(_PREFIX))


def plain_arguments(fields: Fields) -> Fields:
    """The arguments; a short transcript has the JSON of each value as a text."""
    return {key: _plain(value) for key, value in fields.items()}


def _plain(value: object) -> object:
    if not isinstance(value, str) or value[:1] not in ('"', "[", "{"):
        return value
    found = mapping(f'{{"value": {value}}}')
    return found.get("value", value) if text(found, "value") is not None else value
