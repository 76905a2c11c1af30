"""Which tool a name means, by the tools that Inspect AI itself has."""

from collections.abc import Mapping

from agentview.normalize.json_values import Fields
from agentview.normalize.tools.registry import editor_family
from agentview.normalize.tools.specs import ToolSpec, known_calls
from agentview.providers._kit.tool_table import handoff, tool, tools

SPECS: Mapping[str, ToolSpec] = tools(
    bash="bash bash_session python",
    edit="text_editor",
    web_search="web_search",
    web_fetch="web_browser_go",
    todo_write="update_plan",
    think="think",
    skill="skill",
    memory="memory",
    plain="submit code_execution computer",
)


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool; an editor is known by its command, handing over by its name."""
    if name == "text_editor":
        return tool(editor_family(args), name) if args.get("command") else SPECS[name]
    return handoff(name) or SPECS.get(name)


known = known_calls(lambda name: None if name == "text_editor" else find_tool(name, {}))
"""Facts of calls without their arguments."""
