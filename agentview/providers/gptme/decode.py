"""What happened: the events of one message of a conversation."""

import re
from collections.abc import Mapping

from agentview.domain.content import Block, ImageBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    local_time_of,
    real_of,
    said_in,
    text_of,
    whole_of,
)
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.gptme.calls import Call, parts
from agentview.providers.gptme.discovery import ROLES
from agentview.providers.gptme.tools import SPECS, exit_code

_NOTE = re.compile(r"\s*<(system|system_\w+|budget:\w+)>(.*?)(?:</\1>\s*|\Z)", re.DOTALL)
_FAILED = re.compile(r"Error(?: during execution)?:|Tool '[^'\n]*' (?:is )?not |Tool not found")
_REFUSED = re.compile(r"(?i)(?:operation |execution )?aborted\b|declined\b|user (?:chose|declined)")
_INTERRUPTED = "Interrupted by user"
_IMAGES: Mapping[str, str] = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}


class ChatMessage(EventBuilder):
    """A message, with the time of the machine that it was written on."""

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.time = local_time_of(fields.get("timestamp"))


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: ChatMessage) -> list[Event]:
    fields = record.fields
    role, content = text_of(fields.get("role")), said_in(fields.get("content"))
    if role not in ROLES or content is None:
        return [record.unknown(role or "(none)")]
    if role == "assistant":
        return _assistant(record, content)
    return _user(record, content) if role == "user" else _system(record, content)


def _user(record: ChatMessage, content: str) -> list[Event]:
    """Return what the person wrote; a note in tags is the client's."""
    note = _NOTE.fullmatch(content)
    if note is not None:
        return [record.event("note", Attachment(note[1], "note", note[2]))]
    if content.startswith("/") and len(content.split("\n")) == 1:
        name, _, args = content.partition(" ")
        return [record.event("command", SlashCommand(name, args))]
    return [record.event("prompt", User(content, _files(record.fields)))]


def _files(fields: Fields) -> tuple[Block, ...]:
    """Files that came with a message, by their names."""
    found: list[Block] = []
    for name in filter(None, map(text_of, items_of(fields.get("files")))):
        ending = name[name.rfind(".") :].lower() if "." in name else ""
        media = _IMAGES.get(ending)
        found.append(ResourceBlock(uri=name) if media is None else ImageBlock(media, uri=name))
    return tuple(found)


def _assistant(record: ChatMessage, content: str) -> list[Event]:
    """Thoughts, words and calls in the order in which the model wrote them."""
    metadata = fields_of(record.fields.get("metadata"))
    model = text_of(metadata.get("model"))
    record.facts = Facts(model=model) if model is not None else None
    record.response_id = record.name
    events: list[Event] = []
    for at, part in enumerate(parts(content)):
        if isinstance(part, Call):
            events += _call(record, part, at)
        elif part.thought:
            events.append(record.event(f"thought/{at}", Reasoning(part.text)))
        else:
            events.append(record.event(f"said/{at}", Message(part.text)))
    usage = _usage(record, metadata, model)
    return [*events, *usage] or [record.hidden("a message without words", "assistant")]


def _call(record: ChatMessage, part: Call, at: int) -> list[Event]:
    call_id = f"{record.name}/{at}" if part.call_id is None else part.call_id
    call = tool_call(
        call_id=call_id,
        name=part.name,
        arguments=part.arguments,
        raw=part.raw.encode("utf-8", "replace") if part.raw is not None else None,
        spec=SPECS.get(part.name),
    )
    events = [record.event(f"call/{at}", call)]
    if part.call_id is None:
        # A call is written once it is done; what it brought back names no call.
        events.append(record.event(f"result/{at}", ToolResult(call_id, None)))
    return events


def _usage(record: ChatMessage, metadata: Fields, model: str | None) -> list[Event]:
    """Tokens of the response; its input is recorded without what a cache gave."""
    counts = fields_of(metadata.get("usage")) or metadata
    written = counts.get("cache_creation_tokens", counts.get("cache_write_tokens"))
    given, output = whole_of(counts.get("input_tokens")), whole_of(counts.get("output_tokens"))
    if given is None and output is None:
        return []
    usage = Usage(given, whole_of(counts.get("cache_read_tokens")), whole_of(written), output)
    cost = real_of(metadata.get("cost")) or None
    return [record.event("usage", TokenUsage(record.name, usage, model, cost=cost))]


def _system(record: ChatMessage, content: str) -> list[Event]:
    """A result, a note, or instructions."""
    fields = record.fields
    metadata = fields_of(fields.get("metadata"))
    call_id = text(fields, "call_id")
    if call_id is not None:
        return [record.event("result", _result(call_id, content, _files(fields)))]
    if metadata.get("error") is True:
        head, _, rest = content.partition("\n")
        note = Notification(Topic.API_ERROR, head, Level.ERROR, rest or None)
        return [record.event("error", note)]
    if content.strip() == _INTERRUPTED:
        return [record.event("stop", Notification(Topic.INTERRUPT, content.strip()))]
    if fields.get("hide") is True or fields.get("pinned") is True:
        return [record.hidden("instructions", "system")]
    note = _NOTE.fullmatch(content)
    if note is not None:
        return [record.event("note", Attachment(note[1], "note", note[2]))]
    name = text_of(metadata.get("tool")) or "output"
    return [record.event("output", Attachment(name, "output", content))]


def _result(call_id: str, content: str, files: tuple[Block, ...]) -> ToolResult:
    refused = _REFUSED.match(content)
    failed = refused is not None or _FAILED.match(content) is not None
    code = exit_code(content)
    return ToolResult(
        call_id,
        not failed and code in (None, 0),
        (*((TextBlock(content),) if content else ()), *files),
        error=content if failed else None,
        denial=Denial(DeniedBy.PERSON) if refused is not None else None,
    )


LINES = RecordDecoder(ChatMessage, _record_events, re.compile(r'\{\s*"role"\s*:'))
