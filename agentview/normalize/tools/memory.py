"""Memory from session to session: arguments to a MemoryPayload, finds to a result."""

from collections.abc import Mapping

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import MemoryAction, MemoryPayload, MemoryStep
from agentview.domain.tool_results import Memory, MemoryResult
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import (
    Fields,
    as_text,
    collect,
    first,
    items,
    mapping,
    number,
    path,
    real,
    text,
)
from agentview.normalize.output_text import value_of
from agentview.normalize.tools.specs import PayloadMaker
from agentview.normalize.tools.verbs import by_verb

WORDS: Mapping[MemoryAction, str] = {
    MemoryAction.SAVE: "add append create insert note observe put remember save set store write",
    MemoryAction.CHANGE: "change edit modify rename replace str_replace update upsert",
    MemoryAction.REMOVE: "clear delete erase forget purge remove",
    MemoryAction.READ: "fetch get load open read show view",
    MemoryAction.SEARCH: "find lookup query recall retrieve search",
    MemoryAction.LIST: "list",
}
"""Verbs of names of tools and of arguments, separated by spaces."""

_action_of = by_verb(WORDS, ("command", "action", "operation", "op"))
_QUERY = ("query", "queries", "q", "search", "keywords", "pattern")
_SAVED = (
    "fact", "content", "contents", "memory", "memories", "text", "value", "file_text", "new_str",
    "insert_text", "new_text", "new_content", "note", "entry", "data", "body", "observations",
    "knowledge", "knowledge_to_store", "memory_content",
)  # fmt: skip
_KEYS = (
    "new_path", "subject", "key", "title", "name", "memory_name", "topic", "category", "target",
    "label", "memory_id", "memoryId", "existing_knowledge_id", "id", "scope", "store", "namespace",
    "tags",
)  # fmt: skip
_BEFORE = ("old_text", "old_str", "old_string", "old_content", "old_path")
_LOOKS = (MemoryAction.READ, MemoryAction.SEARCH)


def acting(action: MemoryAction | None = None) -> PayloadMaker:
    """The action of a tool of this name, unless its arguments say otherwise."""
    return lambda fields: _payload(fields, action)


def _payload(fields: Fields, action: MemoryAction | None) -> MemoryPayload:
    several = collect(
        items(first(fields, "operations", "ops", "changes")), lambda each: _step(each, action)
    )
    return MemoryPayload(several or (_step(fields, action),))


def _step(fields: Fields, named: MemoryAction | None) -> MemoryStep:
    action = _action_of(fields, named)
    query, saved = text(fields, *_QUERY), as_text(first(fields, *_SAVED))
    before = text(fields, *_BEFORE)
    if action is None:
        action = _implied(query, saved, before)
    return MemoryStep(
        action=action,
        text=(query or saved) if action in _LOOKS else (saved or query),
        place=text(fields, "new_path") or path(fields) or text(fields, *_KEYS),
        before=before,
        note=text(fields, "reason", "justification", "citations", "context"),
    )


def _implied(query: str | None, saved: str | None, before: str | None) -> MemoryAction | None:
    """The action by arguments alone."""
    if before is not None:
        return MemoryAction.REMOVE if saved is None else MemoryAction.CHANGE
    if saved is not None:
        return MemoryAction.SAVE
    return MemoryAction.SEARCH if query is not None else None


def result(_call: ToolCall, outcome: ToolResult) -> MemoryResult | None:
    """Found entries of a structured result or one in JSON; None where it lists nothing."""
    if outcome.ok is False:
        return None
    whole = value_of(outcome)
    fields = mapping(whole)
    listed = first(fields, "results", "memories", "hits", "matches", "items", "entries")
    found = items(listed if listed is not None else whole)
    if not isinstance(listed, list) and not found:
        return None
    made = [memory for each in found if (memory := _memory(each)) is not None]
    # What is left out of a list would be lost.
    return MemoryResult(tuple(made)) if len(made) == len(found) else None


def _memory(value: object) -> Memory | None:
    if isinstance(value, str):
        return Memory(value)
    fields = mapping(value)
    said = text(fields, "snippet", "text", "content", "memory", "fact", "value", "excerpt")
    if said is None:
        return None
    place = path(fields) or text(fields, "key", "subject", "title", "name", "id")
    start = number(fields, "start_line", "startLine", "from", "line")
    end = number(fields, "end_line", "endLine", "to")
    if place is not None and start is not None:
        place += f":{start}" if end is None or end == start else f":{start}–{end}"
    return Memory(said, place, real(fields, "score", "similarity", "relevance"))
