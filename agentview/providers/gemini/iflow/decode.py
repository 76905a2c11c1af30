"""What happened: the events of one record."""

from typing import cast

from msgspec.structs import replace

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import (
    OPEN,
    Event,
    Facts,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import number, text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    parts_of,
    text_of,
    time_of,
)
from agentview.providers._kit.event_builder import EventBuilder, whole_response
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.gemini.iflow.tools import SPECS
from agentview.providers.gemini.shared.content import injected, media_block
from agentview.providers.gemini.shared.event_builder import RECORD_START
from agentview.providers.gemini.shared.tool_outcome import result_of
from agentview.providers.gemini.shared.tools import kind_of, make_call


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: EventBuilder) -> list[Event]:
    fields = record.fields
    kind = text_of(fields.get("type")) or "(none)"
    message = fields_of(fields.get("message"))
    if kind not in ("user", "assistant") or not message:
        return [record.unknown(kind)]
    record.record_id = text_of(fields.get("uuid"))
    record.parent_id = text_of(fields.get("parentUuid"))
    record.time = time_of(fields.get("timestamp"))
    facts = Facts(
        cwd=text_of(fields.get("cwd")),
        branch=text_of(fields.get("gitBranch")),
        model=text_of(message.get("model")),
    )
    record.facts = facts if facts != Facts() else None
    content = message.get("content")
    parts = parts_of(content)
    make = _said_by_model if kind == "assistant" else _said_by_person
    events = make(record, message, [fields_of(part) for part in parts])
    return events or [record.hidden("a message without content", kind)]


LINES = RecordDecoder(EventBuilder, _record_events, RECORD_START, discovery_keys=("sessionId",))


def _said_by_person(record: EventBuilder, message: Fields, parts: list[Fields]) -> list[Event]:
    """A prompt, or the results of calls."""
    _ = message
    events: list[Event] = []
    words: list[str] = []
    blocks: list[Block] = []
    for at, part in enumerate(parts):
        kind = text_of(part.get("type"))
        if kind == "tool_result":
            events += _answered(record, at, part)
        elif kind == "text":
            words.append(text_of(part.get("text")) or "")
        else:
            blocks.append(_block(part))
    said = "\n".join(words)
    reason = injected(said) if said.strip() else None
    if reason is not None:
        events.insert(0, record.hidden(f"context that the client put in: {reason}", "user"))
    elif said.strip() or blocks:
        events.insert(0, record.event("prompt", spoken(said, tuple(blocks))))
    return events


def _block(part: Fields) -> Block:
    source = fields_of(part.get("source"))
    if text_of(part.get("type")) == "image" and source:
        return ImageBlock(text(source, "media_type") or "", text_of(source.get("data")))
    return media_block(part) or JsonBlock(part)


def _answered(record: EventBuilder, at: int, part: Fields) -> list[Event]:
    """The outcome of a call: what the model got is in the words of the vendor's interface."""
    content = part.get("content")
    inner = fields_of(content)
    listed = inner.get("responseParts")
    responses = [cast("object", listed)] if fields_of(listed) else items_of(listed)
    recorded = fields_of(record.fields.get("toolUseResult"))
    call_id = call_id_of(part.get("tool_use_id"), f"{record.name}/{at}")
    status = text_of(recorded.get("status"))
    found = result_of(
        call_id,
        cast("object", responses) if inner else content,
        kind=kind_of(text_of(recorded.get("toolName")) or "", SPECS),
        status="error" if part.get("is_error") is True and status is None else status,
        display=part.get("resultDisplay") or inner.get("resultDisplay"),
    )
    if isinstance(content, str) and not found.output:
        found = _of_text(found, content)
    events = [record.event(f"result/{at}", found)]
    if status == "cancelled":
        # The person stopped or refused it, and the model is not asked again.
        stopped = Notification(Topic.INTERRUPT, "A call was cancelled")
        events.append(record.event(f"stopped/{at}", stopped))
    return events


def _of_text(found: ToolResult, content: str) -> ToolResult:
    ok = True if found.ok is None else found.ok
    error = found.error or (content if not ok else None)
    return replace(found, ok=ok, output=(TextBlock(content),), error=error)


def _said_by_model(record: EventBuilder, message: Fields, parts: list[Fields]) -> list[Event]:
    """Return what the model said, thought and called; a call is on the record behind it again."""
    record.response_id = text_of(message.get("id"))
    events: list[Event] = []
    for at, part in enumerate(parts):
        kind = text_of(part.get("type"))
        if kind == "text":
            words = text_of(part.get("text")) or ""
            events += [record.event(f"text/{at}", Message(words))] if words.strip() else []
        elif kind in ("thinking", "redacted_thinking"):
            thought = text_of(part.get("thinking"))
            body = Reasoning(thought or "", withheld=thought is None)
            events.append(record.event(f"thought/{at}", body))
        elif kind == "tool_use":
            events.append(_called(record, at, part))
        else:
            events.append(record.event(f"block/{at}", Message("", (_block(part),))))
    events = whole_response(events)
    usage = _usage(fields_of(message.get("usage")))
    if usage is not None:
        body = TokenUsage(record.response_id or record.name, usage, text_of(message.get("model")))
        events.append(record.event("usage", body))
    return events


def _called(record: EventBuilder, at: int, part: Fields) -> Event:
    call_id = call_id_of(part.get("id"), f"{record.name}/{at}")
    name, given = text_of(part.get("name")) or "(none)", part.get("input")
    raw = record.text_at("message", "content", at, "input")
    body = make_call(call_id, name, given, SPECS.get(name), raw=raw)
    return record.event(f"call/{at}", body, path=OPEN)


def _usage(fields: Fields) -> Usage | None:
    """The tokens of a response; None where all are 0, as they are where nothing counts them."""
    given, said, cached = (
        number(fields, key) for key in ("input_tokens", "output_tokens", "cache_read_input_tokens")
    )
    if not given and not said:
        return None
    return Usage(given, cached, output=said)
