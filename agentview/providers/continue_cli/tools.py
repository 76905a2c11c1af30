"""Which tool a name means, of the command line client and of the extensions."""

import re
from collections.abc import Mapping

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    TodoStatus,
)
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.classify import classify
from agentview.normalize.json_values import Fields
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import todo
from agentview.normalize.tools.mcp import of_server
from agentview.normalize.tools.specs import ResultMaker, ToolSpec
from agentview.providers._kit.result_text import ResultText
from agentview.providers._kit.tool_table import tool, tools

_EXIT = re.compile(r"\(exit code (\d{1,10})\)")
_VIEWED = ResultText(head=r"Content of [^\n]*:\n")


SPECS: Mapping[str, ToolSpec] = {
    **tools(
        read="Read",
        write="Write",
        edit="Edit",
        multi_edit="MultiEdit",
        bash="Bash",
        grep="Search Grep",
        web_fetch="Fetch",
        ask="AskQuestion",
        output="CheckBackgroundJob",
        skill="Skills",
        plain="Diff Exit UploadArtifact ReportFailure Status",
    ),
    "Checklist": tool("todo_write", payload=todo.ticked(TodoStatus.CANCELLED, "checklist")),
    "Subagent": tool("task", keys={"subagent_name": "subagent_type"}),
    # What the extensions call theirs.
    **tools(
        read="read_file read_file_range read_currently_open_file",
        write="create_new_file",
        edit="edit_existing_file single_find_and_replace",
        multi_edit="multi_edit",
        bash="run_terminal_command",
        grep="grep_search",
        glob="file_glob_search",
        web_search="search_web",
        web_fetch="fetch_url_content",
        semantic="codebase",
        skill="read_skill",
        plain="view_diff view_repo_map view_subdirectory create_rule_block request_rule",
    ),
    **dict.fromkeys(("List", "ls"), tool("ls", keys={"dirpath": "path", "dirPath": "path"})),
}


def known_spec(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool that was run: one that nobody knows is of a server, by its own name."""
    found = SPECS.get(name)
    if found is not None or classify(name, args).kind is not ToolKind.UNKNOWN:
        return found
    return of_server(None, name, name=name)


def shell(_call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return the output of a command: a failure has its exit code and the error stream alone."""
    said = text_in(outcome.output)
    if said is None:
        return None
    code = _EXIT.search(said[:200]) if outcome.ok is False else None
    return ShellResult(output=said, exit_code=int(code[1]) if code is not None else None)


BY_KIND: Mapping[ToolKind, ResultMaker] = {ToolKind.SHELL: shell, ToolKind.READ: _VIEWED.read}
"""How the result of a call is read, by what the call does."""
