"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tools

SPECS: Mapping[str, ToolSpec] = tools(
    read="read",
    write="write",
    edit="edit str_replace_editor",
    bash="bash pwsh",
    grep="grep",
    glob="glob",
    web_search="web_search",
    todo_write="todo_write",
    task="agent",
    skill="skill",
    ask="ask_user_question",
)
