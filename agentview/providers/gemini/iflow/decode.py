"""Events of one record."""

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from agentview.domain.content import Block as Content
from agentview.domain.content import ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import OPEN, Event, Facts, Notification, ToolResult, Topic
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import fields_of, items_of, parts_of, time_of, whole_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, TypedLines, hidden, read_as
from agentview.providers.gemini.iflow.schema import (
    Answer,
    Block,
    Message,
    Outcome,
    Record,
    Source,
)
from agentview.providers.gemini.iflow.tools import SPECS
from agentview.providers.gemini.shared.content import injected, media_block
from agentview.providers.gemini.shared.event_builder import RECORD_START, GeminiBuilder
from agentview.providers.gemini.shared.schema import ContentPart
from agentview.providers.gemini.shared.tool_outcome import answer_in, result_of, went_well
from agentview.providers.gemini.shared.tools import kind_of, make_call
from agentview.providers.gemini.shared.usage import PrintedTokens

_EMPTY, _NO_OUTCOME = Message(), Outcome()


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


class IflowRecord(GeminiBuilder[Record], gc=False):
    """A message of the person or of the model."""


def _record(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> IflowRecord:
    return IflowRecord(record, raw, source, session, session.session_id, session.stream)


@lru_cache(maxsize=256)
def _facts(cwd: str | None, branch: str | None, model: str | None) -> Facts | None:
    return Facts(cwd or None, branch or None, model or None) if cwd or branch or model else None


def _record_events(record: IflowRecord) -> Sequence[LightEvent]:
    own, message = record.record, record.record.message
    kind = own.type or "(none)"
    if kind not in ("user", "assistant") or message is None or message == _EMPTY:
        return [record.unknown(kind)]
    record.record_id, record.parent_id = own.uuid or None, own.parent_uuid or None
    record.time = time_of(own.timestamp)
    record.facts = _facts(own.cwd, own.git_branch, message.model)
    parts = parts_of(record.value_of(message.content))
    said = (
        _said_by_person(record, parts) if kind == "user" else _said_by_model(record, message, parts)
    )
    return said or [hidden(record, "a message without content", kind)]


LINES = TypedLines(Record, _record, _record_events, RECORD_START)


def _said_by_person(record: IflowRecord, parts: list[object]) -> list[LightEvent]:
    """A prompt, or the results of calls."""
    events: list[LightEvent] = []
    words: list[str] = []
    blocks: list[Content] = []
    for at, part in enumerate(parts):
        block = read_as(part, Block)
        if block.type == "tool_result":
            events += _answered(record, at, block)
        elif block.type == "text":
            words.append(block.text or "")
        else:
            blocks.append(_shown(part, block))
    said = "\n".join(words)
    reason = injected(said) if said.strip() else None
    if reason is not None:
        events.insert(0, hidden(record, f"context that the client put in: {reason}", "user"))
    elif said.strip() or blocks:
        events.insert(0, record.event("prompt", spoken(said, tuple(blocks))))
    return events


def _shown(part: object, block: Block) -> Content:
    if block.type == "image" and fields_of(block.source):
        source = read_as(block.source, Source)
        return ImageBlock(as_text(source.media_type) or "", source.data or None)
    return media_block(read_as(part, ContentPart)) or JsonBlock(fields_of(part))


def _answered(record: IflowRecord, at: int, block: Block) -> list[LightEvent]:
    """The outcome of a call: what the model got is in the words of the vendor's interface."""
    recorded = record.record.tool_use_result or _NO_OUTCOME
    call_id = f"{record.name}/{at}" if block.tool_use_id is None else block.tool_use_id
    status, kind = recorded.status or None, kind_of(recorded.tool_name or "", SPECS)
    if block.is_error and status is None:
        status = "error"
    ok = went_well(status, kind, answer_in(_responses(read_as(block.content, Answer))))
    made = (call_id, block, status, kind)
    events = [record.result(f"result/{at}", call_id, ok, _result, made)]
    if recorded.status == "cancelled":
        # The person stopped or refused it, and the model is not asked again.
        stopped = Notification(Topic.INTERRUPT, "A call was cancelled")
        events.append(record.event(f"stopped/{at}", stopped))
    return events


def _responses(answer: Answer) -> list[object]:
    listed = answer.response_parts
    return [listed] if fields_of(listed) else items_of(listed)


def _result(call_id: str, block: Block, status: str | None, kind: ToolKind) -> ToolResult:
    content = block.content
    answer = read_as(content, Answer)
    found = result_of(
        call_id,
        _responses(answer) if fields_of(content) else content,
        kind=kind,
        status=status,
        display=block.result_display or answer.result_display,
    )
    return _of_text(found, content) if isinstance(content, str) and not found.output else found


def _of_text(found: ToolResult, content: str) -> ToolResult:
    ok = True if found.ok is None else found.ok
    error = found.error or (content if not ok else None)
    return replace(found, ok=ok, output=(TextBlock(content),), error=error)


def _said_by_model(record: IflowRecord, message: Message, parts: list[object]) -> list[LightEvent]:
    """Return the model's words, thoughts and calls; a call is on the record behind it again."""
    record.response_id = message.id or None
    events: list[LightEvent] = []
    for at, part in enumerate(parts):
        block = read_as(part, Block)
        if block.type == "text":
            words = block.text or ""
            events += [record.text_part(f"text/{at}", words)] if words.strip() else []
        elif block.type in ("thinking", "redacted_thinking"):
            thought = block.thinking or ""
            events.append(record.thought_part(f"thought/{at}", thought, withheld=not thought))
        elif block.type == "tool_use":
            events.append(_called(record, at, block))
        else:
            events.append(record.text_part(f"block/{at}", "", (_shown(part, block),)))
    events = whole_response(events)
    usage = _usage(message.usage) if message.usage is not None else None
    if usage is not None:
        response = record.response_id or record.name
        events.append(record.used(response, usage, message.model or None))
    return events


def _called(record: IflowRecord, at: int, block: Block) -> LightEvent:
    call_id = f"{record.name}/{at}" if block.id is None else block.id
    made = (record, at, block, call_id, block.name or "(none)")
    return record.call(f"call/{at}", call_id, _known(made[-1]), _call, made, path=OPEN)


_known = known_calls(SPECS.get)


def _call(record: IflowRecord, at: int, block: Block, call_id: str, name: str) -> ToolCall:
    raw = record.text_at("message", "content", at, "input")
    return make_call(call_id, name, block.input, SPECS.get(name), raw=raw)


def _usage(counts: PrintedTokens) -> Usage | None:
    """The tokens of a response; None where all are 0, as they are where nothing counts them."""
    given, said = whole_of(counts.input_tokens), whole_of(counts.output_tokens)
    if not given and not said:
        return None
    return Usage(given, whole_of(counts.cache_read_input_tokens), output=said)
