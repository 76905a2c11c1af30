"""Events of a message: a request with its prompts and results, or a response with its calls."""

import hashlib
from collections.abc import Callable, Sequence

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    REPEATED,
    Attachment,
    Compaction,
    Event,
    Level,
    Notification,
    TokenUsage,
    Topic,
    User,
)
from agentview.domain.index_entry import EventFact
from agentview.domain.usage import Usage
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import model_facts, whole_response
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.pydantic_ai.arguments import called
from agentview.providers.pydantic_ai.content import block_of, blocks_of, text_in
from agentview.providers.pydantic_ai.record import RunRecord
from agentview.providers.pydantic_ai.schema import Part
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

    __slots__ = ("at", "content", "key", "kind", "part", "record", "response_id", "time")

    def __init__(self, record: RunRecord, at: int, part: Part, response_id: str | None) -> None:
        self.record = record
        self.at = at
        self.part = part
        self.kind = part.part_kind or "(none)"
        self.content: object = record.value_of(part.content)
        self.response_id = response_id
        stamp = part.timestamp or record.said.timestamp
        self.time = time_of(stamp)
        # Times have microseconds: a part of the same time, kind and place is the same part.
        self.key = f"{stamp}/{self.kind}/{at}" if self.time is not None else None

    @property
    def suffix(self) -> str:
        return f"{self.at}"

    @property
    def said(self) -> str:
        return text_of(self.content) or ""


def message_events(record: RunRecord, *, responds: bool) -> Sequence[LightEvent]:
    """Events of a message: of a request, or of a response."""
    response_id = _response_id(record) if responds else None
    events: list[LightEvent] = []
    for at, part in enumerate(record.said.parts or ()):
        each = _Part(record, at, part or Part(), response_id)
        maker = _MAKERS.get(each.kind)
        made = maker(each) if maker else record.unknown(f"part/{each.kind}", each.suffix)
        events.append(made)
    if response_id is not None:
        events = [*whole_response(events), *_response(record, response_id)]
    events += _instructions(record)
    return events or [hidden(record, "a message without parts", "message")]


def _response_id(record: RunRecord) -> str:
    said = record.said
    stated = said.provider_response_id or said.vendor_id
    return stated or text_of(said.timestamp) or record.name


def _response(record: RunRecord, response_id: str) -> Sequence[LightEvent]:
    """Facts of a response: its model, its tokens, and whether it was broken off."""
    said = record.said
    model, at = said.model_name or None, time_of(said.timestamp)
    events: list[LightEvent] = []
    usage = usage_of(record.value_of(said.usage))
    facts = model_facts(model) if model is not None else None
    if usage is not None:
        light = record.usage_part(TokenUsage(response_id, usage, model))
        light.time, light.response, light.facts = at, response_id, facts
        events.append(light)
    elif facts is not None:
        events.append(hidden(record, "the model", "model", suffix="model", facts=facts))
    if said.state == "interrupted":
        note = Notification(Topic.INTERRUPT, "Response broken off", Level.WARNING)
        events.append(record.event("interrupted", note, time=at))
    return events


def _instructions(record: RunRecord) -> Sequence[LightEvent]:
    """Instructions go with each request: those that say the same are shown once."""
    said = record.said.instructions
    if not said:
        return []
    digest = hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=16).hexdigest()
    body = Attachment("instructions", "instructions", said)
    return [record.event("instructions", body, dedupe_key=f"instructions/{digest}")]


def _plain(part: _Part, body: User | Attachment) -> Event:
    return part.record.event(
        part.suffix, body, time=part.time, response_id=part.response_id, dedupe_key=part.key
    )


def _light(part: _Part, light: EventFact) -> EventFact:
    """A light event with what identifies the part."""
    light.time, light.response, light.dedupe = part.time, part.response_id, part.key
    return light


def _system(part: _Part) -> Event:
    return _plain(part, Attachment("system prompt", "instructions", part.said))


def _user(part: _Part) -> Event:
    others = tuple(each for each in blocks_of(part.content) if not isinstance(each, TextBlock))
    return _plain(part, spoken(text_in(part.content), others))


def _text(part: _Part) -> LightEvent:
    if not part.said.strip():
        return hidden(part.record, "a text without words", part.kind, suffix=part.suffix)
    return _light(part, part.record.text_part(part.suffix, part.said))


def _speech(part: _Part) -> LightEvent:
    said = part.part.text if part.part.transcript is None else part.part.transcript
    if said is None:
        return hidden(part.record, "speech without its text", part.kind, suffix=part.suffix)
    return _light(part, part.record.text_part(part.suffix, said))


def _thinking(part: _Part) -> LightEvent:
    withheld = not part.said.strip()
    return _light(part, part.record.thought_part(part.suffix, part.said, withheld=withheld))


def _file(part: _Part) -> LightEvent:
    return _light(part, part.record.text_part(part.suffix, "", (block_of(part.content),)))


def _compaction(part: _Part) -> Event:
    body = Compaction(summary=text_of(part.content))
    return part.record.event(part.suffix, body, time=part.time, dedupe_key=part.key)


def _call(part: _Part) -> Event:
    call = called(part.record, part.part, ("parts", part.at))
    if call is None:
        return part.record.unknown("part/tool-call without a name", part.suffix)
    return part.record.event(
        part.suffix,
        call,
        time=part.time,
        response_id=part.response_id,
        run="",
        amends=True,
        path="message",
        dedupe_key=part.key,
    )


def _result(part: _Part) -> Event:
    """An outcome; the stream has the same one, so that the first of them counts."""
    call_id = call_id_of(part.part.tool_call_id, f"{part.record.name}/{part.at}")
    body = result_of(part.record, call_id, part.part)
    return part.record.event(part.suffix, body, time=part.time, path=REPEATED)


def _retry(part: _Part) -> Event:
    """A tool that is to be tried again; without a tool it is the whole answer that is."""
    if part.part.tool_name is not None and part.part.tool_call_id is not None:
        return _result(part)
    said = reason_in(part.content)
    note = Notification(Topic.SYSTEM, "Answer refused, to be tried again", Level.WARNING, said)
    return part.record.event(part.suffix, note, time=part.time, dedupe_key=part.key)


def _aside(part: _Part) -> LightEvent:
    reason = "what the library notes for itself"
    return hidden(part.record, reason, part.kind, suffix=part.suffix)


_MAKERS: dict[str, Callable[[_Part], LightEvent]] = {
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
