"""Finds the messages of a value, however deep they are in it, by what makes a message one.

A message has a role, under one of a few names, and a content or calls. A list of messages, an
object around such a list, requests and responses of chat APIs and trees of messages all have them
somewhere inside.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from agentview.domain.usage import Usage
from agentview.domain.value import Value
from agentview.normalize.json_fields import items, mapping, text
from agentview.normalize.json_values import (
    Fields,
    changed,
    fields_of,
    items_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.chat_parts import IDS, part_kind
from agentview.providers._kit.chat_usage import model_in, usage_in
from agentview.providers.chat_log.shapes import requests, row, shared
from agentview.providers.chat_log.streamed import sent

_MILLISECONDS = re.compile(r"\d{1,16}")
_DEEPEST = 12
_MOST_NODES = 100_000
_LETTERS = re.compile(r"[^a-z]")

_ROLES: Mapping[str, str] = {
    **dict.fromkeys(("user", "human", "person", "customer", "prompter"), "user"),
    **dict.fromkeys(
        ("assistant", "ai", "gpt", "model", "bot", "chatbot", "agent", "chatgpt"), "assistant"
    ),
    **dict.fromkeys(("system", "developer", "instruction", "instructions"), "system"),
    **dict.fromkeys(
        ("tool", "function", "observation", "ipython", "toolresponse", "toolresult",
         "functionresponse", "functionexecutionresult", "toolexecutionresult"),
        "tool",
    ),
    **dict.fromkeys(("functioncall", "toolcall"), "call"),
}  # fmt: skip
"""Names of roles, letters only."""
_SAID_BY = ("role", "from", "sender", "author")
_ROLE_IN = ("role", "value", "label")
"""What a role that is an object calls the role."""
_OF_USER = ("isCreatedByUser", "is_user", "isUser", "fromUser", "from_user")
"""Members that are true of what the user said, and false of an answer."""
_SAYS = frozenset({
    "content", "contents", "items", "parts", "blocks", "value", "text", "message", "tool_calls",
    "toolCalls", "steps",
    "function_call", "tool_responses", "tool_results", "reasoning_content", "reasoning",
    "toolInvocations", "toolExecutionRequests", "refusal",
})  # fmt: skip
"""Members of which a message has one."""
_OF_LIBRARY = re.compile(r"(.+?)(?:_?[Mm]essage(?:Chunk)?|Event)?")
"""A type that names a role, as `HumanMessage`, `user_message` or `human`."""
_SAYS_BY_TYPE = ("content", "contents", "text", "toolExecutionRequests")
"""Members of which a message has one where its type names its role."""
_DEFAULTS: Mapping[str, str] = {
    "contents": "user", "candidates": "assistant", "system": "system", "instructions": "system",
    "systemInstruction": "system", "system_instruction": "system", "system_prompt": "system",
    "systemPrompt": "system",
}  # fmt: skip
"""The role of what has none, by the member that it is in."""
_ASKED = ("input", "prompt")
_LAST = frozenset({"response", "output", "outputs", "choices", "candidates", "completion"})
"""Members with what came of a request, which is behind what was asked wherever it is written."""
_TIMES = (
    "timestamp", "created_at", "createdAt", "create_time", "created", "time", "ts", "date",
    "start_time", "startTime", "inserted_at",
)  # fmt: skip
_INDEXES = frozenset({"tools", "functions", "model_input_messages", "input_messages"})
"""Members that have no messages, or those of earlier records again."""
SPANS = frozenset({"observations", "spans", "child_runs"})
"""Members with the requests of a trace, whose beginning and end are next to them once more."""
_TREES = (("mapping", "current_node"), ("messages", "currentId"))
"""What a tree of messages calls its nodes by id, and the last one of the branch that counts."""
_PARENTS = ("parent", "parentId")


class Said(Value):
    """A message, or the tokens of a response."""

    role: str
    """`user`, `assistant`, `system`, `tool`, `call` or `thought`; another one as it is written."""
    fields: Fields
    time: float | None = None
    model: str | None = None
    id: str | None = None
    """Of the response."""
    usage: Usage | None = None
    listed: int = 0
    """Its place in a list, from 1, if it is in one: another list may have the same again."""


def _dated(value: object) -> object:
    """A time as it is, or out of the objects that exports of MongoDB have for it."""
    fields = fields_of(value)
    if not fields:
        return value
    date = fields.get("$date")
    number = text_of(fields_of(date).get("$numberLong"))
    return int(number) if number is not None and _MILLISECONDS.fullmatch(number) else date


class _Around(Value):
    """Facts around a message that it does not have itself."""

    time: float | None = None
    model: str | None = None
    id: str | None = None
    listed: int = 0

    def inside(self, fields: Fields) -> "_Around":
        own = next(filter(None, (time_of(_dated(fields.get(key))) for key in _TIMES)), None)
        timing = fields_of(fields.get("timing")) or fields_of(fields.get("metadata"))
        own = own or next(filter(None, (time_of(timing.get(key)) for key in _TIMES)), None)
        # LM Studio says when a conversation began, which is when none of its messages was written.
        around = None if "currentlySelected" in fields else self.time
        return _Around(
            own or around, model_in(fields) or self.model, text_of(fields.get("id")) or self.id,
            self.listed,
        )  # fmt: skip

    def said(self, role: str, fields: Fields) -> Said:
        return Said(role, fields, self.time, self.model, self.id, usage_in(fields), self.listed)


def role_of(fields: Fields) -> str | None:
    """The role of a message, as `Said` has it; None for an object that is not a message."""
    named = _role_name(fields)
    if named is not None:
        thought = fields.get("isThought") is True or fields.get("channel") == "analysis"
        role = "thought" if thought else _plain_role(named) or named
        return role if not _SAYS.isdisjoint(fields) else None
    kind = text_of(fields.get("type")) or ""
    source = text_of(fields.get("source"))
    if source is not None and kind.endswith(("Message", "Event")) and "content" in fields:
        return _of_agent(kind, source)
    if any(key in fields for key in _SAYS_BY_TYPE):
        of_library = _OF_LIBRARY.fullmatch(kind)
        return _plain_role(of_library[1] if of_library else kind)
    return None


def _role_name(fields: Fields) -> str | None:
    """The name of who gave a message, as it states that; None where it does not."""
    for key in _OF_USER:
        if isinstance(of_user := fields.get(key), bool):
            return "user" if of_user else "assistant"
    given = (fields.get(key) for key in _SAID_BY)
    found = (text_of(each) or text(fields_of(each), *_ROLE_IN) for each in given)
    named = next(filter(None, found), None)
    if named is not None and _plain_role(named) is None:
        # An agent may be named, and its content have the role.
        return text_of(fields_of(fields.get("content")).get("role")) or named
    return named


def _lowered(fields: Fields) -> Fields:
    """A message whose members are written with capitals, with those that messages have."""
    if "Role" not in fields or "role" in fields:
        return fields
    return fields_of(_without_capitals(fields, 0))


def _without_capitals(value: object, depth: int) -> object:
    if depth > _DEEPEST or isinstance(value, str):
        return value
    if listed := items_of(value):
        return [_without_capitals(each, depth + 1) for each in listed]
    made = {f"{key[:1].lower()}{key[1:]}": each for key, each in fields_of(value).items()}
    # What a tool was given and gave is its own.
    return {
        key: each if key in ("arguments", "result") else _without_capitals(each, depth + 1)
        for key, each in made.items()
    } or value  # fmt: skip


def _plain_role(named: str) -> str | None:
    """The role that a name stands for, which may be that of an enumeration, as `Role.USER`."""
    return _ROLES.get(_LETTERS.sub("", named.rpartition(".")[2].lower()))


def _chosen(fields: Fields) -> Fields:
    """The version of a message that a client shows, of several; empty for anything else."""
    versions, at = items_of(fields.get("versions")), whole_of(fields.get("currentlySelected"))
    return fields_of(versions[at]) if at is not None and 0 <= at < len(versions) else {}


def _is_constructor(fields: Fields) -> bool:
    return fields.get("lc") == 1 and "kwargs" in fields


def _constructed(fields: Fields) -> Fields:
    """The fields of an object of a library; its class is its type where it has none."""
    own = fields_of(fields.get("kwargs"))
    named = text_of(next(reversed(items_of(fields.get("id"))), None))
    return own if "type" in own or named is None else changed(own, {"type": named})


def _of_library(fields: Fields) -> tuple[str, Fields] | None:
    """The role and the fields of a message whose type is next to its data."""
    data, kind = fields_of(fields.get("data")), text_of(fields.get("type"))
    if kind is None or "content" not in data:
        return None
    role = role_of(data) or role_of(changed(data, {"type": kind}))
    return (role, data) if role is not None else None


def _of_agent(kind: str, source: str) -> str:
    if kind.startswith(("ToolCallExecution", "FunctionExecution")):
        return "tool"
    if kind.startswith("Thought"):
        return "thought"
    return "user" if source.lower() in ("user", "human") else "assistant"


def _of_item(fields: Fields) -> str | None:
    """Who gives an item of a response that is a call, a result or a thought by itself."""
    kind = text_of(fields.get("type")) or ""
    what = part_kind(kind) if kind else None
    if what == "reasoning" and not fields.keys().isdisjoint({"summary", "encrypted_content"}):
        return "assistant"
    named = not fields.keys().isdisjoint(IDS[:-1])
    if what == "call" and (named or kind.endswith("_call")):
        return "assistant"
    return "tool" if what == "result" and named else None


def has_messages(value: object, default: str | None = None, depth: int = 0) -> bool:
    """Return True if `messages_in` finds any; it stops at the first."""
    if depth > _DEEPEST:
        return False
    if any(has_messages(item, default, depth + 1) for item in items_of(value)):
        return True
    fields = shared(_lowered(fields_of(value)))
    if not fields:
        return False
    if _is_constructor(fields):
        return has_messages(_constructed(fields), default, depth + 1)
    said = default is not None and not fields.keys().isdisjoint({"parts", "text"})
    if said or role_of(fields) is not None or _of_item(fields) is not None or _step(fields):
        return True
    if _of_library(fields) is not None:
        return True
    if next(row(fields), None) is not None:
        return True
    return any(
        has_messages(member, _DEFAULTS.get(key), depth + 1) for key, member in _in_order(fields)
    )


def messages_in(value: object) -> Iterator[Said]:
    """The messages of a value in their order, and the tokens of responses behind these."""
    yield from _found(value, _Around(), None, 0)


def _found(value: object, around: _Around, default: str | None, depth: int) -> Iterator[Said]:
    if depth > _DEEPEST:
        return
    for at, item in enumerate(items_of(value), 1):
        inner = _Around(around.time, around.model, None, at)
        yield from _found(item, inner, default, depth + 1)
    fields = shared(_lowered(fields_of(value)))
    if fields:
        yield from _found_in(fields, around.inside(fields), default, depth)


def _found_in(fields: Fields, own: _Around, default: str | None, depth: int) -> Iterator[Said]:
    if chosen := _chosen(fields):
        yield from _found(chosen, own, default, depth + 1)
        return
    if _is_constructor(fields):
        yield from _found(_constructed(fields), own, default, depth + 1)
        return
    if (typed := _of_library(fields)) is not None:
        yield own.inside(typed[1]).said(*typed)
        return
    role = role_of(fields)
    if role is None and default is not None and ("parts" in fields or "text" in fields):
        role = default
    if role is not None:
        yield own.said(role, fields)
        for model, usage in requests(fields):
            yield Said("", {}, own.time, model or own.model, None, usage)
        # A tree of messages may have the answers to each in it.
        yield from _found(items_of(fields.get("children")), own, None, depth + 1)
    elif (role := _of_item(fields)) is not None:
        yield own.said(role, {"content": [fields]})
    elif step := _step(fields):
        for said, inner in step:
            yield own.said(said, inner)
    else:
        yield from _inside(fields, own, depth)


def _inside(fields: Fields, own: _Around, depth: int) -> Iterator[Said]:
    if rows := _row(fields, own):
        yield from rows
        return
    found: list[Said] = []
    nodes = _branch(fields)
    members = _in_order(fields) if nodes is None else [("", nodes)]
    for key, member in members:
        found += _found(member, own, _DEFAULTS.get(key), depth + 1)
    if not found:
        yield from _request(fields, own)
        return
    yield from _of_system(fields, own)
    if not any(each.role == "user" for each in found) and (asked := asked_in(fields)) is not None:
        yield own.said("user", {"content": asked})
    yield from found
    if (usage := usage_in(fields)) is not None and all(each.usage is None for each in found):
        yield Said("", {}, own.time, own.model, own.id, usage)


def _request(fields: Fields, own: _Around) -> Iterator[Said]:
    """A request that has its prompt as a text, and no messages; `has_messages` leaves it out."""
    if text_of(fields.get("model")) is not None and (asked := asked_in(fields)) is not None:
        yield from _of_system(fields, own)
        yield own.said("user", {"content": asked})


def _row(fields: Fields, own: _Around) -> list[Said]:
    """The messages of a row of a data set, unless it has others."""
    found = [own.said(role, {"content": said}) for role, said in row(fields)]
    # The copy keeps other members from counting as read.
    return found if found and not any(map(has_messages, dict(fields).values())) else []


def _of_system(fields: Fields, own: _Around) -> Iterator[Said]:
    for key, role in _DEFAULTS.items():
        if role == "system" and (said := text_of(fields.get(key))) is not None:
            yield own.said(role, {"content": said})


def asked_in(fields: Fields) -> str | None:
    """The prompt of a request that has it as a text."""
    return next((said for key in _ASKED if (said := text_of(fields.get(key)))), None)


def around_messages(fields: Fields) -> list[Said]:
    """Messages in the members around a list of messages, in front of it or behind it."""
    own = _Around().inside(fields)
    found = [*_of_system(fields, own), *messages_in(fields)]
    usage = usage_in(fields)
    if usage is not None and not any(each.usage for each in found):
        found.append(Said("", {}, own.time, own.model, own.id, usage))
    return found


def _in_order(fields: Fields) -> Sequence[tuple[str, object]]:
    """The members that may have messages: what was asked before what came of it."""
    # The copy keeps those that have none from counting as read.
    keys = [key for key, value in dict(fields).items() if _inner(value)]
    again = _INDEXES if "output_messages" not in fields else _INDEXES - {"input_messages"}
    members = ((key, fields[key]) for key in keys if key not in again)
    found = [(key, _inner(value)) for key, value in members]

    # What the system says comes first.
    def place(member: tuple[str, object]) -> tuple[bool, bool, bool]:
        return _DEFAULTS.get(member[0]) != "system", member[0] not in SPANS, member[0] in _LAST

    return sorted(found, key=place)


def _inner(value: object) -> object:
    """An object or a list, also as JSON, or the response in a text of events."""
    return mapping(value) or items(value) or sent(value)


def _branch(fields: Fields) -> list[object] | None:
    """The nodes of the branch that counts, of a conversation that is a tree of nodes by id."""
    for key, current in _TREES:
        nodes, last = fields_of(fields.get(key)), text_of(fields.get(current))
        if nodes and last is not None:
            return _branch_to(nodes, last)
    return None


def _branch_to(nodes: Fields, last: str | None) -> list[object]:
    found: dict[str, object] = {}
    while last is not None and last in nodes and last not in found and len(found) < _MOST_NODES:
        node = fields_of(nodes[last])
        found[last] = node
        last = text(node, *_PARENTS)
    return [*found.values()][::-1]


def _step(fields: Fields) -> list[tuple[str, Fields]]:
    """The messages of a step of an agent, which has a task, or calls and what they brought."""
    task = text_of(fields.get("task"))
    if task is not None and fields.keys() <= {"task", "task_images"}:
        return [("user", {"content": task})]
    if set(fields) == {"system_prompt"}:
        return [("system", {"content": fields["system_prompt"]})]
    if "step_number" not in fields or fields.keys().isdisjoint({"tool_calls", "model_output"}):
        return []
    said = changed(fields, {"content": fields.get("model_output")})
    calls = [fields_of(call) for call in items_of(fields.get("tool_calls"))]
    seen = fields.get("observations")
    error = text(fields_of(fields.get("error")), "message")
    if not calls or (seen is None and error is None):
        return [("assistant", said)]
    results: list[object] = [
        {"call_id": text_of(call.get("id")) or "", "content": (seen or error) if first else None,
         "status": "error" if error else None}
        for first, call in zip((True, *[False] * len(calls)), calls, strict=False)
    ]  # fmt: skip
    return [("assistant", said), ("tool", {"tool_results": results})]
