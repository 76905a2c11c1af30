"""What happened: the events of one row of a session, or of one line of an older one."""

import re
from collections.abc import Callable, Mapping

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Compaction,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tool_inputs import AskQuestion
from agentview.domain.tools import Denial, DeniedBy
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import flag, items, mapping, number, real, text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from agentview.providers._kit.event_builder import EventBuilder, whole_response
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import permission_request
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.goose.tools import find_tool

_START = re.compile(r'\{\s*"(?:table|role|id|created|working_dir|description)"\s*:')
_DECLINED = re.compile(
    r"The user has declined to run this tool|was denied by the user", re.IGNORECASE
)


class _Row(EventBuilder):
    """A row of a table, or a line."""

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        table = text(fields, "table")
        self.time = time_of(fields.get("created"))
        name = text(fields, "id")
        self.record_id = f"{table or 'line'}:{name}" if name is not None else None
        if table == "sessions":
            self.rewritten_id = self.record_id


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _row_events(row: _Row) -> list[Event]:
    table = text(row.fields, "table")
    if table == "usage_ledger":
        return _ledger(row)
    if table == "sessions" or (table is None and "working_dir" in row.fields):
        return _session(row)
    if table == "messages" or (table is None and "role" in row.fields):
        return _message(row)
    return [row.unknown(table or "(none)")]


LINES = RecordDecoder(_Row, _row_events, _START)


def _session(row: _Row) -> list[Event]:
    """The row of a session, or the header of an older one."""
    fields = row.fields
    model = text(mapping(fields.get("model_config")), "model_name", "model")
    cost = real(fields, "cost", "accumulated_cost") or None
    facts = Facts(
        cwd=text(fields, "working_dir"), model=model, mode=text(fields, "goose_mode"), cost=cost
    )
    _ = fields.get("message_count"), fields.get("session_type"), fields.get("parent_id")
    events = [row.hidden("the session itself", "sessions", facts=facts)]
    title = text(fields, "name") or text(fields, "description")
    if title:
        source = TitleSource.CUSTOM if flag(fields, "user_set_name") else TitleSource.AI
        events.append(row.event("title", Title(title, source)))
    given = number(fields, "accumulated_input_tokens", "input_tokens")
    output = number(fields, "accumulated_output_tokens", "output_tokens")
    if (given or output) and not number(fields, "ledger"):
        usage = Usage(input_uncached=given, output=output)
        body = TokenUsage("session", usage, model, total=True, cost=cost)
        events.append(row.event("usage", body))
    return events


def _ledger(row: _Row) -> list[Event]:
    """Return what a request cost; the prompt is counted with what a cache gave and took."""
    fields = row.fields
    model = text(fields, "model")
    keys = ("input", "output", "cache_read", "cache_write")
    given, output, cached, written = (number(fields, f"{key}_tokens") for key in keys)
    fresh = None if given is None else max(0, given - (cached or 0) - (written or 0))
    body = TokenUsage(
        row.name, Usage(fresh, cached, written, output), model, cost=real(fields, "cost")
    )
    facts = Facts(model=model) if model is not None else None
    events = [row.event("usage", body, facts=facts)]
    if number(fields, "is_compaction"):
        events.append(row.event("compaction", Compaction(), resets=Reset.COMPACTED))
    return events


def _message(row: _Row) -> list[Event]:
    fields = row.fields
    role = text(fields, "role") or "(none)"
    metadata = mapping(fields.get("metadata"))
    if metadata.get("userVisible") is False:
        return [row.hidden("what the model alone is to see", role)]
    content = fields.get("content")
    parts = [fields_of(part) for part in items(content)]
    if isinstance(content, str) and not parts:
        parts = [{"type": "text", "text": content}]
    row.response_id = (text(fields, "message_id") or row.name) if role == "assistant" else None
    events: list[Event] = []
    words: list[str] = []
    blocks: list[Block] = []
    for at, part in enumerate(parts):
        kind = text(part, "type") or "(none)"
        if role == "user" and kind in ("text", "image"):
            block = _block(part)
            words += [block.text] if isinstance(block, TextBlock) else []
            blocks += [] if isinstance(block, TextBlock) else [block]
            continue
        make = _PARTS.get(kind)
        events.append(row.unknown(kind, f"unknown/{at}") if make is None else make(row, at, part))
        if kind == "toolRequest" and mapping(part.get("toolCall")).get("status") == "error":
            events.append(_refused(row, at, part))
    if role == "assistant":
        events = whole_response(events)
    if words or blocks:
        events.append(row.event("prompt", spoken("\n".join(words), tuple(blocks))))
    return events or [row.hidden("a message without words", role)]


def _text(row: _Row, at: int, part: Fields) -> Event:
    return row.event(f"text/{at}", Message(text(part, "text") or ""))


def _image(row: _Row, at: int, part: Fields) -> Event:
    return row.event(f"image/{at}", Message("", (_block(part),)))


def _thought(row: _Row, at: int, part: Fields) -> Event:
    said = text(part, "thinking", "text") or ""
    return row.event(f"thought/{at}", Reasoning(said, withheld=not said))


def _request(row: _Row, at: int, part: Fields) -> Event:
    call = mapping(part.get("toolCall"))
    value = mapping(call.get("value")) or call
    name = text(value, "name") or ""
    arguments = value.get("arguments")
    body = tool_call(
        call_id=call_id_of(part.get("id"), f"{row.name}/{at}"),
        name=name,
        arguments=arguments if isinstance(arguments, str) else mapping(arguments),
        raw=None
        if isinstance(arguments, str)
        else row.text_at("content", at, "toolCall", "value", "arguments"),
        spec=find_tool(name, mapping(arguments)),
    )
    return row.event(f"call/{at}", body)


def _refused(row: _Row, at: int, part: Fields) -> Event:
    """A call that could not be read."""
    error = text(mapping(part.get("toolCall")), "error") or "an invalid call"
    result = ToolResult(call_id_of(part.get("id"), f"{row.name}/{at}"), False, (), error=error)
    return row.event(f"refused/{at}", result)


def _response(row: _Row, at: int, part: Fields) -> Event:
    call_id = text(part, "id")
    if call_id is None:
        return row.unknown("toolResponse without an id", f"unknown/{at}")
    result = mapping(part.get("toolResult"))
    value = result.get("value")
    inner = mapping(value)
    listed = items_of(value) or items_of(inner.get("content"))
    blocks: list[Block] = []
    for item in listed:
        block = _block(fields_of(item))
        # The same text may be there for the model and for the person.
        if block not in blocks:
            blocks.append(block)
    failed = result.get("status") == "error" or inner.get("isError") is True
    said = "\n".join(block.text for block in blocks if isinstance(block, TextBlock))
    error = (text(result, "error") or said or "failed") if failed else None
    declined = _DECLINED.search((error or said)[:400]) is not None
    structured = inner.get("structuredContent")
    code = number(mapping(structured), "exit_code", "exitCode")
    return row.event(
        f"result/{at}",
        ToolResult(
            call_id,
            ok=not failed and not declined and code in (None, 0),
            output=tuple(blocks),
            structured=structured,
            error=error,
            denial=Denial(DeniedBy.PERSON) if declined else None,
        ),
    )


def _confirmation(row: _Row, at: int, part: Fields) -> Event:
    """The client asks whether a call may be done, or asks for words."""
    data = mapping(part.get("data")) or part
    asked = text(data, "id") or f"{row.name}/{at}"
    name = text(data, "toolName", "tool_name")
    prompt = text(data, "prompt", "message")
    question = AskQuestion(prompt or f"Allow {name or 'this call'}?", header=name)
    arguments = mapping(data.get("arguments"))
    return row.event(f"ask/{at}", permission_request(f"{asked}/ask", question, asked, arguments))


def _notification(row: _Row, at: int, part: Fields) -> Event:
    said = text(part, "msg", "message") or text(part, "type") or ""
    exhausted = text(part, "notificationType") == "creditsExhausted"
    topic = error_topic(said) if exhausted else Topic.SYSTEM
    level = Level.ERROR if exhausted else Level.INFO
    return row.event(f"note/{at}", Notification(topic, said, level))


def _too_long(row: _Row, at: int, part: Fields) -> Event:
    said = text(part, "msg") or "the context is full"
    return row.event(f"note/{at}", Notification(Topic.SYSTEM, said, Level.WARNING))


def _block(part: Fields) -> Block:
    kind = text_of(part.get("type"))
    if kind == "text":
        return TextBlock(text(part, "text") or "")
    if kind == "image":
        data = text_of(part.get("data"))
        size = len(data) * 3 // 4 - data[-2:].count("=") if data is not None else None
        return ImageBlock(text(part, "mimeType", "mime_type"), data, byte_size=size)
    if kind == "resource":
        inner = mapping(part.get("resource"))
        return ResourceBlock(
            text(inner, "uri"), media_type=text(inner, "mimeType"), text=text(inner, "text")
        )
    return JsonBlock(part)


_PARTS: Mapping[str, Callable[[_Row, int, Fields], Event]] = {
    "text": _text,
    "image": _image,
    "thinking": _thought,
    "reasoning": _thought,
    "redactedThinking": _thought,
    "toolRequest": _request,
    "frontendToolRequest": _request,
    "toolResponse": _response,
    "toolConfirmationRequest": _confirmation,
    "actionRequired": _confirmation,
    "systemNotification": _notification,
    "summarizationRequested": _too_long,
    "contextLengthExceeded": _too_long,
}
"""Makers of events by the types of parts."""
