"""Messages of a request and of its response, out of the forms that versions and libraries write.

Read are: the attributes `gen_ai.input.messages` and `gen_ai.output.messages` (from 1.37 of the
conventions), events for each message (`gen_ai.user.message`, `gen_ai.choice` ..., from 1.28 to
1.36), events with a whole prompt (`gen_ai.content.prompt`, up to 1.27), numbered attributes
(`gen_ai.prompt.0.role`, OpenLLMetry), lists of events in an attribute (pydantic-ai 0.2 to 1) and
the attributes of OpenInference.
"""

import re
from collections.abc import Mapping

from agentview.normalize.json_fields import items, mapping
from agentview.normalize.json_values import Fields, changed, fields_of, text_of
from agentview.providers._kit.chat_parts import Part, listed_parts, message_parts
from agentview.providers.otel.openinference import message_parts_of
from agentview.providers.otel.telemetry import Signal

_MESSAGES = (
    ("gen_ai.system_instructions", "system", False),
    ("gen_ai.input.messages", None, False),
    ("pydantic_ai.all_messages", None, False),
    ("gen_ai.output.messages", "assistant", True),
)
_EVENT_LISTS = ("events", "all_messages_events")
_WHOLE = (("gen_ai.prompt", None, False), ("gen_ai.completion", "assistant", True))
_NUMBERED = re.compile(r"gen_ai\.(prompt|completion)\.(\d{1,6})\.(.+)")
_NUMBERED_CALL = re.compile(r"tool_calls\.(\d{1,4})\.(id|name|arguments)")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message|gen_ai\.choice")
_OF_WHOLE = {
    "gen_ai.content.prompt": "gen_ai.prompt",
    "gen_ai.content.completion": "gen_ai.completion",
}


def parts_of(signal: Signal) -> list[Part]:
    """All parts of the messages of a span or a log record, in their order."""
    found: list[Part] = []
    attributes = signal.attributes
    for key, role, output in _MESSAGES:
        if key in attributes:
            found += listed_parts(attributes[key], role, output=output)
    for key in _EVENT_LISTS:
        for event in map(fields_of, items(attributes.get(key))):
            found += _of_event(text_of(event.get("event.name")) or "", event)
    if any(key.startswith(("gen_ai.prompt.", "gen_ai.completion.")) for key in attributes):
        found += _numbered(attributes)
    for key, role, output in _WHOLE:
        if isinstance(attributes.get(key), str):
            found += listed_parts(attributes[key], role, output=output)
    found += message_parts_of(attributes)
    for event in (signal, *signal.events):
        found += _reported(event, is_inner=event is not signal)
    return found


def _reported(event: Signal, *, is_inner: bool) -> list[Part]:
    """The parts that an event of a span, or a log record, has by its name."""
    whole = _OF_WHOLE.get(event.name)
    if whole is not None:
        output = whole == "gen_ai.completion"
        given = event.attributes.get(whole)
        return (
            listed_parts(given, "assistant" if output else None, output=output) if is_inner else []
        )
    if is_inner and event.name.startswith("gen_ai.client."):
        return parts_of(event)
    if _EVENT.fullmatch(event.name) is None:
        return []
    body = fields_of(event.body)
    return _of_event(event.name, changed(event.attributes, body))


def _of_event(name: str, fields: Fields) -> list[Part]:
    """The parts of an event for one message."""
    if name == "gen_ai.choice":
        inner = mapping(fields.get("message"))
        role = text_of(inner.get("role")) or "assistant"
        return list(message_parts(inner or fields, role, output=True))
    found = _EVENT.fullmatch(name)
    if found is None:
        return []
    return list(message_parts(fields, text_of(fields.get("role")) or found[1], output=False))


def _numbered(attributes: Fields) -> list[Part]:
    """Messages whose members are attributes of their own."""
    found: dict[tuple[str, int], dict[str, object]] = {}
    for key, value in attributes.items():
        match = _NUMBERED.fullmatch(key)
        if match is not None:
            found.setdefault((match[1], int(match[2])), {})[match[3]] = value
    parts: list[Part] = []
    for place in sorted(found, key=lambda place: (place[0] == "completion", place[1])):
        output = place[0] == "completion"
        message = _numbered_message(found[place])
        role = text_of(message.get("role")) or ("assistant" if output else "user")
        parts += message_parts(message, role, output=output)
    return parts


def _numbered_message(members: Mapping[str, object]) -> Fields:
    calls: dict[int, dict[str, object]] = {}
    for key, value in members.items():
        match = _NUMBERED_CALL.fullmatch(key)
        if match is not None:
            calls.setdefault(int(match[1]), {})[match[2]] = value
    return {**members, "tool_calls": [calls[at] for at in sorted(calls)]}
