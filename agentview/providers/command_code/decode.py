"""Events of one entry of a session.

Source: the writer of Command Code 1.64.0, as it is in its package.
"""

from collections.abc import Sequence

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Notification,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage as Tokens
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    parts_of,
    real_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.chat_parts import result_blocks
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.images import picture
from agentview.providers._kit.message_parts import in_order
from agentview.providers._kit.result_text import refusal
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.command_code.schema import Message, Meta, Record, Usage
from agentview.providers.command_code.tools import COMMAND, REFUSALS, SPECS

_SUFFIXES = ("said", "call/0", "result/0", "thought/0", "note", "compaction", "title", "hidden")
"""Suffixes that the first event of an entry may have."""
_NO_MESSAGE, _NO_META = Message(), Meta()


class Entry(TypedBuilder[Record], gc=False):
    """An entry of a session."""


def record_keys(record: str) -> tuple[str, ...]:
    return tuple(f"{record}:{suffix}" for suffix in _SUFFIXES)


def _entry(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> Entry:
    return Entry.of(record, raw, source, session, time=time_of(record.timestamp))


def _record_events(record: Entry) -> Sequence[LightEvent]:
    own = record.record
    if own.type != "session":
        record.record_id = record.copied_id = own.id or None
        record.parent_id = own.parent_id or None
    return records(record, own.type)


records: Records[Entry] = Records(
    hidden={"custom": "data of an extension", "label": "a label of an entry"}
)


@records.on("session")
def _header(record: Entry) -> Sequence[LightEvent]:
    facts = Facts(cwd=record.record.cwd or None)
    return [hidden(record, "the session begins", "session", facts=facts)]


@records.on("model_change", "effort_change")
def _changed(record: Entry) -> Sequence[LightEvent]:
    own = record.record
    if own.model:
        record.facts = Facts(model=own.model)
        return [record.event("note", Notification(Topic.MODEL, f"Model: {own.model}"))]
    return [record.event("note", Notification(Topic.MODE, f"Effort: {own.effort or '–'}"))]


@records.on("compaction")
def _compacted(record: Entry) -> Sequence[LightEvent]:
    own = record.record
    body = Compaction(tokens_before=whole_of(own.tokens_before), summary=own.summary)
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


@records.on("branch_summary")
def _left(record: Entry) -> Sequence[LightEvent]:
    said = Attachment("summary of the branch that was left", "summary", record.record.summary)
    return [record.event("note", said)]


@records.on("session_info")
def _named(record: Entry) -> Sequence[LightEvent]:
    name = record.record.name
    if not name:
        return [hidden(record, "the session has no name", "session_info")]
    return [record.event("title", Title(name, TitleSource.CUSTOM))]


@records.on("custom_message")
def _custom(record: Entry) -> Sequence[LightEvent]:
    own = record.record
    if own.display is False:
        return [hidden(record, "a message that the client does not show", "custom_message")]
    words = _words(parts_of(record.value_of(own.content)))
    return [record.event("note", Attachment(own.custom_type or "message", "instructions", words))]


@records.on("message")
def _message(record: Entry) -> Sequence[LightEvent]:
    message = record.record.message or _NO_MESSAGE
    parts = [fields_of(part) for part in parts_of(record.value_of(message.content))]
    if message.role == "assistant":
        return _of_model(record, parts)
    if message.role != "user":
        return [record.unknown(f"message/{message.role or '(none)'}")]
    return _of_person(record, message.meta or _NO_META, parts)


def _of_person(record: Entry, meta: Meta, parts: Sequence[Fields]) -> Sequence[LightEvent]:
    """A prompt, what the client put in its place, or the results of calls."""
    made: list[Event | Block | str] = []
    for at, part in enumerate(parts):
        if part.get("type") == "tool_result":
            made.append(_result(record, at, part))
        else:
            made.append(_content(part))

    def say(suffix: str, words: list[str], blocks: tuple[Block, ...]) -> Event:
        said = "\n".join(words)
        if meta.is_summary or meta.is_meta or meta.is_automated:
            name = meta.source or "the client"
            return record.event(suffix, Attachment(f"note of {name}", "instructions", said))
        return record.event(suffix, User(said, blocks, context=_injected(record, meta)))

    events = in_order(made, say, merged=True)
    return events or [hidden(record, "a message without content", "message")]


def _injected(record: Entry, meta: Meta) -> tuple[str, ...]:
    """Context that the client sent along with a prompt."""
    companions = fields_of(record.value_of(meta.injected)).get("companions")
    found = (text_of(fields_of(each).get("text")) for each in items_of(companions))
    return tuple(text for text in found if text is not None)


def _content(part: Fields) -> Block | str:
    if part.get("type") == "text":
        return text_of(part.get("text")) or ""
    source = fields_of(part.get("source"))
    if part.get("type") == "image" and source:
        return picture(source)
    return JsonBlock(part)


def _words(parts: Sequence[object]) -> str:
    found = (text_of(fields_of(part).get("text")) for part in parts)
    return "\n".join(text for text in found if text is not None)


def _result(record: Entry, at: int, part: Fields) -> Event:
    call_id = call_id_of(part.get("tool_use_id"), f"{record.name}/{at}")
    output = result_blocks(part.get("content"))
    words = "\n".join(block.text for block in output if isinstance(block, TextBlock))
    denial = refusal(words, REFUSALS)
    # The client marks only calls that could not be made, not commands that ended badly.
    ended_badly = COMMAND.exit_code(words) not in (None, 0)
    failed = part.get("is_error") is True or denial is not None or ended_badly
    error = words if failed and denial is None and not ended_badly else None
    result = ToolResult(call_id, not failed, output, error=error or None, denial=denial)
    return record.event(f"result/{at}", result)


def _of_model(record: Entry, parts: Sequence[Fields]) -> Sequence[LightEvent]:
    own = record.record
    meta = (own.message or _NO_MESSAGE).meta or _NO_META
    record.response_id = meta.message_id or own.id or None
    record.facts = Facts(model=own.model) if own.model else None
    events: list[LightEvent] = []
    for at, part in enumerate(parts):
        kind = text_of(part.get("type"))
        if kind == "text":
            words = text_of(part.get("text")) or ""
            events += [record.text_part(_suffix(events, at), words)] if words.strip() else []
        elif kind in ("thinking", "redacted_thinking"):
            thought = text_of(part.get("thinking"))
            light = record.thought_part(f"thought/{at}", thought or "", withheld=thought is None)
            events.append(light)
        elif kind in ("tool_use", "server_tool_use"):
            events.append(_call(record, at, part))
        elif kind == "server_tool_result":
            events.append(_result(record, at, part))
        else:
            events.append(record.text_part(f"block/{at}", "", (_content_block(part),)))
    events = whole_response(events)
    usage = _usage(own.usage) if own.usage is not None else None
    if usage is not None and own.usage is not None:
        cost = real_of(own.usage.cost_usd)
        body = TokenUsage(record.response_id or record.name, usage, own.model or None, cost=cost)
        events.append(record.usage_part(body))
    return events or [hidden(record, "a message without content", "message")]


def _suffix(events: Sequence[LightEvent], at: int) -> str:
    return f"said/{at}" if events else "said"


def _content_block(part: Fields) -> Block:
    found = _content(part)
    return TextBlock(found) if isinstance(found, str) else found


def _call(record: Entry, at: int, part: Fields) -> Event:
    name = text_of(part.get("name")) or "(none)"
    call = tool_call(
        call_id=call_id_of(part.get("id"), f"{record.name}/{at}"),
        name=name,
        arguments=part.get("input"),
        raw=record.text_at("message", "content", at, "input"),
        spec=SPECS.get(name),
    )
    return record.event(f"call/{at}", call)


def _usage(counts: Usage) -> Tokens | None:
    given, said = whole_of(counts.input_tokens), whole_of(counts.output_tokens)
    if given is None and said is None:
        return None
    return Tokens(
        given,
        whole_of(counts.cache_read_tokens),
        whole_of(counts.cache_write_tokens),
        said,
        cache_write_1h=whole_of(counts.cache_write_1h),
    )


LINES = TypedLines(Record, _entry, _record_events)
