"""Events of one row of a session, or of one line of an older one."""

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import UNSET

from agentview.domain.content import Block, JsonBlock, ResourceBlock, TextBlock
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
from agentview.domain.index_entry import Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tool_inputs import AskQuestion
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, flag, mapping, number, real, text
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, time_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.images import picture, sized
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import permission_request
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    MESSAGE,
    REASONING,
    LightEvent,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.goose.schema import Asked, Attempt, Part, Row
from agentview.providers.goose.tools import find_tool

_START = re.compile(r'\{\s*"(?:table|role|id|created|working_dir|description)"\s*:')
_DECLINED = re.compile(
    r"The user has declined to run this tool|was denied by the user", re.IGNORECASE
)


_EDITOR = "text_editor"
"""A tool whose arguments say what a call does."""
_SAID = ("text", "image")
"""Parts of a prompt."""


class GooseRow(TypedBuilder[Row], gc=False):
    """A row of a table, or a line."""


def _row(record: Row, raw: bytes, source: SourceRef, session: SessionRef) -> GooseRow:
    table, name = as_text(record.table), as_text(record.id)
    own = f"{table or 'line'}:{name}" if name is not None else None
    return GooseRow.of(
        record, raw, source, session, time=time_of(record.created), record_id=own,
        rewritten_id=own if table == "sessions" else None,
    )  # fmt: skip


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


def _row_events(row: GooseRow) -> Sequence[LightEvent]:
    own = row.record
    table = as_text(own.table)
    if table == "usage_ledger":
        return _ledger(row)
    if table == "sessions" or (table is None and own.working_dir is not UNSET):
        return _session(row)
    if table == "messages" or (table is None and own.role is not UNSET):
        return _message(row)
    return [row.unknown(table or "(none)")]


LINES = TypedLines(Row, _row, _row_events, _START)


def _session(row: GooseRow) -> Sequence[LightEvent]:
    """The row of a session, or the header of an older one."""
    fields = row.fields
    model = text(mapping(fields.get("model_config")), "model_name", "model")
    cost = real(fields, "cost", "accumulated_cost") or None
    facts = Facts(
        cwd=text(fields, "working_dir"), model=model, mode=text(fields, "goose_mode"), cost=cost
    )
    _ = fields.get("message_count"), fields.get("session_type"), fields.get("parent_id")
    events: list[LightEvent] = [hidden(row, "the session itself", "sessions", facts=facts)]
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


def _ledger(row: GooseRow) -> Sequence[LightEvent]:
    """Return the cost of a request; the prompt includes tokens read from and written to a cache."""
    fields = row.fields
    model = text(fields, "model")
    keys = ("input", "output", "cache_read", "cache_write")
    given, output, cached, written = (number(fields, f"{key}_tokens") for key in keys)
    fresh = None if given is None else max(0, given - (cached or 0) - (written or 0))
    body = TokenUsage(
        row.name, Usage(fresh, cached, written, output), model, cost=real(fields, "cost")
    )
    facts = Facts(model=model) if model is not None else None
    events: list[LightEvent] = [row.event("usage", body, facts=facts)]
    if number(fields, "is_compaction"):
        events.append(row.event("compaction", Compaction(), resets=Reset.COMPACTED))
    return events


def _message(row: GooseRow) -> Sequence[LightEvent]:
    own = row.record
    role = (as_text(own.role) if own.role is not UNSET else None) or "(none)"
    if own.metadata is not None and own.metadata.user_visible is False:
        return [hidden(row, "what the model alone is to see", role)]
    row.response_id = (as_text(own.message_id) or row.name) if role == "assistant" else None
    parts = [Part("text", text=own.content)] if isinstance(own.content, str) else own.content or []
    events: list[LightEvent] = []
    words: list[str] = []
    blocks: list[Block] = []
    for at, part in enumerate(each or Part() for each in parts):
        kind = as_text(part.type) or "(none)"
        if role != "user" or kind not in _SAID:
            events += _part(row, at, kind, part)
        elif kind == "text":
            words.append(as_text(part.text) or "")
        else:
            blocks.append(_block(row.values_at("content", at)))
    if role == "assistant":
        events = whole_response(events)
    if words or blocks:
        events.append(row.event("prompt", spoken("\n".join(words), tuple(blocks))))
    return events or [hidden(row, "a message without words", role)]


def _part(row: GooseRow, at: int, kind: str, part: Part) -> Sequence[LightEvent]:
    """Events of a part of a message that is not what the person wrote."""
    if kind == "text":
        said = (as_text(part.text) or "", ())
        return [row.part(f"text/{at}", MESSAGE, 0, Message, said, signal=Signal.PERSON)]
    if kind in _THOUGHTS:
        said = as_text(part.text if part.thinking is None else part.thinking) or ""
        made = (said, not said)
        return [row.part(f"thought/{at}", REASONING, 0, Reasoning, made, signal=Signal.AGENT)]
    if kind in _REQUESTS:
        return _request(row, at, part)
    if kind == "toolResponse":
        return [_response(row, at, part)]
    make = _PARTS.get(kind)
    return [
        row.unknown(kind, f"unknown/{at}")
        if make is None
        else make(row, at, row.values_at("content", at))
    ]


def _image(row: GooseRow, at: int, part: Fields) -> Event:
    return row.event(f"image/{at}", Message("", (_block(part),)))


def _request(row: GooseRow, at: int, part: Part) -> Sequence[LightEvent]:
    """A call; one that could not be read has its result with it."""
    attempt, own = part.tool_call or Attempt(), as_text(part.id)
    call_id = f"{row.name}/{at}" if own is None else own
    name = as_text(attempt.asked.name) or ""
    made = (row, call_id, name, attempt.asked, at)
    events = [row.call_event(f"call/{at}", call_id, _known(name), _call, made)]
    if attempt.status == "error" and as_text(part.type) == "toolRequest":
        error = as_text(attempt.error) or "an invalid call"
        events.append(row.event(f"refused/{at}", ToolResult(call_id, False, (), error=error)))
    return events


_known = known_calls(lambda name: None if name.endswith(_EDITOR) else find_tool(name, {}))


def _call(row: GooseRow, call_id: str, name: str, asked: Asked, at: int) -> ToolCall:
    given = row.value_of(asked.arguments)
    exact = row.exact(asked.arguments, "content", at, "toolCall", "value", "arguments")
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=given if isinstance(given, str) else mapping(given),
        raw=None if isinstance(given, str) else exact or None,
        spec=find_tool(name, mapping(given)),
    )


def _response(row: GooseRow, at: int, part: Part) -> Event:
    call_id = as_text(part.id)
    if call_id is None:
        return row.unknown("toolResponse without an id", f"unknown/{at}")
    result = mapping(row.value_of(part.tool_result))
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


def _confirmation(row: GooseRow, at: int, part: Fields) -> Event:
    """The client asks whether a call may be done, or asks for words."""
    data = mapping(part.get("data")) or part
    asked = text(data, "id") or f"{row.name}/{at}"
    name = text(data, "toolName", "tool_name")
    prompt = text(data, "prompt", "message")
    question = AskQuestion(prompt or f"Allow {name or 'this call'}?", header=name)
    arguments = mapping(data.get("arguments"))
    return row.event(f"ask/{at}", permission_request(f"{asked}/ask", question, asked, arguments))


def _notification(row: GooseRow, at: int, part: Fields) -> Event:
    said = text(part, "msg", "message") or text(part, "type") or ""
    exhausted = text(part, "notificationType") == "creditsExhausted"
    topic = error_topic(said) if exhausted else Topic.SYSTEM
    level = Level.ERROR if exhausted else Level.INFO
    return row.event(f"note/{at}", Notification(topic, said, level))


def _too_long(row: GooseRow, at: int, part: Fields) -> Event:
    said = text(part, "msg") or "the context is full"
    return row.event(f"note/{at}", Notification(Topic.SYSTEM, said, Level.WARNING))


def _block(part: Fields) -> Block:
    kind = text_of(part.get("type"))
    if kind == "text":
        return TextBlock(text(part, "text") or "")
    if kind == "image":
        return sized(picture(part))
    if kind == "resource":
        inner = mapping(part.get("resource"))
        return ResourceBlock(
            text(inner, "uri"), media_type=text(inner, "mimeType"), text=text(inner, "text")
        )
    return JsonBlock(part)


_THOUGHTS = frozenset({"thinking", "reasoning", "redactedThinking"})
_REQUESTS = frozenset({"toolRequest", "frontendToolRequest"})
_PARTS: Mapping[str, Callable[[GooseRow, int, Fields], Event]] = {
    "image": _image,
    "toolConfirmationRequest": _confirmation,
    "actionRequired": _confirmation,
    "systemNotification": _notification,
    "summarizationRequested": _too_long,
    "contextLengthExceeded": _too_long,
}
"""Makers of events by the types of other parts."""
