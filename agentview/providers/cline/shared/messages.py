"""Messages as a model gets them: texts, thoughts, calls, results and images of a turn."""

from collections.abc import Sequence

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import Event, Level, Message, Notification, ToolResult
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, text
from agentview.normalize.json_values import Fields, call_id_of, fields_of, items_of, text_of
from agentview.providers._kit.event_builder import EventMaker
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, read_as
from agentview.providers.cline.shared import schema
from agentview.providers.cline.shared.outcome import denial, failure
from agentview.providers.cline.shared.schema import ContentPart, Part, Source
from agentview.providers.cline.shared.tools import find_tool, known

_NO_PART = Part()
Said = TypedBuilder[schema.Record] | TypedBuilder[schema.Entry]
"""A message, of either client."""


def parts_of(message: schema.Message) -> Sequence[Part]:
    """The parts of a message; a bare text is one part."""
    content = message.content
    if isinstance(content, str):
        return (Part("text", content),) if content else ()
    return [
        Part("text", each) if isinstance(each, str) else each or _NO_PART for each in content or ()
    ]


def results_and_words(record: Said) -> tuple[list[LightEvent], str, tuple[Block, ...]]:
    """Of a message to the model: results of calls, its words, and what is not words."""
    results: list[LightEvent] = []
    words: list[str] = []
    blocks: list[Block] = []
    for at, part in enumerate(parts_of(record.record)):
        if part.type == "tool_result":
            content = record.value_of(part.content)
            failed = part.is_error is True
            results.append(result_event(record, at, part.tool_use_id, content, failed=failed))
        elif part.type == "text" and isinstance(part.text, str):
            words.append(part.text)
        else:
            blocks.append(block_of(record.values_at("content", at)))
    return results, "\n".join(words), tuple(blocks)


def said_by_model(record: Said, at: int, part: Part) -> LightEvent:
    """The event of a part of the model's own message."""
    kind, words = part.type, text_of(part.text) or ""
    if kind == "text":
        return record.text_part(f"text/{at}", words)
    if kind in ("thinking", "reasoning", "redacted_thinking"):
        thought = "" if kind == "redacted_thinking" else text_of(part.thinking) or words
        return record.thought_part(f"thought/{at}", thought, withheld=not thought)
    if kind == "tool_use":
        name, call_id = text_of(part.name) or "(none)", call_id_of(part.id, f"{record.name}/{at}")
        made = (record, at, part, name, call_id)
        return record.call_event(f"call/{at}", call_id, known(name), _call, made)
    block = block_of(record.values_at("content", at))
    if isinstance(block, JsonBlock):
        return record.unknown(f"content/{kind}", f"unknown/{at}")
    return record.event(f"block/{at}", Message("", (block,)))


def _call(record: Said, at: int, part: Part, name: str, call_id: str) -> ToolCall:
    given = record.value_of(part.input)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=given if isinstance(given, str) or given is None else fields_of(given),
        raw=None if isinstance(given, str) else record.exact(part.input, "content", at, "input"),
        spec=find_tool(name, fields_of(given)),
    )


def result_event(
    record: EventMaker, at: int, call: object, content: object, *, failed: bool
) -> Event:
    """The event of a result: of which call, what it brought, and whether it is said to be none."""
    call_id = call_id_of(call, None)
    if call_id is None:
        return record.unknown("tool_result without an id", f"unknown/{at}")
    return record.event(f"result/{at}", _result(call_id, content, failed=failed))


def _result(call_id: str, content: object, *, failed: bool) -> ToolResult:
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
    failed = failed or any(each.get("success") is False for each in entries)
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
    """Return the result for each thing, as blocks."""
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
    shown = read_as(part, ContentPart)
    kind, source = shown.type, shown.source or Source()
    if kind == "text" and shown.text is not None:
        return TextBlock(shown.text)
    data = source.data or shown.data or None
    media = source.media_type or text(part, "mediaType", "mimeType")
    size = len(data) * 3 // 4 - data[-2:].count("=") if data is not None else None
    uri = source.url or None
    if kind == "image" and (data or uri):
        return ImageBlock(media_type=media, data=data, uri=uri, byte_size=size)
    if kind in ("document", "file"):
        name = text(part, "title", "path", "name")
        said = shown.content or None
        return ResourceBlock(name=name, media_type=media, text=said, byte_size=size)
    return JsonBlock(part if value is None else value)


def failed_request(record: EventMaker, words: str) -> Event:
    return record.event("error", Notification(error_topic(words), words, Level.ERROR))
