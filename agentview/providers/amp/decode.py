"""Events of a message of a thread, or of the document around the messages."""

import re
from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import (
    Body,
    Facts,
    Level,
    Notification,
    Title,
    TitleSource,
    TokenUsage,
    ToolProgress,
    ToolResult,
    Topic,
)
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolState
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping, number, text
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.normalize.project_path import project_path
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.images import picture
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.message_parts import in_order
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, hidden
from agentview.providers.amp.schema import (
    Environment,
    Initial,
    Meta,
    Part,
    Platform,
    Record,
    Repository,
    State,
    Tokens,
    Tree,
)
from agentview.providers.amp.tools import KNOWN, SPECS

_BEGIN = re.compile(r'\{\s*"(?:role|messageId|v|id|created)"\s*:')
_WAITING = ("in-progress", "blocked-on-user", "queued")
_FENCE = re.compile(r"```\w*\n(.*)\n```\s*", re.DOTALL)


class AmpRecord(TypedBuilder[Record], gc=False):
    """A message of a thread, or what is around the messages."""


def _record_events(record: AmpRecord) -> Sequence[LightEvent]:
    own = record.record
    role, usage = own.role or None, own.usage or Tokens()
    if role is None:
        return [record.unknown("(none)")] if own.messages is UNSET else _around(record)
    number_of = whole_of(own.message_id)
    record.record_id = f"m{number_of}" if number_of is not None else None
    record.time = time_of((own.meta or Meta()).sent_at) or time_of(usage.timestamp)
    if role == "assistant":
        record.response_id = record.record_id or record.name
        record.facts = Facts(model=usage.model) if usage.model else None
    elif role not in ("user", "info"):
        return [record.unknown(f"message/{role}")]
    events = [*_parts(record, role), *_usage(record, usage), *_state(record)]
    return events or [hidden(record, "a message without words", role)]


def _parts(record: AmpRecord, role: str) -> Sequence[LightEvent]:
    content, state = record.record.content, record.record.state or State()
    parts = [Part("text", content)] if isinstance(content, str) else content or ()

    def say(suffix: str, words: list[str], blocks: tuple[Block, ...]) -> LightEvent:
        said = "\n".join(words)
        if role == "assistant":
            return record.text_part(suffix, said, blocks)
        prompt = role == "user"
        body = spoken(said, blocks) if prompt else Notification(Topic.SYSTEM, said)
        return record.event(suffix, body)

    made = (_part(record, at, part) for at, part in enumerate(parts))
    events = in_order(made, say, merged=role != "assistant")
    return whole_response(events) if state.type == "complete" else events


def _part(record: AmpRecord, at: int, part: Part | str | None) -> LightEvent | Block | str:
    part = part if isinstance(part, Part) else Part()
    if part.type in ("thinking", "redacted_thinking"):
        thought = part.thinking or ""
        return record.thought_part(f"thought/{at}", thought, withheld=not thought)
    if part.type == "tool_use":
        return _call(record, at, part)
    if part.type == "tool_result":
        return record.event(f"result/{at}", _result(record, at, part))
    return part.text or "" if part.type == "text" else _block(record.values_at("content", at))


def _block(part: Fields) -> Block:
    source = fields_of(part.get("source"))
    if part.get("type") == "image":
        found = picture(source)
        return found if found.uri else replace(found, uri=text(part, "sourcePath") or None)
    return JsonBlock(part)


def _call(record: AmpRecord, at: int, part: Part) -> LightEvent:
    name, call_id = part.name or "(none)", f"{record.name}/{at}" if part.id is None else part.id
    made = (record, at, part, name, call_id)
    return record.call_event(f"call/{at}", call_id, KNOWN.get(name), _call_body, made)


def _call_body(record: AmpRecord, at: int, part: Part, name: str, call_id: str) -> ToolCall:
    streaming = part.complete is False
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=fields_of(record.value_of(part.input)),
        raw=record.exact(part.input, "content", at, "input") or None,
        spec=SPECS.get(name),
        state=ToolState.INPUT_STREAMING if streaming else ToolState.INPUT_AVAILABLE,
    )


def _result(record: AmpRecord, at: int, part: Part) -> Body:
    """The outcome of a call, or what it has done so far."""
    run = record.values_at("content", at, "run")
    call_id = f"{record.name}/{at}" if part.tool_use_id is None else part.tool_use_id
    status = (part.run.status if part.run is not None else None) or ""
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


def _usage(record: AmpRecord, tokens: Tokens) -> Sequence[LightEvent]:
    given, output = whole_of(tokens.input_tokens), whole_of(tokens.output_tokens)
    if given is None and output is None:
        return []
    cached, written = tokens.cache_read_input_tokens, tokens.cache_creation_input_tokens
    usage = Usage(given, whole_of(cached), whole_of(written), output)
    name = record.response_id or record.name
    return [record.usage_part(TokenUsage(name, usage, tokens.model or None))]


def _state(record: AmpRecord) -> Sequence[LightEvent]:
    """How a response ended, where it did not end as it should."""
    state = record.record.state or State()
    if state.type == "cancelled":
        body = Notification(Topic.INTERRUPT, "Interrupted", Level.WARNING)
        return [record.event("state", body)]
    if state.type == "error":
        error: object = record.value_of(state.error)
        words = text(fields_of(error), "message") or as_text(error) or "The request failed"
        body = Notification(error_topic(words), words, Level.ERROR)
        return [record.event("state", body)]
    return []


def _around(record: AmpRecord) -> Sequence[LightEvent]:
    """Members in front of the messages, or behind them."""
    own = record.record
    initial = (own.env or Environment()).initial or Initial()
    tree = next(iter(initial.trees or ()), None) or Tree()
    reference = (tree.repository or Repository()).ref or ""
    facts = Facts(
        cwd=project_path(tree.uri or "") or None,
        branch=reference.removeprefix("refs/heads/") or None,
        mode=own.agent_mode or None,
        client_version=(initial.platform or Platform()).client_version or None,
    )
    record.time = time_of(own.created)
    known = facts if facts != Facts() else None
    events: list[LightEvent] = [
        hidden(record, "what is around the messages", "thread", facts=known)
    ]
    if own.title:
        events.append(record.event("title", Title(own.title, TitleSource.AI)))
    return events


FORM = TypedDocuments(Record, AmpRecord.of, _record_events, _BEGIN, around=_around)
