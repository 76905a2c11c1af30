"""What happened: the events of a message of a thread, or of what is around the messages."""

import re

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import (
    Body,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Title,
    TitleSource,
    TokenUsage,
    ToolProgress,
    ToolResult,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy, ToolState
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping, number, text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    parts_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.normalize.project_path import project_path
from agentview.providers._kit.event_builder import EventBuilder, whole_response
from agentview.providers._kit.json_documents import document_events
from agentview.providers._kit.json_line import RecordDecoder
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.message_parts import in_order
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.amp.tools import SPECS

_BEGIN = re.compile(r'\{\s*"(?:role|messageId|v|id|created)"\s*:')
_WAITING = ("in-progress", "blocked-on-user", "queued")
_FENCE = re.compile(r"```\w*\n(.*)\n```\s*", re.DOTALL)


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    return document_events(record, source, session, FORM, _around)


def _record_events(record: EventBuilder) -> list[Event]:
    fields = record.fields
    role = text_of(fields.get("role"))
    if role is None:
        return _around(record) if "messages" in fields else [record.unknown("(none)")]
    number_of = whole_of(fields.get("messageId"))
    record.record_id = f"m{number_of}" if number_of is not None else None
    usage = fields_of(fields.get("usage"))
    record.time = time_of(fields_of(fields.get("meta")).get("sentAt"))
    record.time = record.time or time_of(usage.get("timestamp"))
    if role == "assistant":
        record.response_id = record.record_id or record.name
        model = text_of(usage.get("model"))
        record.facts = Facts(model=model) if model is not None else None
    elif role not in ("user", "info"):
        return [record.unknown(f"message/{role}")]
    events = _parts(record, role) + _usage(record, usage) + _state(record)
    return events or [record.hidden("a message without words", role)]


def _parts(record: EventBuilder, role: str) -> list[Event]:
    content = map(fields_of, parts_of(record.fields.get("content")))
    parts = (_part(record, at, part) for at, part in enumerate(content))

    def say(suffix: str, words: list[str], blocks: tuple[Block, ...]) -> Event:
        said = "\n".join(words)
        body = spoken(said, blocks) if role == "user" else Message(said, blocks)
        if role == "info":
            body = Notification(Topic.SYSTEM, said)
        return record.event(suffix, body)

    events = in_order(parts, say, merged=role != "assistant")
    state = fields_of(record.fields.get("state"))
    return whole_response(events) if state.get("type") == "complete" else events


def _part(record: EventBuilder, at: int, part: Fields) -> Event | Block | str:
    kind = text_of(part.get("type"))
    if kind in ("thinking", "redacted_thinking"):
        thought = text_of(part.get("thinking"))
        return record.event(f"thought/{at}", Reasoning(thought or "", withheld=thought is None))
    if kind == "tool_use":
        return record.event(f"call/{at}", _call(record, at, part))
    if kind == "tool_result":
        return record.event(f"result/{at}", _result(record, at, part))
    return text_of(part.get("text")) or "" if kind == "text" else _block(part)


def _block(part: Fields) -> Block:
    source = fields_of(part.get("source"))
    if part.get("type") == "image":
        media = text_of(source.get("mediaType")) or text_of(source.get("media_type"))
        uri = text_of(source.get("url")) or text_of(part.get("sourcePath"))
        return ImageBlock(media, text_of(source.get("data")), uri)
    return JsonBlock(part)


def _call(record: EventBuilder, at: int, part: Fields) -> Body:
    name = text_of(part.get("name")) or "(none)"
    streaming = part.get("complete") is False
    return tool_call(
        call_id=call_id_of(part.get("id"), f"{record.name}/{at}"),
        name=name,
        arguments=fields_of(part.get("input")),
        raw=record.text_at("content", at, "input"),
        spec=SPECS.get(name),
        state=ToolState.INPUT_STREAMING if streaming else ToolState.INPUT_AVAILABLE,
    )


def _result(record: EventBuilder, at: int, part: Fields) -> Body:
    """The outcome of a call, or what it has done so far."""
    run = fields_of(part.get("run"))
    call_id = call_id_of(part.get("toolUseID"), f"{record.name}/{at}")
    status = text_of(run.get("status")) or ""
    result, error = run.get("result", run.get("progress")), run.get("error")
    structured = mapping(result)
    words = result if isinstance(result, str) else text(structured, "output", "diff", "content")
    if status in _WAITING:
        return ToolProgress(call_id, words or "")
    fenced = _FENCE.fullmatch(words) if words is not None else None
    words = fenced[1] if fenced is not None else words
    code = number(structured, "exitCode", "exit_code")
    ok = status == "done" if status else None
    said = text(fields_of(error), "message") or as_text(error) or text_of(run.get("reason"))
    blocks: tuple[Block, ...] = (TextBlock(words),) if words else ()
    if not words and result is not None:
        blocks = tuple(
            TextBlock(item) if isinstance(item, str) else JsonBlock(item)
            for item in (items_of(result) or [result])
        )
    refused = status in ("rejected-by-user", "rejected")
    return ToolResult(
        call_id,
        False if code not in (None, 0) else ok,
        blocks,
        structured=structured or None,
        error=said if ok is False and not refused else None,
        denial=Denial(DeniedBy.PERSON, said) if refused else None,
        interrupted=status == "cancelled",
    )


def _usage(record: EventBuilder, fields: Fields) -> list[Event]:
    given, output = whole_of(fields.get("inputTokens")), whole_of(fields.get("outputTokens"))
    if given is None and output is None:
        return []
    usage = Usage(
        given,
        whole_of(fields.get("cacheReadInputTokens")),
        whole_of(fields.get("cacheCreationInputTokens")),
        output,
    )
    name = record.response_id or record.name
    return [record.event("usage", TokenUsage(name, usage, text_of(fields.get("model"))))]


def _state(record: EventBuilder) -> list[Event]:
    """How a response ended, where it did not end as it should."""
    state = fields_of(record.fields.get("state"))
    kind = text_of(state.get("type"))
    if kind == "cancelled":
        body = Notification(Topic.INTERRUPT, "Interrupted", Level.WARNING)
        return [record.event("state", body)]
    if kind == "error":
        error = fields_of(state.get("error"))
        words = text(error, "message") or as_text(state.get("error")) or "The request failed"
        body = Notification(error_topic(words), words, Level.ERROR)
        return [record.event("state", body)]
    return []


def _around(record: EventBuilder) -> list[Event]:
    """Return what is in front of the messages, or behind them."""
    fields = record.fields
    initial = fields_of(fields_of(fields.get("env")).get("initial"))
    tree = fields_of(next(iter(items_of(initial.get("trees"))), None))
    uri = text_of(tree.get("uri")) or ""
    reference = text_of(fields_of(tree.get("repository")).get("ref")) or ""
    facts = Facts(
        cwd=project_path(uri) or None,
        branch=reference.removeprefix("refs/heads/") or None,
        mode=text_of(fields.get("agentMode")),
        client_version=text_of(fields_of(initial.get("platform")).get("clientVersion")),
    )
    record.time = time_of(fields.get("created"))
    known = facts if facts != Facts() else None
    events = [record.hidden("what is around the messages", "thread", facts=known)]
    title = text_of(fields.get("title"))
    if title is not None:
        events.append(record.event("title", Title(title, TitleSource.AI)))
    return events


FORM = RecordDecoder(EventBuilder, _record_events, _BEGIN)
