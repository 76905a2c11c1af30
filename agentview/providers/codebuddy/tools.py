"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tools

SPECS: Mapping[str, ToolSpec] = tools(
    read="Read read_file view",
    write="Write write_file write_to_file create_file",
    edit="Edit edit_file replace_in_file",
    multi_edit="MultiEdit",
    bash="Bash execute_command run_command terminal",
    grep="Grep search_code code_search regex_search",
    glob="Glob find_files",
    ls="LS list_files",
    web_fetch="WebFetch",
    web_search="WebSearch",
    todo_write="TodoWrite",
    task="Task Agent",
)
