"""Tools: what their names mean, and what the client says in their results."""

from collections.abc import Mapping

from agentview.domain.tools import DeniedBy
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.result_text import ResultText
from agentview.providers._kit.tool_table import tools

SPECS: Mapping[str, ToolSpec] = tools(
    bash="shell_command powershell_command",
    read="read_file",
    write="write_file",
    edit="edit_file",
    ls="read_directory",
    grep="grep",
    glob="glob",
    web_fetch="web_fetch",
    web_search="web_search",
    todo_write="todo_write",
    task="agent",
    ask="ask_user_question",
    skill="activate_skill",
    plain="agent_output plan_review shell_output kill_shell",
)

COMMAND = ResultText(
    head=r"Exit code: (?P<exit_code>-?\d+)(?:\n\([^\n]*\))?(?:\n|$)", none=r"\(no output\)$"
)

REFUSALS = (
    (r"Permission denied by the user\.", DeniedBy.PERSON),
    (r"Skipped — another tool call in this batch was denied\.", DeniedBy.UNKNOWN),
)
