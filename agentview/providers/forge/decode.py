"""Events of the row of a conversation, which is written again with each message."""

import re
from collections.abc import Iterator, Sequence

from msgspec import field

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Facts,
    SlashCommand,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage as Tokens
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    real_of,
    said_in,
    text_of,
    whole_of,
)
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import model_facts, whole_response
from agentview.providers._kit.images import image_at
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.forge.schema import (
    Asked,
    Context,
    Count,
    Entry,
    Message,
    Outcome,
    Output,
    Row,
    Said,
    Thought,
    Usage,
)
from agentview.providers.forge.tools import SPECS

_START = re.compile(r'\{\s*"(?:table|rowid)"\s*:')
_FOLDER = re.compile(r"<current_working_directory>([^<\n]{1,4096})</current_working_directory>")
_FORM = re.compile(r"</?(?:task|feedback)>")
_AGENT = ("aI", "ai", "AI")


class ConversationRow(TypedBuilder[Row], gc=False):
    """A row, and the message of it that is looked at."""

    entry: Entry = field(default_factory=Entry)
    message: Message = field(default_factory=Message)
    files: tuple[Block, ...] = ()
    """Images and documents that follow a prompt, which the person sent with it."""


def _row(row: Row, raw: bytes, source: SourceRef, session: SessionRef) -> ConversationRow:
    own = row.id or None
    return ConversationRow.of(
        row, raw, source, session, record_id=own, rewritten_id=own, keeps_place=own is not None,
        path=("context",),
    )  # fmt: skip


def _row_events(row: ConversationRow) -> Sequence[LightEvent]:
    own = row.record
    if own.table != "conversations":
        return [row.unknown(own.table or "(none)")]
    entries = [each or Entry() for each in (own.context or Context()).messages or ()]
    events = list(_about(row, entries))
    for at, entry in enumerate(entries):
        made = row.copy()
        made.entry, made.message = entry, entry.message or entry
        made.files = tuple(_files(row, entries[at + 1 :]))
        made.suffix_end, made.path = f"/m{at}", (*row.path, "messages", at)
        if row.rewritten_id is not None:
            made.rewritten_id = f"{row.rewritten_id}/m{at}"
        events += _message(made)
    # The last message is as old as the row.
    row.time = real_of(own.updated)
    return [*events, hidden(row, "the conversation was written", own.table, suffix="written")]


LINES = TypedLines(Row, _row, _row_events, _START)


def _about(row: ConversationRow, entries: Sequence[Entry]) -> Iterator[LightEvent]:
    made, own = row.copy(), row.record
    made.time = real_of(own.created)
    said = (_words(row, (entry.message or entry).text or Said()) for entry in entries)
    folder = next(filter(None, map(_FOLDER.search, said)), None)
    facts = Facts(cwd=folder[1].strip() if folder is not None else None)
    yield hidden(made, "the conversation itself", "conversations", facts=facts)
    if own.title:
        yield made.event("title", Title(own.title, TitleSource.AI))


def _words(row: ConversationRow, said: Said) -> str:
    """The text of a message, also where it is a list of parts."""
    content = said.content
    if isinstance(content, list):
        content = said_in([row.value_of(each) for each in content])
    return content or ""


def _message(row: ConversationRow) -> Sequence[LightEvent]:
    message = row.message
    if message.text is not None:
        return ROLES(row, (message.text.role or "").lower() or None)
    if message.tool is not None:
        return [_result_event(row, message.tool)]
    if _attached(row, message) is not None:
        return [hidden(row, "a file that was sent with the prompt", "file")]
    return [row.unknown("message")]


def _attached(row: ConversationRow, message: Message) -> Block | None:
    """The file of a message that is one."""
    bodies = (("image", message.image), ("document", message.document))
    return next(filter(None, (_file(key, row.value_of(body)) for key, body in bodies)), None)


def _files(row: ConversationRow, entries: Sequence[Entry]) -> Iterator[Block]:
    for entry in entries:
        message = entry.message or entry
        block = _attached(row, message)
        if block is not None:
            yield block
        elif message.text is None or not message.text.droppable:
            return


ROLES = Records[ConversationRow](hidden={"system": "instructions"})


@ROLES.on("user")
def _prompt(row: ConversationRow) -> Sequence[LightEvent]:
    """A prompt, with what the client put around it, or what it put in the place of one."""
    said = row.message.text or Said()
    content, given = _words(row, said), fields_of(row.value_of(said.raw_content))
    command = fields_of(given.get("Command"))
    if command:
        words = " ".join(filter(None, map(text_of, items_of(command.get("parameters")))))
        return [row.event("command", SlashCommand(text(command, "name") or "", words))]
    own = text(given, "Text")
    if own is None and said.droppable:
        return [row.event("note", Attachment("note of the client", "instructions", content))]
    if own is None:
        prompt = spoken(_FORM.sub("", content).strip("\n"), row.files)
    else:
        around = _FORM.sub("", content.replace(own, "", 1)).strip()
        prompt = spoken(own, row.files, context=(around,) if around else ())
    return [row.event("prompt", prompt)]


@ROLES.on("assistant")
def _response(row: ConversationRow) -> Sequence[LightEvent]:
    said = row.message.text or Said()
    row.response_id = f"{row.name}{row.suffix_end}"
    row.facts = model_facts(said.model) if said.model else None
    events: list[LightEvent] = []
    thoughts = [each or Thought() for each in said.reasoning_details or ()]
    words = "".join(each.text or "" for each in thoughts)
    if thoughts:
        events.append(row.thought_part("thought", words, withheld=not words))
    content = _words(row, said)
    if content.strip():
        events.append(row.text_part("said", content))
    for at, each in enumerate(said.tool_calls or ()):
        call = each or Asked()
        name, call_id = call.name or "(none)", call_id_of(call.call_id, f"{row.name}/{at}")
        made = (row, call_id, name, call)
        events.append(row.call_event(f"call/{at}", call_id, _known(name), _call, made))
    events = [*whole_response(events), *_usage(row, said.model)]
    return events or [hidden(row, "a message without words", "assistant")]


_known = known_calls(SPECS.get)


def _call(row: ConversationRow, call_id: str, name: str, call: Asked) -> ToolCall:
    given = row.value_of(call.arguments)
    arguments = given if isinstance(given, str) else fields_of(given)
    return tool_call(call_id=call_id, name=name, arguments=arguments, spec=SPECS.get(name))


def _usage(row: ConversationRow, model: str | None) -> Iterator[LightEvent]:
    usage = row.entry.usage or Usage()
    sent, said, cached = map(
        _counted, (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
    )
    if sent is None and said is None:
        return
    fresh = sent if sent is None or cached is None else max(0, sent - cached)
    tokens = Tokens(fresh, cached, None, said)
    yield row.usage_part(TokenUsage(row.response_id or row.name, tokens, model, cost=usage.cost))


def _counted(count: Count | None) -> int | None:
    own = count or Count()
    return whole_of(own.actual if own.actual is not None else own.capital)


def _result_event(row: ConversationRow, outcome: Outcome) -> LightEvent:
    call_id = call_id_of(outcome.call_id, row.name)
    failed = (outcome.output or Output()).is_error
    values = items_of(row.value_of((outcome.output or Output()).values))
    agents = (text(_of_agent(value), "conversation_id") for value in values)
    agent = next(filter(None, agents), None)
    child = Stream(StreamKind.SUBAGENT, agent) if agent is not None else None
    made = (call_id, failed, values)
    return row.result_part("result", call_id, _result, made, failed=failed, child=child)


def _of_agent(value: object) -> Fields:
    fields = fields_of(value)
    return fields_of(next((fields[key] for key in _AGENT if key in fields), None))


def _result(call_id: str, failed: bool | None, values: Sequence[object]) -> ToolResult:
    blocks = tuple(block for value in values for block in _block(value))
    words = "\n".join(block.text for block in blocks if isinstance(block, TextBlock)) or None
    ok = None if failed is None else not failed
    return ToolResult(call_id, ok, blocks, error=words if ok is False else None)


def _block(value: object) -> Iterator[Block]:
    fields = fields_of(value)
    if value == "empty":
        return
    said = text(fields, "text", "markdown")
    if said is None:
        said = text(_of_agent(value), "value")
    if said is not None:
        yield TextBlock(said)
    elif "pair" in fields:
        # For the model and for the person.
        yield from _block(next(iter(items_of(fields["pair"])), None))
    else:
        found = next(
            (_file(key, fields[key]) for key in ("image", "document") if key in fields), None
        )
        yield JsonBlock(value) if found is None else found


def _file(key: str, value: object) -> Block | None:
    fields = fields_of(value)
    if not fields:
        return None
    place, media = text(fields, "url", "data"), text(fields, "mime_type")
    if key == "document":
        return ResourceBlock(name=text(fields, "filename"), media_type=media)
    return image_at(place) if place and ":" in place else ImageBlock(media, place)
