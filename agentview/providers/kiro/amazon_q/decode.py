"""Events of the row of a conversation, which is written again with each message."""

import re
from collections.abc import Iterator, Sequence

from msgspec import field

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import Compaction, Facts, Reset, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    changed,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    LightEvent,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.kiro.amazon_q.schema import (
    Asked,
    Assistant,
    Content,
    Conversation,
    Entry,
    Environment,
    Model,
    Outcome,
    Pair,
    Request,
    Row,
    State,
    Use,
    User,
)
from agentview.providers.kiro.shared.tools import find_tool

_START = re.compile(r'\{\s*"(?:table|rowid)"\s*:')
_EXIT = re.compile(r"-?\d+")


class ConversationRow(TypedBuilder[Row], gc=False):
    """A row, and the entry of it that is looked at."""

    entry: Entry = field(default_factory=Entry)

    @property
    def request(self) -> Request:
        return self.entry.request_metadata or Request()


def _row(row: Row, raw: bytes, source: SourceRef, session: SessionRef) -> ConversationRow:
    # Both tables may have a row of a conversation.
    own = f"{row.id}/{row.table}" if row.id and row.is_new else row.id or None
    return ConversationRow.of(
        row, raw, source, session, record_id=own, rewritten_id=own, keeps_place=own is not None
    )


def _row_events(row: ConversationRow) -> Sequence[LightEvent]:
    own = row.record
    if own.table not in ("conversations", "conversations_v2"):
        return [row.unknown(own.table or "(none)")]
    if own.is_new:
        return [hidden(row, "the other table has the conversation too", own.table)]
    conversation = own.conversation or Conversation()
    events = list(_about(row, conversation))
    entries = [*map(_entry, conversation.history or ())]
    if conversation.next_message is not None:
        entries.append(Entry(conversation.next_message))
    for at, entry in enumerate(entries):
        made = row.copy()
        made.entry, made.suffix_end = entry, f"/m{at}"
        if row.rewritten_id is not None:
            made.rewritten_id = f"{row.rewritten_id}/m{at}"
        events += _sent(made, entry.user or User())
        events += _response(made, entry.assistant or Assistant())
    row.time = time_of(own.updated)
    return [*events, hidden(row, "the conversation was written", own.table, suffix="written")]


LINES = TypedLines(Row, _row, _row_events, _START)


def _entry(entry: Entry | Pair | None) -> Entry:
    return Entry(*entry) if isinstance(entry, tuple) else entry or Entry()


def _about(row: ConversationRow, conversation: Conversation) -> Iterator[LightEvent]:
    made, own = row.copy(), row.record
    made.time = time_of(own.created)
    model = (conversation.model_info or Model()).model_id or conversation.model
    facts = Facts(cwd=own.key or None, model=model or None)
    yield hidden(made, "the conversation itself", own.table or "", facts=facts)
    summary = next(map(text_of, items_of(made.value_of(conversation.latest_summary))), None)
    if summary is not None:
        body = Compaction(summary=summary)
        yield made.event("compaction", body, resets=Reset.COMPACTED)


def _sent(row: ConversationRow, user: User) -> Iterator[LightEvent]:
    """A prompt, or what calls brought; a prompt in place of results refuses the calls."""
    begun = row.request.request_start_timestamp_ms
    row.time = time_of(user.timestamp) or time_of(begun)
    state = (user.env_context or Environment()).env_state or State()
    folder = state.current_working_directory or None
    row.facts = Facts(cwd=folder) if folder is not None else None
    content = user.content or Content()
    refused = content.cancelled_tool_uses or Asked()
    results = content.tool_use_results or refused
    for at, each in enumerate(results.tool_use_results or ()):
        outcome = each or Outcome()
        call_id = call_id_of(outcome.tool_use_id, f"{row.name}/{at}")
        if results is refused:
            body = ToolResult(call_id, False, denial=Denial(DeniedBy.PERSON, refused.prompt))
        else:
            body = _result(row, call_id, outcome)
        yield row.event(f"result/{at}", body)
    words = (content.prompt or refused).prompt
    images = tuple(map(_image, items_of(row.value_of(user.images))))
    if words or images:
        context = (user.additional_context,) if user.additional_context else ()
        yield row.event("prompt", spoken(words or "", images, context=context))


def _image(value: object) -> Block:
    kind = text(fields_of(value), "format")
    return ImageBlock(f"image/{kind.lower()}") if kind is not None else JsonBlock(value)


def _result(row: ConversationRow, call_id: str, outcome: Outcome) -> ToolResult:
    """The result of a call: texts, or JSON; that of a command has an exit status and its output."""
    blocks: list[Block] = []
    structured: Fields = {}
    for each in items_of(row.value_of(outcome.content)):
        fields = fields_of(each)
        said = text_of(fields.get("Text"))
        if said is not None:
            blocks.append(TextBlock(said))
        else:
            given = fields.get("Json", each)
            structured = structured or fields_of(given)
            blocks.append(JsonBlock(given))
    ok = {"success": True, "error": False}.get((outcome.status or "").lower())
    code = _EXIT.search(text(structured, "exit_status") or "")
    if code is not None:
        structured, blocks = changed(structured, {"exit_code": int(code[0])}), []
        ok = ok and int(code[0]) == 0
    words = "\n".join(block.text for block in blocks if isinstance(block, TextBlock)) or None
    return ToolResult(
        call_id, ok, tuple(blocks), structured=structured or None,
        error=words if ok is False else None,
    )  # fmt: skip


def _response(row: ConversationRow, assistant: Assistant) -> Sequence[LightEvent]:
    said = assistant.response or assistant.tool_use
    if said is None:
        return []
    row.time = time_of(row.request.stream_end_timestamp_ms) or row.time
    row.response_id = said.message_id or f"{row.name}{row.suffix_end}"
    model = row.request.model_id
    row.facts = Facts(model=model) if model else None
    events: list[LightEvent] = []
    thought = row.value_of(said.thinking)
    if thought is not None:
        words = _thought(thought)
        events.append(row.thought_part("thought", words, withheld=not words))
    if said.content and said.content.strip():
        events.append(row.text_part("said", said.content))
    for at, each in enumerate(said.tool_uses or ()):
        use = each or Use()
        name, call_id = use.name or "(none)", call_id_of(use.id, f"{row.name}/{at}")
        made = (row, call_id, name, use)
        events.append(row.call_event(f"call/{at}", call_id, _known(name), _call, made))
    return whole_response(events) or [hidden(row, "a message without words", "assistant")]


def _thought(value: object) -> str:
    """The words of a thought, which are in one of a few places."""
    inner = [fields_of(value), *map(fields_of, fields_of(value).values())]
    found = (text(each, "text", "thinking") for each in inner)
    return text_of(value) or next(filter(None, found), "")


_BY_ARGUMENTS = frozenset({"write", "fs_write", "read", "fs_read"})
_known = known_calls(lambda name: None if name in _BY_ARGUMENTS else find_tool(name, {}))


def _call(row: ConversationRow, call_id: str, name: str, use: Use) -> ToolCall:
    arguments = fields_of(row.value_of(use.args))
    spec = find_tool(name, arguments)
    return tool_call(call_id=call_id, name=name, arguments=arguments, spec=spec)
