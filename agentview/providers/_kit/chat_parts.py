"""Messages of chat APIs as parts: texts, thoughts, calls, results and other blocks.

What a part is follows from what all such APIs have in common, whatever they call it: the name of
its type, or of the member that holds it, says whether it is a call or a result.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import chain

from msgspec.structs import replace

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.value import Value
from agentview.normalize.json_fields import as_text, first, items, mapping, text
from agentview.normalize.json_values import Fields, changed, fields_of, items_of, text_of, without
from agentview.providers._kit.written_calls import written_calls, written_results

IDS = (
    "call_id",
    "callId",
    "tool_call_id",
    "toolCallId",
    "tool_use_id",
    "toolUseId",
    "toolUseID",
    "toolCallRequestId",
    "id",
)
"""Keys of the id of a call, in a call and in its result."""
_NAMES = ("name", "toolName", "tool_name", "tool", "functionName")
_ARGUMENTS = ("arguments", "args", "input", "parameters", "tool_kwargs", "kwargs")
_VALUES = (
    "response", "result", "content", "server_tool_call_response", "output", "outputs", "text",
)  # fmt: skip
_CONTENTS = ("parts", "content", "contents", "items", "blocks", "value", "text", "message", "steps")
"""Keys of the content of a message."""
_THOUGHTS = (
    "reasoning_content", "reasoning", "thinking", "thinking_content", "thinking_trace",
    "tool_plan",
)  # fmt: skip
"""Members of a message with what the model thought before it."""
_LISTED_CALLS = (
    "tool_calls", "toolCalls", "invalid_tool_calls", "toolInvocations", "toolExecutionRequests",
)  # fmt: skip
_LISTED_RESULTS = ("tool_responses", "tool_results")
_BOOKKEEPING = frozenset({
    "id", "type", "status", "call_id", "result", "results", "output", "outputs", "error",
})  # fmt: skip
_GIVEN = ("output", "outputs", "result", "results")
_OVER = frozenset({"completed", "failed", "incomplete"})
"""Ends of a call that the service makes itself, which has its result in it."""
_FILES = ("attachments", "files", "experimental_attachments")
"""Members of a message with what was sent along."""
_IMAGES = frozenset({"image", "imageurl", "inputimage", "imageassetpointer"})
_DATA_URI = re.compile(r"data:([\w.+/-]{1,100});base64,")
_LETTERS = re.compile(r"[^a-z]")
_WRITTEN_THOUGHT = re.compile(r"\s*<(think|thinking)>(.*?)</\1>\s*", re.DOTALL)
_THOUGHT_TYPES = ("reasoning", "thinking", "redactedthinking", "thought")
_FOLDED_THOUGHT = re.compile(
    r'\s*<details type="reasoning"[^<>]{0,200}>\s*(?:<summary>[^<>]*</summary>)?(.*?)</details>\s*',
    re.DOTALL,
)
_QUOTED = re.compile(r"^> ?", re.MULTILINE)
_DEEPEST = 8


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
    failed: bool | None = None
    """Of a result: whether the call failed, None where it is not said."""


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
            found += (_given(part) if output else part for part in _part(item, own))
    return found


def message_parts(message: Fields, role: str, *, output: bool) -> Iterator[Part]:
    for part in _all_parts(message, role):
        yield part if not output else _given(part)


def _given(part: Part) -> Part:
    return Part(
        part.role,
        part.kind,
        part.text,
        part.id,
        part.name,
        part.value,
        part.block,
        True,
        part.failed,
    )


def _all_parts(message: Fields, role: str) -> Iterator[Part]:
    thoughts = (text_of(message.get(key)) for key in _THOUGHTS)
    if (thought := next(filter(None, thoughts), None)) is not None:
        yield Part(role, "reasoning", thought)
    content = next((message[key] for key in _CONTENTS if message.get(key)), None)
    parts = list(_content_parts(content, role))
    listed = [*chain.from_iterable(items(message.get(key)) for key in _LISTED_RESULTS)]
    if listed:
        # What is next to them is the same as one text.
        yield from (_result(fields_of(item), role) for item in listed)
    elif role == "tool" and "parts" not in message and not _kinds(parts) & {"result"}:
        words = bool(fields_of(content)) and _kinds(parts) == {"text"}
        yield from _tool_message(message, _said(parts) if words else content)
    else:
        written = role in ("assistant", "model")
        yield from chain.from_iterable(map(_written, parts)) if written else parts
        for item in chain.from_iterable(items(message.get(key)) for key in _FILES):
            if fields_of(item):
                yield Part(role, "block", block=_block(fields_of(item), item))
        if (refusal := text_of(message.get("refusal"))) is not None:
            yield Part(role, "text", refusal)
        yield from _calls_next_to(message, role, {part.id for part in parts} - {None})


def _kinds(parts: Sequence[Part]) -> set[str]:
    return {part.kind for part in parts}


def _said(parts: Sequence[Part]) -> str:
    return "\n".join(part.text for part in parts)


def _calls_next_to(message: Fields, role: str, known: Collection[str | None]) -> Iterator[Part]:
    for call in _next_to(message):
        for part in _part(call, role, member="tool_call"):
            if part.id is None or part.id not in known:
                yield part


def _tool_message(message: Fields, content: object) -> Iterator[Part]:
    """The result in a message of a tool, or several where tags say so."""
    own = fields_of(message.get("additional_kwargs"))
    call_id = _id(message, *IDS[:-1]) or _id(own, *IDS)
    if call_id is None and "author" not in message:
        call_id = text(message, "id")
    written = written_results(content) if isinstance(content, str) else []
    name = text(message, *_NAMES)
    for value in written or [content]:
        yield Part("tool", "result", id=call_id, name=name, value=value, failed=_failed(message))


def _id(fields: Fields, *keys: str) -> str | None:
    """The first of `keys` that has a value, as text; a number of a counter is a whole one."""
    found = first(fields, *keys)
    return as_text(int(found) if isinstance(found, float) and found.is_integer() else found)


def _next_to(message: Fields) -> Iterator[object]:
    """The calls of a message next to its content."""
    more = fields_of(message.get("additional_kwargs"))
    for holder in (message, more):
        found = [*chain.from_iterable(items(holder.get(key)) for key in _LISTED_CALLS)]
        one = fields_of(holder.get("function_call"))
        if found or one:
            yield from found or [one]
            return


def _content_parts(content: object, role: str) -> Iterator[Part]:
    inner = fields_of(content).get("parts")
    for item in _contents(content if inner is None else inner):
        yield from _part(item, role)


def _contents(content: object) -> Iterable[object]:
    """Parts of a content, which may be words, a list, or JSON of a list of parts."""
    if isinstance(content, str):
        listed = items(content)
        parts = bool(listed) and all("type" in fields_of(each) for each in listed)
        return listed if parts else (content,) if content else ()
    return items_of(content) or (() if content is None or content == [] else (content,))


def part_kind(name: str) -> str | None:
    """Kind of a part by the name of its type, or of the member that has it; None for a block."""
    plain = _LETTERS.sub("", name.lower()).removesuffix("content")
    if plain.endswith("text") or plain == "refusal":
        return "text" if not plain.startswith("reasoning") else "reasoning"
    if plain.endswith(("call", "tooluse", "callrequest", "toolinvocation", "executablecode")):
        return "call"
    if plain.endswith(("output", "result", "response", "toolreturn", "resulterror")):
        return "result"
    if plain == "think" or plain.startswith(_THOUGHT_TYPES):
        return "reasoning"
    return None


def _part(item: object, role: str, *, member: str = "", depth: int = 0) -> Iterator[Part]:
    """The parts that an item of a content is: a call may have its result in it."""
    if isinstance(item, str):
        if item:
            yield Part(role, "text", item)
        return
    fields = fields_of(item)
    named = _type_of(fields)
    if not fields or depth > _DEEPEST:
        if item is not None:
            yield Part(role, "block", block=JsonBlock(item))
        return
    kind = part_kind(named) or part_kind(member)
    if invoked := fields_of(fields.get("toolInvocation", fields.get("tool_call"))):
        yield from _part(invoked, role, member="call", depth=depth + 1)
    elif "toolCallId" in fields and "state" in fields:
        yield from _with_state(fields, role, named)
    elif kind is None:
        yield from _untyped(fields, item, role, named, depth)
    elif (made := _MAKERS[kind](fields, role)) is not None:
        yield made
        yield from _own_result(fields, role, named)


def _type_of(fields: Fields) -> str:
    """The type of a part; `content_type` counts only if it is not that of a text."""
    content = text_of(fields.get("content_type")) or ""
    named = text(fields, "type", "kind", "block_type", "$type")
    return named or (content if part_kind(content) not in (None, "text") else "")


def _own_result(fields: Fields, role: str, named: str) -> Iterator[Part]:
    """The result in a call that the service has made itself, or that it is over."""
    if not named.endswith("_call") or text(fields, *IDS[:-1]) is not None:
        return
    error = fields.get("error")
    given = next((fields[key] for key in _GIVEN if fields.get(key) is not None), error)
    if given is not None or text_of(fields.get("status")) in _OVER:
        failed = True if error is not None else _failed(fields)
        yield Part(role, "result", id=_id(fields, "id"), value=given, failed=failed)


def _untyped(fields: Fields, item: object, role: str, named: str, depth: int) -> Iterator[Part]:
    """A part without a known type: its members show what it is, else it is a block."""
    # The copy keeps other members from counting as read.
    for key, value in dict(fields).items():
        kind = part_kind(key)
        if kind is not None and kind != "text" and fields_of(value):
            yield from _part(fields[key], role, member=key, depth=depth + 1)
            return
    thought = fields.get("thought")
    said = text_of(fields.get("text"))
    if (heard := text_of(fields.get("transcript"))) is not None:
        yield Part(role, "text", heard)
    elif named == "" and said is not None:
        yield Part(role, "reasoning" if thought is True else "text", said)
    elif named == "" and text_of(fields.get("name")) and not fields.keys().isdisjoint(_ARGUMENTS):
        yield _call(fields, role)
    elif named == "" and text(fields, *IDS[:-1]) and "content" in fields:
        yield _result(fields, role)
    elif fields_of(next(iter(items_of(fields.get("content"))), None)):
        for inner in items_of(fields["content"]):
            yield from _part(inner, role, depth=depth + 1)
    elif item is not None and set(fields) != {"type"}:
        yield Part(role, "block", block=_block(fields, item))


def _with_state(fields: Fields, role: str, named: str) -> Iterator[Part]:
    """A call that is kept with its result, once it has one."""
    own = changed(fields, {"name": text(fields, *_NAMES) or named.removeprefix("tool-")})
    yield _call(own, role)
    failure = text_of(fields.get("errorText"))
    value = next((fields[key] for key in ("output", "result") if key in fields), failure)
    if value is not None:
        yield Part(role, "result", id=_id(fields, *IDS), value=value, failed=bool(failure) or None)


def _text(fields: Fields, role: str) -> Part | None:
    given = [fields.get(key) for key in ("content", "text", "refusal", "value")]
    values = [text_of(each) or text_of(fields_of(each).get("value")) for each in given]
    said = next(filter(None, values), None)
    return Part(role, "text", said) if said is not None else None


def _reasoning(fields: Fields, role: str) -> Part:
    """A thought: one text, or the texts of a list."""
    for key in ("content", "thinking", "text", "summary", "reasoningText", "thoughts", "think"):
        value = fields.get(key)
        said = text_of(value) or text_of(fields_of(value).get("text"))
        listed = [text(fields_of(each), "text", "content") for each in items_of(value)]
        said = said or "\n\n".join(filter(None, listed))
        if said:
            return Part(role, "reasoning", said)
    return Part(role, "reasoning")


def _call(fields: Fields, role: str) -> Part:
    inner = fields_of(fields.get("function", fields.get("custom")))
    server = fields_of(fields.get("server_tool_call"))
    own = text(fields, *_NAMES) if not inner else None
    name = own or text(inner, *_NAMES) or text_of(server.get("type"))
    given = next((each[key] for each in (inner, fields) for key in _ARGUMENTS if key in each), None)
    if name is None:
        # A tool of the service's own goes by its type.
        name = text_of(fields.get("type"))
        given = without(fields, _BOOKKEEPING) if given is None else given
    return Part(role, "call", id=_id(fields, *IDS), name=name, value=server or given)


def _result(fields: Fields, role: str) -> Part:
    value = next((fields[key] for key in _VALUES if key in fields), None)
    of, failed = fields_of(fields.get("call", fields.get("origin"))), _failed(fields)
    response = fields_of(fields.get("response"))
    if len(response) == 1 and not response.keys().isdisjoint({"output", "error"}):
        # The members that one API documents for what a function gave.
        failed, value = ("error" in response) or failed, next(iter(response.values()))
    return Part(
        role,
        "result",
        id=_id(fields, *IDS) or _id(of, *IDS),
        name=text(fields, *_NAMES) or text(of, *_NAMES),
        value=value,
        failed=failed,
    )


_MAKERS: Mapping[str, Callable[[Fields, str], Part | None]] = {
    "text": _text,
    "reasoning": _reasoning,
    "call": _call,
    "result": _result,
}


_FAILS = ("is_error", "isError", "tool_call_error", "error")
"""Members that say of a result whether its call failed."""


def _failed(fields: Fields) -> bool | None:
    """Whether a result says that its call failed."""
    for key in _FAILS:
        if isinstance(said := fields.get(key), bool):
            return said
    if text_of(fields.get("error")):
        return True
    status = fields.get("status")
    if status in ("error", "failed"):
        return True
    return False if status == "success" else None


def _written(part: Part) -> Iterator[Part]:
    """A text of the model, apart from a thought in front and calls, which tags show."""
    if part.kind == "text" and (thought := _WRITTEN_THOUGHT.match(part.text)) is not None:
        yield Part(part.role, "reasoning", thought[2].strip())
        part = replace(part, text=part.text[thought.end() :])
    elif part.kind == "text" and (thought := _FOLDED_THOUGHT.match(part.text)) is not None:
        # Open WebUI keeps a thought as a quotation that is folded.
        yield Part(part.role, "reasoning", _QUOTED.sub("", unescape(thought[1]).strip()))
        part = replace(part, text=part.text[thought.end() :])
    if part.kind != "text":
        yield part
        return
    for written in written_calls(part.text):
        yield (
            Part(part.role, "text", written)
            if isinstance(written, str)
            else _call(written, part.role)
        )


def result_blocks(value: object) -> tuple[Block, ...]:
    """Blocks of a result: from a text, a list of parts, or any other value."""
    fields = fields_of(value)
    if "type" in fields and ("value" in fields or fields["type"] == "text"):
        value = fields.get("value", fields.get("text"))
    if isinstance(value, str):
        return (TextBlock(value),) if value else ()
    listed = items_of(value)
    if listed and all(_is_part(fields_of(each)) for each in listed):
        return tuple(_result_block(part, each) for each in listed for part in _part(each, "tool"))
    return (JsonBlock(value),) if value is not None else ()


def _result_block(part: Part, item: object) -> Block:
    if part.kind in ("text", "reasoning"):
        return TextBlock(part.text)
    return JsonBlock(item) if part.block is None else part.block


def _is_part(fields: Fields) -> bool:
    named = isinstance(fields.get("type", fields.get("block_type")), str)
    return named or (len(fields) == 1 and not fields.keys().isdisjoint({"text", "image", "json"}))


def _block(fields: Fields, item: object) -> Block:
    """A picture or a file, by the keys of the conventions and of the vendors."""
    inner = next((each for each in map(fields_of, fields.values()) if "data" in each), fields)
    media = text(inner, "mime_type", "media_type", "mimeType", "mediaType", "contentType")
    data = text_of(inner.get("content")) or text_of(inner.get("data"))
    link = fields.get("image_url", fields.get("image"))
    pointer = fields.get("asset_pointer")
    links = (fields.get("uri"), fields.get("url"), link, fields_of(link).get("url"), pointer)
    uri = next(filter(None, map(text_of, links)), None)
    embedded = _DATA_URI.match(uri) if uri is not None else None
    if uri is not None and embedded is not None:
        media, data, uri = embedded[1], uri[embedded.end() :], None
    kind = _LETTERS.sub("", (text(fields, "type", "content_type") or "").lower())
    image = fields.get("modality") == "image" or (media or "").startswith("image/")
    if (image or kind in _IMAGES) and (data or uri):
        return ImageBlock(media, data, uri)
    name = text(fields, "filename", "file_id", "file_name", "name")
    said = text_of(fields.get("extracted_content"))
    return ResourceBlock(uri, name, media, said) if uri or name else JsonBlock(item)
