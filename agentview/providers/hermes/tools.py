"""Which tool a name means."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    EditPayload,
    SubagentPayload,
)
from agentview.normalize.json_fields import items, mapping, text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools import edit, subagent
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tool, tools

_ACTIONS = {"kill": "kill", "write": "input", "submit": "input", "close": "input"}
"""Kinds of the tool for background processes by its action; else it reads."""


def _changed(fields: Fields) -> EditPayload:
    """A patch, or a text and what takes its place."""
    patched = text(fields, "patch") is not None and text(fields, "old_string") is None
    return edit.patch(fields) if patched else edit.edit(fields)


def _delegated(fields: Fields) -> SubagentPayload:
    """One agent, or one for each of several goals."""
    several = [mapping(each) for each in items(fields.get("tasks"))] or [fields]
    goals = [goal for each in several if (goal := text(each, "goal"))]
    made = subagent.start(fields)
    said = [*goals, *(context for each in several if (context := text(each, "context")))]
    return replace(
        made,
        description=goals[0] if goals else made.description,
        prompt="\n\n".join(said) or made.prompt,
        background=True,
    )


_IN_SECONDS = {"timeout": "timeout_seconds"}
SPECS: Mapping[str, ToolSpec] = {
    **tools(
        read="read_file",
        write="write_file",
        grep="search_files",
        todo_write="todo",
        ask="clarify",
        web_search="web_search",
        output="process",
        skill="skill_manage skill_view skills_list",
        memory="memory",
        memory_search="session_search",
        schedule="cronjob",
        send_message="send_message",
        speak="text_to_speech",
        plain="image_generate mixture_of_agents",
    ),
    "terminal": tool("bash", keys=_IN_SECONDS),
    "execute_code": tool("bash", "execute_code", keys=_IN_SECONDS),
    "vision_analyze": tool(
        "read", "vision_analyze", keys=dict.fromkeys(("image_url", "image_path", "url"), "path")
    ),
    "patch": tool("edit", payload=_changed),
    "delegate_task": tool("task", "delegate_task", payload=_delegated),
    **dict.fromkeys(("web_extract", "web_crawl"), tool("web_fetch", keys={"urls": "url"})),
}


def find_tool(name: str, args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name and by what its arguments say that it does."""
    if name == "process":
        return tool(_ACTIONS.get(text(args, "action") or "", "output"), "process")
    if name == "search_files" and text(args, "target") == "files":
        return FAMILIES["glob"]
    if name == "todo" and "todos" not in args:
        return FAMILIES["todo_read"]
    return SPECS.get(name)
