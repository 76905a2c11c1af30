"""What happened: the events of one message of a conversation."""

import re
from collections.abc import Mapping, Sequence

from agentview.domain.content import Block, ImageBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Level,
    Notification,
    SlashCommand,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import local_time_of, real_of, said_in, text_of, whole_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import model_facts
from agentview.providers._kit.result_text import refusal
from agentview.providers._kit.speakers import Form, divided, spoken_events
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.gptme.calls import Call, parts
from agentview.providers.gptme.schema import Line, Metadata
from agentview.providers.gptme.tools import SPECS, exit_code

_FORMS = (
    Form(
        "system",
        re.compile(r"\s*+<(?P<name>system|system_\w+|budget:\w+)>.*?(?:</\1>\s*|\Z)", re.DOTALL),
    ),
)
"""Notes of the client, in messages of the person or of its own."""
_FAILED = re.compile(r"Error(?: during execution)?:|Tool '[^'\n]*' (?:is )?not |Tool not found")
_REFUSALS = (
    (
        r"(?i)(?:operation |execution )?aborted\b|declined\b|user (?:chose|declined)",
        DeniedBy.PERSON,
    ),
)
_INTERRUPTED = "Interrupted by user"
_IMAGES: Mapping[str, str] = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
_NO_METADATA = Metadata()


class ChatMessage(TypedBuilder[Line], gc=False):
    """A message, with the time of the machine that it was written on."""

    words: str = ""

    @property
    def metadata(self) -> Metadata:
        return self.record.metadata or _NO_METADATA


def _message(record: Line, raw: bytes, source: SourceRef, session: SessionRef) -> ChatMessage:
    return ChatMessage.of(record, raw, source, session, time=local_time_of(record.timestamp))


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


RECORDS = Records[ChatMessage](hidden={})


def _record_events(record: ChatMessage) -> Sequence[LightEvent]:
    own, content = record.record, record.record.content
    if isinstance(content, list):
        content = said_in([record.value_of(each) for each in content])
    if content is None:
        return [record.unknown(own.role or "(none)")]
    record.words = content
    return RECORDS(record, own.role)


LINES = TypedLines(Line, _message, _record_events, re.compile(r'\{\s*"role"\s*:'))


@RECORDS.on("user")
def _user(record: ChatMessage) -> Sequence[LightEvent]:
    """Return the words of the person, and the texts of the client in the person's place."""
    content = record.words
    if content.startswith("/") and "\n" not in content:
        name, _, args = content.partition(" ")
        return [record.event("command", SlashCommand(name, args))]
    return spoken_events(record, divided(content, _FORMS), _files(record))


def _files(record: ChatMessage) -> tuple[Block, ...]:
    """Files that came with a message, by their names."""
    found: list[Block] = []
    for name in filter(None, map(text_of, record.record.files or ())):
        ending = name[name.rfind(".") :].lower() if "." in name else ""
        media = _IMAGES.get(ending)
        found.append(ResourceBlock(uri=name) if media is None else ImageBlock(media, uri=name))
    return tuple(found)


@RECORDS.on("assistant")
def _assistant(record: ChatMessage) -> Sequence[LightEvent]:
    """Thoughts, words and calls in the order in which the model wrote them."""
    model = record.metadata.model
    record.facts = model_facts(model) if model else None
    record.response_id = record.name
    events: list[LightEvent] = []
    for at, part in enumerate(parts(record.words)):
        if isinstance(part, Call):
            events += _call(record, part, at)
        elif part.thought:
            events.append(record.thought_part(f"thought/{at}", part.text))
        else:
            events.append(record.text_part(f"said/{at}", part.text))
    events += _usage(record, record.metadata)
    return events or [hidden(record, "a message without words", "assistant")]


def _call(record: ChatMessage, part: Call, at: int) -> Sequence[LightEvent]:
    call_id = f"{record.name}/{at}" if part.call_id is None else part.call_id
    call = record.call_event(f"call/{at}", call_id, _known(part.name), _whole_call, (call_id, part))
    if part.call_id is not None:
        return [call]
    # A call is written once it is done; what it brought back names no call.
    return [call, record.event(f"result/{at}", ToolResult(call_id, None))]


_known = known_calls(SPECS.get)


def _whole_call(call_id: str, part: Call) -> ToolCall:
    return tool_call(
        call_id=call_id,
        name=part.name,
        arguments=part.arguments,
        raw=part.raw.encode("utf-8", "replace") if part.raw is not None else None,
        spec=SPECS.get(part.name),
    )


def _usage(record: ChatMessage, own: Metadata) -> Sequence[LightEvent]:
    """Tokens of the response."""
    counts = own if own.usage is None else own.usage
    given, output = whole_of(counts.input_tokens), whole_of(counts.output_tokens)
    if given is None and output is None:
        return []
    written = counts.cache_creation_tokens
    written = counts.cache_write_tokens if written is None else written
    usage = Usage(given, whole_of(counts.cache_read_tokens), whole_of(written), output)
    cost = real_of(own.cost) or None
    return [record.usage_part(TokenUsage(record.name, usage, own.model or None, cost=cost))]


@RECORDS.on("system")
def _system(record: ChatMessage) -> Sequence[LightEvent]:
    """A result, a note, or instructions."""
    own, content = record.record, record.words
    if (call_id := as_text(own.call_id)) is not None:
        return [_result(record, call_id)]
    if record.metadata.error is True:
        head, _, rest = content.partition("\n")
        note = Notification(Topic.API_ERROR, head, Level.ERROR, rest or None)
        return [record.event("error", note)]
    if content.strip() == _INTERRUPTED:
        return [record.event("stop", Notification(Topic.INTERRUPT, content.strip()))]
    if own.hide is True or own.pinned is True:
        return [hidden(record, "instructions", "system")]
    found = divided(content, _FORMS)
    if found.notes and not found.words.strip():
        return spoken_events(record, found)
    name = record.metadata.tool or "output"
    return [record.event("output", Attachment(name, "output", content))]


def _result(record: ChatMessage, call_id: str) -> LightEvent:
    content = record.words
    denial = refusal(content, _REFUSALS)
    failed = denial is not None or _FAILED.match(content) is not None
    ok = not failed and exit_code(content) in (None, 0)
    made = (call_id, ok, content, _files(record), failed, denial)
    return record.result_part("result", call_id, _whole_result, made, failed=not ok)


def _whole_result(
    call_id: str,
    ok: bool,
    content: str,
    files: tuple[Block, ...],
    failed: bool,
    denial: Denial | None,
) -> ToolResult:
    return ToolResult(
        call_id,
        ok,
        (*((TextBlock(content),) if content else ()), *files),
        error=content if failed else None,
        denial=denial,
    )
