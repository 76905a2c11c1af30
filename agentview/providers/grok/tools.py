"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tools

SPECS: Mapping[str, ToolSpec] = tools(
    read="read_file",
    edit="search_replace",
    bash="run_terminal_cmd",
    ls="list_dir",
    grep="grep",
    glob="glob_file_search",
    todo_write="todo_write",
    web_search="web_search",
    web_fetch="web_fetch",
    ask="ask_user_question",
)
