"""Messages of requests and responses that a log repeats, and the events of what is new in them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha1

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Body,
    Event,
    Message,
    Reasoning,
    ToolResult,
    User,
)
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, items, mapping, number, text
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.event_builder import EventBuilder

_TEXT_TYPES = frozenset({"text", "input_text", "output_text"})
_THOUGHTS = frozenset({"reasoning", "thinking"})
_CALLS = frozenset({"tool_call", "server_tool_call", "tool_use", "function_call"})
_IMAGES = frozenset({"image", "image_url", "image-url", "input_image"})
_DATA_URI = re.compile(r"data:([\w.+/-]{1,100});base64,")
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
    """True if this response gave it, rather than what it was asked with."""


def listed_parts(value: object, role: str | None, *, output: bool) -> list[Part]:
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
        whole = "parts" in message or "tool_calls" in message
        if whole or ("content" in message and message.get("type") in (None, "message")):
            found += message_parts(message, own, output=output)
        else:
            found += _part(item, own, output=output)
    return found


def message_parts(message: Fields, role: str, *, output: bool) -> Iterator[Part]:
    """The parts of one message, in its `parts` or in its `content` with calls next to it."""
    call_id = text(message, "tool_call_id", "id")
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
            id=text(item, "id"),
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
        yield _call_part(fields, role, given, output=output)
    elif kind in _RESULTS:
        yield _result_part(fields, role, output=output)
    elif item is not None:
        yield Part(role, "block", block=_block(fields, item), output=output)


def _call_part(fields: Fields, role: str, given: object, *, output: bool) -> Part:
    server = fields_of(fields.get("server_tool_call"))
    call_id = text(fields, "id", "call_id")
    name = text_of(fields.get("name")) or text_of(server.get("type"))
    return Part(role, "call", id=call_id, name=name, value=server or given, output=output)


def _result_part(fields: Fields, role: str, *, output: bool) -> Part:
    keys = ("response", "result", "content", "server_tool_call_response", "output")
    value = next((fields[key] for key in keys if key in fields), None)
    call_id = text(fields, "id", "tool_use_id")
    return Part(role, "result", id=call_id, value=value, output=output)


def _block(fields: Fields, item: object) -> Block:
    """A picture or a file, by the keys of the conventions and of the vendors."""
    media = text_of(fields.get("mime_type")) or text_of(fields.get("media_type"))
    data = text_of(fields.get("content")) or text_of(fields.get("data"))
    link = fields.get("image_url", fields.get("image"))
    links = (fields.get("uri"), fields.get("url"), link, fields_of(link).get("url"))
    uri = next(filter(None, map(text_of, links)), None)
    embedded = _DATA_URI.match(uri) if uri is not None else None
    if uri is not None and embedded is not None:
        media, data, uri = embedded[1], uri[embedded.end() :], None
    kind = text_of(fields.get("type")) or ""
    image = fields.get("modality") == "image" or (media or "").startswith("image/")
    if (image or kind in _IMAGES) and (data or uri):
        return ImageBlock(media, data, uri)
    name = text_of(fields.get("filename")) or text_of(fields.get("file_id"))
    return ResourceBlock(uri, name, media) if uri or name else JsonBlock(item)


def part_events(
    record: EventBuilder, parts: Iterable[Part], scope: str, asked: float | None
) -> list[Event]:
    """Events of the parts of one request and its response, in their order.

    What other requests of the same `scope` say again has the same key in all of them, by its words
    and by how often they came before it. `asked` is the time of the request.
    """
    # Repeated texts of a conversation are distinguished by their count.
    said: Counter[str] = Counter()
    events: list[Event] = []
    for at, part in enumerate(parts):
        made = record.copy()
        if not part.output:
            made.response_id = None
            made.time = asked
        event = _part_event(made, f"part{at}", part, scope, said)
        if event is not None:
            events.append(event)
    return events


def _part_event(
    record: EventBuilder, suffix: str, part: Part, scope: str, said: Counter[str]
) -> Event | None:
    if part.kind in ("call", "result") and part.id is not None:
        name = f"{part.kind}:{part.id}"
        said[name] += 1
        name += f":{said[name]}" if said[name] > 1 else ""
    else:
        own = f"{part.role}:{part.kind}:{part.text}{part.name or ''}{as_text(part.value) or ''}"
        block = part.block
        own += repr(block) if block is not None else ""
        digest = sha1(own.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:20]
        said[digest] += 1
        name = f"{digest}:{said[digest]}"
    body = _body(record, suffix, part)
    if body is None:
        return None
    key = f"{scope}:{name}"
    return record.event(suffix, body, dedupe_key=key)


def _body(record: EventBuilder, suffix: str, part: Part) -> Body | None:
    if part.kind == "call":
        own = f"{record.name}{record.suffix_end}/{suffix}"
        name = own if part.id is None else part.id
        return chat_call(name, part.name or "(none)", part.value)
    if part.kind == "result":
        if part.id is None:
            return Attachment("result", "output", as_text(part.value))
        return chat_result(part.id, part.value, failed=None)
    if part.kind == "reasoning":
        return Reasoning(part.text, withheld=not part.text)
    blocks: tuple[Block, ...] = (part.block,) if part.block is not None else ()
    if part.role in ("system", "developer"):
        return Attachment("system message", "instructions", part.text or as_text(repr(part.block)))
    if part.role in ("assistant", "model"):
        return Message(part.text, blocks)
    return User(part.text, blocks)


def chat_call(call_id: str, name: str, given: object) -> ToolCall:
    """A call, whose arguments are an object or its JSON."""
    arguments: Fields | str | None = None
    if isinstance(given, str):
        arguments = given
    elif given is not None:
        arguments = fields_of(given) or as_text(given)
    return tool_call(call_id=call_id, name=name, arguments=arguments, spec=None)


def ended_well(ok: bool | None, fields: Fields) -> bool | None:
    """Return how a call ended: a command by its exit code, unless it failed before that."""
    code = number(fields, "exit_code", "exitCode", "returncode")
    return ok if code is None or ok is False else code == 0


def chat_result(
    call_id: str, value: object, *, failed: bool | None, error: str | None = None
) -> ToolResult:
    """A result; a span says by its status whether the call failed, a command by its exit code."""
    structured = mapping(value)
    ok = ended_well(None if failed is None else not failed, structured)
    words = value if isinstance(value, str) else None
    output: tuple[Block, ...] = ()
    if words:
        output = (TextBlock(words),)
    elif value is not None and words is None:
        output = (JsonBlock(value),)
    return ToolResult(
        call_id,
        ok,
        output,
        structured=structured or None,
        error=(error or words) if failed else None,
    )
