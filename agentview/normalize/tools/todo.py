"""Todo lists: arguments to a TodosPayload, items of any agent to TodoItem."""

import re
from typing import cast

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import TodoItem, TodosAction, TodosPayload, TodoStatus
from agentview.domain.tool_results import TodosResult
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import (
    Fields,
    as_text,
    first,
    flag,
    items,
    mapping,
    text,
    texts,
)
from agentview.normalize.tools.specs import PayloadMaker

_BOX = re.compile(r"\s*(?:[-*]|\d+\.)\s*\[([ xX~-])\]\s*(.*)")

_LISTS = ("todos", "plan", "items", "tasks", "entries", "todo_list", "steps")

_STATUSES = {
    "pending": TodoStatus.PENDING,
    "todo": TodoStatus.PENDING,
    "not_started": TodoStatus.PENDING,
    "open": TodoStatus.PENDING,
    "in_progress": TodoStatus.IN_PROGRESS,
    "inprogress": TodoStatus.IN_PROGRESS,
    "active": TodoStatus.IN_PROGRESS,
    "doing": TodoStatus.IN_PROGRESS,
    "completed": TodoStatus.COMPLETED,
    "complete": TodoStatus.COMPLETED,
    "done": TodoStatus.COMPLETED,
    "cancelled": TodoStatus.CANCELLED,
    "canceled": TodoStatus.CANCELLED,
    "deleted": TodoStatus.DELETED,
}


def status(value: object) -> TodoStatus:
    """The status that a word says; UNKNOWN for a word that nobody knows and for none."""
    word = (as_text(value) or "").strip().lower().removeprefix("todo_status_")
    return _STATUSES.get(word.replace("-", "_").replace(" ", "_"), TodoStatus.UNKNOWN)


def item(value: object) -> TodoItem:
    """One item; a bare text is an item of unknown status."""
    fields = mapping(value)
    if not fields:
        return TodoItem(as_text(value) or "", TodoStatus.UNKNOWN)
    state = status(first(fields, "status", "state"))
    if state is TodoStatus.UNKNOWN and ("completed" in fields or "done" in fields):
        state = TodoStatus.COMPLETED if flag(fields, "completed", "done") else TodoStatus.PENDING
    label = text(fields, "content", "subject", "step", "title", "text", "task", "name")
    description = text(fields, "description")
    return TodoItem(
        text=label if label is not None else description or "",
        status=state,
        id=text(fields, "id", "taskId", "task_id"),
        active=text(fields, "activeForm", "active_form"),
        priority=text(fields, "priority"),
        note=_note(fields, description if label is not None else None),
    )


def _note(fields: Fields, description: str | None) -> str | None:
    parts = [description] if description else []
    parts += [f"owner: {owner}" for owner in [text(fields, "owner")] if owner]
    blocked = texts(first(fields, "blockedBy", "addBlockedBy", "blocked_by"))
    blocks = texts(first(fields, "blocks", "addBlocks"))
    parts += [f"blocked by {', '.join(blocked)}"] if blocked else []
    parts += [f"blocks {', '.join(blocks)}"] if blocks else []
    return "\n".join(parts) or None


_FACTS = ("owner: ", "blocked by ", "blocks ")


def noted(old: str | None, new: str | None) -> str | None:
    """The note on an item after another one: words take the place of words, facts are added."""
    if not old or not new:
        return new or old
    before, after = old.split("\n"), new.split("\n")
    words = [line for line in after if not line.startswith(_FACTS)]
    words = words or [line for line in before if not line.startswith(_FACTS)]
    facts = [line for line in (*before, *after) if line.startswith(_FACTS)]
    return "\n".join((*words, *dict.fromkeys(facts)))


def listed(value: object) -> tuple[TodoItem, ...] | None:
    """The items of a list; None when it is not a list."""
    if isinstance(value, list) or (isinstance(value, str) and value.lstrip().startswith("[")):
        return tuple(item(entry) for entry in items(cast("object", value)))
    return None


def checklist(words: str, dash: TodoStatus) -> tuple[TodoItem, ...]:
    """The items of a list as Markdown: `- [x] text`; `dash` is what `[-]` means to its writer."""
    boxes = {" ": TodoStatus.PENDING, "~": TodoStatus.IN_PROGRESS, "-": dash}
    return tuple(
        TodoItem(found[2], boxes.get(found[1], TodoStatus.COMPLETED))
        for line in words.split("\n")
        if (found := _BOX.match(line)) is not None
    )


def replace(fields: Fields) -> TodosPayload:
    """Replace the whole list, or with `merge` those items that are named."""
    action = TodosAction.UPDATE if flag(fields, "merge") else TodosAction.REPLACE
    return TodosPayload(action, listed(first(fields, *_LISTS)) or ())


def ticked(dash: TodoStatus, *keys: str) -> PayloadMaker:
    """Makes the payload of a tool that is given the list as Markdown; see `checklist`."""

    def listing(fields: Fields) -> TodosPayload:
        found = checklist(text(fields, *keys) or "", dash)
        return TodosPayload(TodosAction.REPLACE, found) if found else replace(fields)

    return listing


def acting(action: TodosAction) -> PayloadMaker:
    """Makes the payload of a tool that works on one item, named by the fields themselves."""

    def act(fields: Fields) -> TodosPayload:
        return TodosPayload(action, (item(fields),) if fields else ())

    return act


def result(call: ToolCall, outcome: ToolResult) -> TodosResult | None:
    """The list after the call, as recorded, else as asked for where the call succeeded."""
    fields = mapping(outcome.structured)
    before = listed(first(fields, "oldTodos", "before"))
    after = listed(first(fields, "newTodos", *_LISTS))
    payload = call.payload
    if (
        after is None
        and outcome.ok is not False
        and isinstance(payload, TodosPayload)
        and payload.action is TodosAction.REPLACE
    ):
        after = payload.items
    return TodosResult(before, after) if before is not None or after is not None else None
