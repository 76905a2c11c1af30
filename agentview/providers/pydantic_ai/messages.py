"""Events of a message: a request with its prompts and results, or a response with its calls."""

import hashlib
from collections.abc import Callable

from msgspec.structs import replace

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    REPEATED,
    Attachment,
    Compaction,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    Topic,
    User,
)
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.pydantic_ai.arguments import call_of
from agentview.providers.pydantic_ai.content import block_of, blocks_of, text_in
from agentview.providers.pydantic_ai.event_builder import RunRecord
from agentview.providers.pydantic_ai.tool_outcome import reason_in, result_of

# Tokens of a response, in the words of all generations of the library.


def usage_of(value: object) -> Usage | None:
    """Tokens of a response; None where nothing is counted.

    Up to 0.7 they are `request_tokens` and `response_tokens`, with what a cache gave in `details`;
    from 0.8 on `input_tokens` and `output_tokens`. Input counts what a cache gave and took.
    """
    fields = fields_of(value)
    details = fields_of(fields.get("details"))
    total = _first(fields, "input_tokens", "request_tokens")
    cached = _first(fields, "cache_read_tokens")
    if cached is None:
        cached = _first(
            details, "cache_read_input_tokens", "cached_tokens", "cached_content_tokens"
        )
    written = _first(fields, "cache_write_tokens")
    if written is None:
        written = _first(details, "cache_creation_input_tokens")
    reasoning = _first(fields, "output_reasoning_tokens")
    if reasoning is None:
        reasoning = _first(details, "reasoning_tokens", "thoughts_tokens")
    usage = Usage(
        input_uncached=max(total - (cached or 0) - (written or 0), 0)
        if total is not None
        else None,
        input_cached=cached,
        cache_write=written,
        output=_first(fields, "output_tokens", "response_tokens"),
        reasoning=reasoning,
    )
    return usage if usage != Usage() else None


def _first(fields: Fields, *keys: str) -> int | None:
    found = (whole_of(fields.get(key)) for key in keys)
    return next((count for count in found if count is not None), None)


class _Part:
    """A part of a message with what identifies it, also in another dump of it."""

    __slots__ = ("at", "fields", "key", "kind", "record", "response_id", "time")

    def __init__(self, record: RunRecord, at: int, part: object, response_id: str | None) -> None:
        self.record = record
        self.at = at
        self.fields = fields_of(part)
        self.kind = text_of(self.fields.get("part_kind")) or "(none)"
        self.response_id = response_id
        stamp = self.fields.get("timestamp") or record.fields.get("timestamp")
        self.time = time_of(stamp)
        # Times have microseconds: a part of the same time, kind and place is the same part.
        self.key = f"{stamp}/{self.kind}/{at}" if self.time is not None else None

    @property
    def call_id(self) -> str:
        return call_id_of(self.fields.get("tool_call_id"), f"{self.record.name}/{self.at}")

    @property
    def said(self) -> str:
        return text_of(self.fields.get("content")) or ""


def message_events(record: RunRecord) -> list[Event]:
    """Events of a message `{"kind": "request" | "response", "parts": […]}`."""
    fields = record.fields
    response_id = _response_id(record) if fields.get("kind") == "response" else None
    events: list[Event] = []
    for at, part in enumerate(items_of(fields.get("parts"))):
        each = _Part(record, at, part, response_id)
        maker = _MAKERS.get(each.kind)
        suffix = f"{at}"
        events.append(maker(each, suffix) if maker else record.unknown(f"part/{each.kind}", suffix))
    if response_id is not None:
        events = [*whole_response(events), *_response(record, response_id)]
    return events + _instructions(record) or [record.hidden("a message without parts", "message")]


def _response_id(record: RunRecord) -> str:
    stated = text(record.fields, "provider_response_id", "vendor_id")
    return stated or text_of(record.fields.get("timestamp")) or record.name


def _response(record: RunRecord, response_id: str) -> list[Event]:
    """What a response says of itself: its model, its tokens, and whether it was broken off."""
    fields = record.fields
    model = text_of(fields.get("model_name"))
    at = time_of(fields.get("timestamp"))
    events: list[Event] = []
    usage = usage_of(fields.get("usage"))
    facts = Facts(model=model) if model is not None else None
    if usage is not None:
        body = TokenUsage(response_id, usage, model)
        event = record.event("usage", body, time=at, response_id=response_id)
        events.append(replace(event, facts=facts))
    elif facts is not None:
        events.append(record.hidden("the model", "model", suffix="model", facts=facts))
    if fields.get("state") == "interrupted":
        note = Notification(Topic.INTERRUPT, "Response broken off", Level.WARNING)
        events.append(record.event("interrupted", note, time=at))
    return events


def _instructions(record: RunRecord) -> list[Event]:
    """Instructions go with each request: those that say the same are shown once."""
    said = text_of(record.fields.get("instructions"))
    if said is None:
        return []
    digest = hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=16).hexdigest()
    body = Attachment("instructions", "instructions", said)
    return [record.event("instructions", body, dedupe_key=f"instructions/{digest}")]


def _plain(part: _Part, suffix: str, body: "User | Message | Reasoning | Attachment") -> Event:
    return part.record.event(
        suffix, body, time=part.time, response_id=part.response_id, dedupe_key=part.key
    )


def _system(part: _Part, suffix: str) -> Event:
    return _plain(part, suffix, Attachment("system prompt", "instructions", part.said))


def _user(part: _Part, suffix: str) -> Event:
    content = part.fields.get("content")
    others = tuple(block for block in blocks_of(content) if not isinstance(block, TextBlock))
    return _plain(part, suffix, spoken(text_in(content), others))


def _text(part: _Part, suffix: str) -> Event:
    if not part.said.strip():
        return part.record.hidden("a text without words", part.kind, suffix=suffix)
    return _plain(part, suffix, Message(part.said))


def _speech(part: _Part, suffix: str) -> Event:
    said = text(part.fields, "transcript", "text")
    if said is None:
        return part.record.hidden("speech without its text", part.kind, suffix=suffix)
    return _plain(part, suffix, Message(said))


def _thinking(part: _Part, suffix: str) -> Event:
    return _plain(part, suffix, Reasoning(part.said, withheld=not part.said.strip()))


def _file(part: _Part, suffix: str) -> Event:
    return _plain(part, suffix, Message("", (block_of(part.fields.get("content")),)))


def _compaction(part: _Part, suffix: str) -> Event:
    body = Compaction(summary=text_of(part.fields.get("content")))
    return part.record.event(suffix, body, time=part.time, dedupe_key=part.key)


def _call(part: _Part, suffix: str) -> Event:
    call = call_of(part.record, part.fields, ("parts", part.at))
    if call is None:
        return part.record.unknown("part/tool-call without a name", suffix)
    return part.record.event(
        suffix,
        call,
        time=part.time,
        response_id=part.response_id,
        run="",
        amends=True,
        path="message",
        dedupe_key=part.key,
    )


def _result(part: _Part, suffix: str) -> Event:
    """An outcome; the stream has the same one, so that the first of them counts."""
    body = result_of(part.call_id, part.fields)
    return part.record.event(suffix, body, time=part.time, path=REPEATED)


def _retry(part: _Part, suffix: str) -> Event:
    """A tool that is to be tried again; without a tool it is the whole answer that is."""
    if part.fields.get("tool_name") is not None and part.fields.get("tool_call_id") is not None:
        return _result(part, suffix)
    said = reason_in(part.fields.get("content"))
    note = Notification(Topic.SYSTEM, "Answer refused, to be tried again", Level.WARNING, said)
    return part.record.event(suffix, note, time=part.time, dedupe_key=part.key)


def _aside(part: _Part, suffix: str) -> Event:
    return part.record.hidden("what the library notes for itself", part.kind, suffix=suffix)


_MAKERS: dict[str, Callable[[_Part, str], Event]] = {
    "system-prompt": _system,
    "instruction": _system,
    "user-prompt": _user,
    "tool-return": _result,
    "retry-prompt": _retry,
    "text": _text,
    "thinking": _thinking,
    "tool-call": _call,
    "builtin-tool-call": _call,
    "builtin-tool-return": _result,
    "file": _file,
    "speech": _speech,
    "compaction": _compaction,
    "tool-availability-delta": _aside,
}
"""Makers of events by the kind of the part (0.3 to 2.68)."""
