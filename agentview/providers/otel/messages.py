"""Messages of a request and of its response, out of the forms that versions and libraries write.

Read are: the attributes `gen_ai.input.messages` and `gen_ai.output.messages` (from 1.37 of the
conventions), events for each message (`gen_ai.user.message`, `gen_ai.choice` ..., from 1.28 to
1.36), events with a whole prompt (`gen_ai.content.prompt`, up to 1.27), numbered attributes
(`gen_ai.prompt.0.role`, OpenLLMetry) and lists of events in an attribute (pydantic-ai 0.2 to 1).
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock
from agentview.domain.value import Value
from agentview.normalize.json_fields import items, mapping
from agentview.normalize.json_values import Fields, changed, fields_of, text_of
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
_TEXT_TYPES = frozenset({"text", "input_text", "output_text"})
_THOUGHTS = frozenset({"reasoning", "thinking"})
_CALLS = frozenset({"tool_call", "server_tool_call", "tool_use", "function_call"})
_RESULTS = frozenset({"tool_call_response", "server_tool_call_response", "tool_result"})


class Part(Value):
    """One part of a message."""

    role: str
    kind: str
    """`text`, `reasoning`, `call`, `result` or `block`."""
    text: str = ""
    id: str | None = None
    """Of a call, or of the call that a result is of."""
    name: str | None = None
    value: object = None
    """Arguments of a call, or what a result is."""
    block: Block | None = None
    output: bool = False
    """Whether this response gave it, rather than what it was asked with."""


def parts_of(signal: Signal) -> list[Part]:
    """All parts of the messages of a span or a log record, in their order."""
    found: list[Part] = []
    attributes = signal.attributes
    for key, role, output in _MESSAGES:
        if key in attributes:
            found += _listed(attributes[key], role, output=output)
    for key in _EVENT_LISTS:
        for event in map(fields_of, items(attributes.get(key))):
            found += _of_event(text_of(event.get("event.name")) or "", event)
    if any(key.startswith(("gen_ai.prompt.", "gen_ai.completion.")) for key in attributes):
        found += _numbered(attributes)
    for key, role, output in _WHOLE:
        if isinstance(attributes.get(key), str):
            found += _listed(attributes[key], role, output=output)
    for event in (signal, *signal.events):
        found += _reported(event, is_inner=event is not signal)
    return found


def _reported(event: Signal, *, is_inner: bool) -> list[Part]:
    """The parts that an event of a span, or a log record, has by its name."""
    whole = _OF_WHOLE.get(event.name)
    if whole is not None:
        output = whole == "gen_ai.completion"
        given = event.attributes.get(whole)
        return _listed(given, "assistant" if output else None, output=output) if is_inner else []
    if is_inner and event.name.startswith("gen_ai.client."):
        return parts_of(event)
    if _EVENT.fullmatch(event.name) is None:
        return []
    body = fields_of(event.body)
    return _of_event(event.name, changed(event.attributes, body))


def _listed(value: object, role: str | None, *, output: bool) -> list[Part]:
    """Messages, or the parts of one message with that role, as a list or as its JSON."""
    listed = items(value)
    if not listed:
        text = text_of(value)
        words = text is not None and not text.lstrip().startswith(("[", "{"))
        one = mapping(value)
        listed = [one] if one else [text] if words else []
    found: list[Part] = []
    for item in listed:
        message = fields_of(item)
        own = text_of(message.get("role")) or role or "user"
        if "parts" in message or ("content" in message and "type" not in message):
            found += _message(message, own, output=output)
        else:
            found += _part(item, own, output=output)
    return found


def _message(message: Fields, role: str, *, output: bool) -> Iterator[Part]:
    """The parts of one message, in its `parts` or in its `content` with calls next to it."""
    call_id = text_of(message.get("tool_call_id")) or text_of(message.get("id"))
    content = message.get("parts", message.get("content"))
    if role == "tool" and "parts" not in message:
        yield Part(role, "result", id=call_id, value=content, output=output)
        return
    for item in _contents(content):
        yield from _part(item, role, output=output)
    for item in map(fields_of, items(message.get("tool_calls"))):
        function = fields_of(item.get("function"))
        yield Part(
            role,
            "call",
            id=text_of(item.get("id")),
            name=text_of(function.get("name")) or text_of(item.get("name")),
            value=function.get("arguments", item.get("arguments")),
            output=output,
        )


def _contents(content: object) -> Iterable[object]:
    """Parts of a content, which may be words, a list, or JSON of a list."""
    listed = items(content)
    if listed:
        return listed
    return () if content is None or content == "" or isinstance(content, list) else (content,)


def _part(item: object, role: str, *, output: bool) -> Iterator[Part]:
    fields = fields_of(item)
    kind = text_of(fields.get("type")) or text_of(fields.get("kind")) or ""
    said = item if isinstance(item, str) else fields.get("content", fields.get("text"))
    if isinstance(item, str) or kind in _TEXT_TYPES:
        if isinstance(said, str) and said:
            yield Part(role, "text", said, output=output)
    elif kind in _THOUGHTS:
        thought = said if isinstance(said, str) else text_of(fields.get("thinking"))
        yield Part(role, "reasoning", thought or "", output=output)
    elif kind in _CALLS:
        given = fields.get("arguments", fields.get("input"))
        yield _call(fields, role, given, output=output)
    elif kind in _RESULTS:
        yield _result(fields, role, output=output)
    elif item is not None:
        yield Part(role, "block", block=_block(fields, item), output=output)


def _call(fields: Fields, role: str, given: object, *, output: bool) -> Part:
    server = fields_of(fields.get("server_tool_call"))
    call_id = text_of(fields.get("id")) or text_of(fields.get("call_id"))
    name = text_of(fields.get("name")) or text_of(server.get("type"))
    return Part(role, "call", id=call_id, name=name, value=server or given, output=output)


def _result(fields: Fields, role: str, *, output: bool) -> Part:
    keys = ("response", "result", "content", "server_tool_call_response", "output")
    value = next((fields[key] for key in keys if key in fields), None)
    call_id = text_of(fields.get("id")) or text_of(fields.get("tool_use_id"))
    return Part(role, "result", id=call_id, value=value, output=output)


def _block(fields: Fields, item: object) -> Block:
    """A picture or a file; the names of keys are those of the conventions and of pydantic-ai."""
    media = text_of(fields.get("mime_type")) or text_of(fields.get("media_type"))
    data = text_of(fields.get("content")) or text_of(fields.get("data"))
    link = fields_of(fields.get("image_url")).get("url")
    uri = next(filter(None, map(text_of, (fields.get("uri"), fields.get("url"), link))), None)
    kind = text_of(fields.get("type")) or ""
    image = fields.get("modality") == "image" or (media or "").startswith("image/")
    if (image or kind in ("image", "image_url", "image-url")) and (data or uri):
        return ImageBlock(media, data, uri)
    if uri or text_of(fields.get("file_id")):
        return ResourceBlock(uri, text_of(fields.get("file_id")), media)
    return JsonBlock(item)


def _of_event(name: str, fields: Fields) -> list[Part]:
    """The parts of an event for one message."""
    if name == "gen_ai.choice":
        inner = mapping(fields.get("message"))
        role = text_of(inner.get("role")) or "assistant"
        return list(_message(inner or fields, role, output=True))
    found = _EVENT.fullmatch(name)
    if found is None:
        return []
    return list(_message(fields, text_of(fields.get("role")) or found[1], output=False))


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
        parts += _message(message, role, output=output)
    return parts


def _numbered_message(members: Mapping[str, object]) -> Fields:
    calls: dict[int, dict[str, object]] = {}
    for key, value in members.items():
        match = _NUMBERED_CALL.fullmatch(key)
        if match is not None:
            calls.setdefault(int(match[1]), {})[match[2]] = value
    return {**members, "tool_calls": [calls[at] for at in sorted(calls)]}
