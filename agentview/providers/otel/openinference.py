"""Attributes of OpenInference, in which Phoenix and other viewers of traces get their spans.

Its messages are flat: `llm.input_messages.0.message.role`. Some exports nest them, or keep the list
of messages in one attribute.
"""

import re
from collections.abc import Iterator, Mapping
from typing import cast

from agentview.normalize.json_fields import items, mapping
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers._kit.chat_parts import Part, listed_parts, message_parts

KIND = "openinference.span.kind"
MODEL = "llm.model_name"
_OPERATIONS: Mapping[str, str] = {"LLM": "chat", "TOOL": "execute_tool", "AGENT": "invoke_agent"}
_SIDES = (("llm.input_messages", False), ("llm.output_messages", True))
_WHOLE = (("input.value", "user", False), ("output.value", "assistant", True))
_NESTED = ("openinference", "llm", "input", "output", "tool", "session", "tool_call")
"""Prefixes of attribute names; where these are nested, their keys."""
_LISTS = ("llm.input_messages", "llm.output_messages")
_NUMBER = re.compile(r"\d{1,6}")
_LARGEST_DEPTH = 12
_Tree = dict[str, object]


def flat(attributes: Fields) -> Fields:
    """The attributes by their full names, also where an export nests them."""
    nested = [key for key in _NESTED if isinstance(attributes.get(key), dict)]
    if not nested:
        return attributes
    found = {key: value for key, value in attributes.items() if key not in nested}
    for key in nested:
        found.update(_named(key, attributes[key], 0))
    return found


def _named(name: str, value: object, depth: int) -> Iterator[tuple[str, object]]:
    fields = fields_of(value)
    if not fields or depth > _LARGEST_DEPTH or name in _LISTS:
        yield name, value
        return
    for key, inner in fields.items():
        yield from _named(f"{name}.{key}", inner, depth + 1)


def operation(attributes: Fields) -> str | None:
    """The operation of a span; None for one of another convention."""
    kind = text_of(attributes.get(KIND))
    return None if kind is None else _OPERATIONS.get(kind.upper(), "invoke_workflow")


def message_parts_of(attributes: Fields) -> list[Part]:
    """The parts of the messages of a request; of one without messages, its input and output."""
    if text_of(attributes.get(KIND)) not in ("LLM", "llm"):
        return []
    found: list[Part] = []
    for (name, output), (value, role, _) in zip(_SIDES, _WHOLE, strict=True):
        messages = _messages(attributes, name)
        for message in messages:
            own = text_of(message.get("role")) or role
            found += message_parts(message, own, output=output)
        if not messages and (whole := text_of(attributes.get(value))) is not None:
            inner = mapping(whole).get("messages")
            found += listed_parts(whole if inner is None else inner, role, output=output)
    return found


def _messages(attributes: Fields, name: str) -> list[Fields]:
    listed = items(attributes.get(name))
    if not listed:
        begin = f"{name}."
        own = {key[len(begin) :]: each for key, each in attributes.items() if key.startswith(begin)}
        listed = items_of(_grown(own))
    return [_message(fields_of(_grown(fields_of(each)))) for each in listed]


def _grown(flat_fields: Fields) -> object:
    """The tree that names with dots stand for, whose numbered members are lists."""
    tree: _Tree = {}
    for key, value in flat_fields.items():
        steps = key.split(".")[:_LARGEST_DEPTH]
        inner = tree
        for step in steps[:-1]:
            under = inner.setdefault(step, {})
            if not isinstance(under, dict):
                break
            inner = cast("_Tree", under)
        else:
            inner[steps[-1]] = value
    return _with_lists(tree)


def _with_lists(tree: _Tree) -> object:
    made = {
        key: _with_lists(cast("_Tree", value)) if isinstance(value, dict) else value
        for key, value in tree.items()
    }
    if made and all(map(_NUMBER.fullmatch, made)):
        return [made[key] for key in sorted(made, key=int)]
    return made


def _message(wrapped: Fields) -> Fields:
    """A message of a chat API, out of the objects that name each of its members."""
    message = dict(fields_of(wrapped.get("message")) or wrapped)
    contents = items_of(message.get("contents"))
    if contents:
        message["contents"] = [
            fields_of(_grown(fields_of(each))).get("message_content", each) for each in contents
        ]
    calls = items_of(message.get("tool_calls"))
    if calls:
        message["tool_calls"] = [_grown(fields_of(each)) for each in calls]
    return message
