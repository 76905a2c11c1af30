"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec

SPECS: Mapping[str, ToolSpec] = {
    "read_file": FAMILIES["read"],
    "search_replace": FAMILIES["edit"],
    "run_terminal_cmd": FAMILIES["bash"],
    "list_dir": FAMILIES["ls"],
    "grep": FAMILIES["grep"],
    "glob_file_search": FAMILIES["glob"],
    "todo_write": FAMILIES["todo_write"],
    "web_search": FAMILIES["web_search"],
    "web_fetch": FAMILIES["web_fetch"],
    "ask_user_question": FAMILIES["ask"],
}
