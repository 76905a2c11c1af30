"""Skills and searches for tools: what a model may use beyond the tools that it was given."""

from typing import cast

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import SkillPayload, ToolSearchPayload
from agentview.domain.tool_results import ToolSearchResult
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import (
    Fields,
    as_text,
    first,
    mapping,
    number,
    text,
    texts,
)


def skill(fields: Fields) -> SkillPayload:
    return SkillPayload(
        name=text(fields, "skill", "skill_name", "skillName", "name", "command"),
        arguments=as_text(first(fields, "args", "arguments", "input", "action")),
    )


def search(fields: Fields) -> ToolSearchPayload:
    """Look for tools, or ask what one does."""
    query = text(fields, "query", "q", "search", "pattern", "name", "tool_name", "id")
    listed = texts(first(fields, "queries", "names"))
    return ToolSearchPayload(
        query=query if query is not None else ", ".join(listed),
        limit=number(fields, "max_results", "maxResults", "limit", "top_k"),
    )


def search_result(_call: ToolCall, outcome: ToolResult) -> ToolSearchResult | None:
    """Tools of a structured result, by name; None where it lists none as such."""
    fields = mapping(outcome.structured)
    listed = first(fields, "matches", "tools", "results")
    if outcome.ok is False or not isinstance(listed, list):
        return None
    return ToolSearchResult(
        tools=tuple(
            name for each in cast("list[object]", listed) if (name := _name(each)) is not None
        ),
        total=number(fields, "total_deferred_tools", "total", "totalTools"),
    )


def _name(value: object) -> str | None:
    return value if isinstance(value, str) else text(mapping(value), "name", "tool_name", "id")
