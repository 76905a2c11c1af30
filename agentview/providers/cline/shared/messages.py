"""Messages as a model gets them: texts, thoughts, calls, results and images of a turn."""

import re

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import Event, Level, Message, Notification, Reasoning, ToolResult
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, text
from agentview.normalize.json_values import Fields, call_id_of, fields_of, items_of, text_of
from agentview.providers._kit.event_builder import EventBuilder, EventMaker
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.cline.shared.outcome import denial, failure
from agentview.providers.cline.shared.tools import find_tool

_INPUT = re.compile(r'\s*<user_input(?: mode="(\w{1,20})")?>\n?(.*?)\n?</user_input>\s*', re.DOTALL)
_NOTICE = re.compile(r"\s*<mode_notice>.*?</mode_notice>\s*", re.DOTALL)
_WRAPPED = re.compile(r"\s*<(task|feedback|user_message|answer)>\n?(.*?)\n?</\1>\s*", re.DOTALL)


def contents(record: EventBuilder) -> list[tuple[int, Fields]]:
    """The parts of a message with their positions; a bare text is one part."""
    content = record.fields.get("content")
    if isinstance(content, str):
        return [(0, {"type": "text", "text": content})] if content else []
    listed = items_of(content)
    return [
        (at, {"type": "text", "text": each} if isinstance(each, str) else fields_of(each))
        for at, each in enumerate(listed)
    ]


def results_and_words(record: EventBuilder) -> tuple[list[Event], str, tuple[Block, ...]]:
    """Of a message to the model: results of calls, its words, and what is not words."""
    results: list[Event] = []
    words: list[str] = []
    blocks: list[Block] = []
    for at, part in contents(record):
        if part.get("type") == "tool_result":
            results.append(result_event(record, at, part))
            continue
        block = block_of(part)
        if isinstance(block, TextBlock):
            words.append(block.text)
        else:
            blocks.append(block)
    return results, "\n".join(words), tuple(blocks)


def prompt_of(words: str) -> tuple[str, str | None, tuple[str, ...]]:
    """Return what a person wrote, in which mode, and what the client put around it."""
    context = tuple(found[0].strip() for found in _NOTICE.finditer(words))
    words = _NOTICE.sub("", words)
    given = _INPUT.fullmatch(words)
    if given is not None:
        return given[2], given[1], context
    wrapped = _WRAPPED.match(words)
    if wrapped is not None:
        rest = words[wrapped.end() :].strip()
        return wrapped[2], None, (*context, *((rest,) if rest else ()))
    return words, None, context


def said_by_model(record: EventBuilder, at: int, part: Fields) -> Event:
    """The event of a part of the model's own message."""
    kind = text_of(part.get("type"))
    words = text_of(part.get("text"))
    if kind == "text":
        return record.event(f"text/{at}", Message(words or ""))
    if kind in ("thinking", "reasoning"):
        thought = text_of(part.get("thinking")) or words or ""
        return record.event(f"thought/{at}", Reasoning(thought, withheld=not thought))
    if kind == "redacted_thinking":
        return record.event(f"thought/{at}", Reasoning("", withheld=True))
    if kind == "tool_use":
        return _call(record, at, part)
    return _block_event(record, at, part, kind)


def _block_event(record: EventBuilder, at: int, part: Fields, kind: str | None) -> Event:
    block = block_of(part)
    if isinstance(block, JsonBlock):
        return record.unknown(f"content/{kind}", f"unknown/{at}")
    return record.event(f"block/{at}", Message("", (block,)))


def _call(record: EventBuilder, at: int, part: Fields) -> Event:
    name = text_of(part.get("name")) or "(none)"
    given = part.get("input")
    arguments = given if isinstance(given, str) or given is None else fields_of(given)
    call = tool_call(
        call_id=call_id_of(part.get("id"), f"{record.name}/{at}"),
        name=name,
        arguments=arguments,
        raw=None if isinstance(given, str) else record.text_at("content", at, "input"),
        spec=find_tool(name, fields_of(given)),
    )
    return record.event(f"call/{at}", call)


def result_event(record: EventMaker, at: int, part: Fields) -> Event:
    """The event of a result."""
    call_id = call_id_of(part.get("tool_use_id"), None)
    if call_id is None:
        return record.unknown("tool_result without an id", f"unknown/{at}")
    return record.event(f"result/{at}", _result(call_id, part))


def _result(call_id: str, part: Fields) -> ToolResult:
    content = part.get("content")
    structured: object = None
    listed = items_of(content)
    whole = mapping(content)
    if listed and all(isinstance(fields_of(each).get("query"), str) for each in listed):
        structured, entries = content, [fields_of(each) for each in listed]
    elif whole.get("query") is not None or whole.get("finishReason") is not None:
        structured, entries = whole, [whole]
    else:
        entries = [whole] if isinstance(whole.get("error"), str) else []
    output = _answers(entries) if entries else blocks_of(content)
    errors = [said for each in entries if (said := text(each, "error"))]
    said = "\n".join(errors) or "\n".join(b.text for b in output if isinstance(b, TextBlock))
    failed = part.get("is_error") is True or any(each.get("success") is False for each in entries)
    refused = denial(said) if failed or not entries else None
    wrong = failure(said) if not entries else None
    bad = failed or bool(errors) or wrong is not None or refused is not None
    error = (said or "failed") if failed or errors else wrong
    return ToolResult(
        call_id,
        ok=not bad,
        output=output,
        structured=structured,
        error=error,
        denial=refused,
    )


def _answers(entries: list[Fields]) -> tuple[Block, ...]:
    """Return what came back for each thing, as blocks."""
    found: list[Block] = []
    for entry in entries:
        result = entry.get("result", entry.get("text"))
        found += blocks_of(result)
        error = text(entry, "error")
        if error and error not in (result if isinstance(result, str) else ""):
            found.append(TextBlock(error))
    return tuple(found)


def blocks_of(content: object) -> tuple[Block, ...]:
    """A content as blocks: a text, or a list of texts, images and documents."""
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (TextBlock(content),)
    listed = items_of(content) or [content]
    return tuple(
        TextBlock(each) if isinstance(each, str) else block_of(fields_of(each), each)
        for each in listed
    )


def block_of(part: Fields, value: object = None) -> Block:
    """One part of a content."""
    kind, source = text_of(part.get("type")), fields_of(part.get("source"))
    if kind == "text" and isinstance(part.get("text"), str):
        return TextBlock(text_of(part.get("text")) or "")
    data = text_of(source.get("data")) or text_of(part.get("data"))
    media = text_of(source.get("media_type")) or text(part, "mediaType", "mimeType")
    size = len(data) * 3 // 4 - data[-2:].count("=") if data is not None else None
    uri = text_of(source.get("url"))
    if kind == "image" and (data or uri):
        return ImageBlock(media_type=media, data=data, uri=uri, byte_size=size)
    if kind in ("document", "file"):
        name = text(part, "title", "path", "name")
        said = text_of(part.get("content"))
        return ResourceBlock(name=name, media_type=media, text=said, byte_size=size)
    return JsonBlock(part if value is None else value)


def prompted(record: EventBuilder, words: str, blocks: tuple[Block, ...]) -> Event:
    """The event of what a person wrote."""
    own, mode, context = prompt_of(words)
    return record.event("prompt", spoken(own, blocks, mode, context=context))


def failed_request(record: EventBuilder, words: str) -> Event:
    """The event of a request that failed and is not tried again."""
    return record.event("error", Notification(error_topic(words), words, Level.ERROR))
