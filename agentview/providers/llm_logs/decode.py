"""Events of the row of a response: what was sent for it, and what the model gave."""

import re
from collections.abc import Iterator, Sequence

from msgspec import field

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import Attachment as Note
from agentview.domain.events import Title, TitleSource, TokenUsage, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import call_id_of, changed, fields_of, real_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.chat_parts import result_blocks
from agentview.providers._kit.chat_usage import usage_in
from agentview.providers._kit.event_builder import model_facts, whole_response
from agentview.providers._kit.message_parts import in_order
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.result_text import refusal
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.llm_logs.schema import Attachment, Call, Message, Part, Payload, Piece, Row
from agentview.providers.llm_logs.tools import REFUSALS, SPECS

_START = re.compile(r'\{\s*"table"\s*:')
_TEXTS = frozenset({"text", "fragment"})


class Response(TypedBuilder[Row], gc=False):
    """A row, and the message of it that is looked at."""

    message: Message = field(default_factory=Message)

    @property
    def parts(self) -> Sequence[Part]:
        return [part or Part() for part in self.message.parts or ()]


def _row(row: Row, raw: bytes, source: SourceRef, session: SessionRef) -> Response:
    model = row.resolved_model or row.model
    return Response.of(
        row, raw, source, session, time=real_of(row.created), record_id=row.id or None,
        response_id=row.id or None, facts=model_facts(model) if model else None,
    )  # fmt: skip


def _row_events(row: Response) -> Sequence[LightEvent]:
    own = row.record
    if own.table not in ("turns", "responses"):
        return [row.unknown(own.table or "(none)")]
    events: list[LightEvent] = []
    if own.name:
        # Each row has it, and it is the beginning of the first prompt.
        title = Title(own.name, TitleSource.SUMMARY)
        events.append(row.event("title", title, dedupe_key=f"title:{own.name}"))
    listed = own.messages if own.table == "turns" else [*_older(own)]
    for at, message in enumerate(listed or ()):
        made = row.copy()
        made.suffix_end, made.message = f"/m{at}", message or Message()
        if not made.message.sent:
            made.time = _ended(row)
        events += MESSAGES(made, made.message.role)
    events += _usage(row)
    return events or [hidden(row, "a response without messages", own.table)]


LINES = TypedLines(Row, _row, _row_events, _START)


def _ended(row: Response) -> float | None:
    """When a response was complete."""
    took = real_of(row.record.duration_ms)
    return row.time if row.time is None or took is None else row.time + took / 1000


def _older(row: Row) -> Iterator[Message]:
    """The messages of a row of `responses`."""
    instructions = [*_fragments(row.system_fragments), Part("text", row.system)]
    yield Message("system", 1, instructions)
    yield Message("tool", 1, [_as_part("tool_result", each) for each in row.results or ()])
    files = [Part("attachment", attachments=[each]) for each in row.attachments or ()]
    yield Message("user", 1, [*_fragments(row.fragments), Part("text", row.prompt), *files])
    said = [Part("reasoning", row.reasoning)] if row.reasoning else []
    calls = [_as_part("tool_call", each) for each in row.calls or ()]
    yield Message("assistant", 0, [*said, Part("text", row.response), *calls])


def _fragments(texts: Sequence[str | None] | None) -> list[Part | None]:
    return [Part("fragment", text) for text in texts or ()]


def _as_part(kind: str, call: Call | None) -> Part:
    own = call or Call()
    return Part(kind, payload=Payload(
        own.name, own.tool_call_id, own.arguments, own.output, own.exception,
    ))  # fmt: skip


MESSAGES = Records[Response](hidden={})


@MESSAGES.on("system")
def _instructions(row: Response) -> Sequence[LightEvent]:
    words = "\n".join(text for part in row.parts for _, text in _texts(part))
    return [row.event("system", Note("system prompt", "instructions", words))] if words else []


@MESSAGES.on("user")
def _prompt(row: Response) -> Sequence[LightEvent]:
    """The words of the person; fragments are texts of files that were named with them."""
    words, context, blocks = list[str](), list[str](), list[Block]()
    for at, part in enumerate(row.parts):
        if part.type in _TEXTS:
            for is_fragment, text in _texts(part):
                (context if is_fragment else words).append(text)
        elif part.type == "attachment":
            blocks += _files(part)
        else:
            blocks.append(_unknown_part(row, at))
    if not words and not context and not blocks:
        return []
    said = "".join(words)
    prompt = spoken(said.lstrip("\n") if context else said, tuple(blocks), context=tuple(context))
    return [row.event("prompt", prompt)]


def _texts(part: Part) -> Iterator[tuple[bool, str]]:
    """The texts of a part, and whether they are fragments."""
    if part.text:
        yield part.type == "fragment", part.text
    fragments = part.fragments or {}
    for each in (part.payload or Payload()).text_ref or ():
        piece = each or Piece()
        text = piece.literal or fragments.get(str(piece.fragment))
        if text:
            yield piece.fragment is not None, text


def _files(part: Part) -> Iterator[Block]:
    for each in part.attachments or ():
        own = each or Attachment()
        place = own.path or own.url
        if (own.type or "").startswith("image/"):
            yield ImageBlock(own.type, own.data, place, byte_size=own.size)
        else:
            yield ResourceBlock(place, media_type=own.type, byte_size=own.size)


def _unknown_part(row: Response, at: int) -> Block:
    """A part of a type that is not known."""
    place = int(row.suffix_end.removeprefix("/m"))
    return JsonBlock(row.value_at("messages", place, "parts", at))


@MESSAGES.on("tool")
def _results(row: Response) -> Sequence[LightEvent]:
    return [_result_event(row, at, part) for at, part in enumerate(row.parts)]


def _result_event(row: Response, at: int, part: Part) -> LightEvent:
    own = part.payload or Payload()
    call_id = call_id_of(own.tool_call_id, f"{row.name}/{at}")
    return row.event(f"result/{at}", _result(row, call_id, own, tuple(_files(part))))


def _result(row: Response, call_id: str, own: Call, files: tuple[Block, ...]) -> ToolResult:
    output = (*result_blocks(row.value_of(own.output)), *files)
    words = "\n".join(block.text for block in output if isinstance(block, TextBlock))
    denial = refusal(own.exception or words, REFUSALS)
    if denial is not None:
        return ToolResult(call_id, False, denial=denial)
    return ToolResult(call_id, own.exception is None, output, error=own.exception)


@MESSAGES.on("assistant")
def _response(row: Response) -> Sequence[LightEvent]:
    def say(suffix: str, words: list[str], blocks: tuple[Block, ...]) -> LightEvent:
        return row.text_part(suffix, "".join(words), blocks)

    made = (each for at, part in enumerate(row.parts) for each in _part(row, at, part))
    return whole_response(in_order(made, say, merged=False))


def _part(row: Response, at: int, part: Part) -> Iterator[LightEvent | Block | str]:
    own = part.payload or Payload()
    if part.type in _TEXTS:
        yield from (text for _, text in _texts(part))
    elif part.type == "reasoning":
        words = "".join(text for _, text in _texts(part))
        yield row.thought_part(f"thought/{at}", words, withheld=not words)
    elif part.type == "tool_call":
        name, call_id = own.name or "(none)", call_id_of(own.tool_call_id, f"{row.name}/{at}")
        yield row.call_event(f"call/{at}", call_id, _known(name), _call, (row, call_id, name, own))
    elif part.type == "tool_result":
        # Of a tool that runs where the model does.
        yield _result_event(row, at, part)
    elif part.type == "attachment":
        yield from _files(part)
    else:
        yield _unknown_part(row, at)


_known = known_calls(SPECS.get)


def _call(row: Response, call_id: str, name: str, own: Call) -> ToolCall:
    given = row.value_of(own.arguments)
    arguments = given if isinstance(given, str) else fields_of(given)
    return tool_call(call_id=call_id, name=name, arguments=arguments, spec=SPECS.get(name))


def _usage(row: Response) -> Iterator[LightEvent]:
    own = row.record
    details = fields_of(row.value_of(own.token_details))
    own_counts = {"input_tokens": own.input_tokens, "output_tokens": own.output_tokens}
    usage = usage_in({"usage": changed(details, own_counts)})
    if usage is not None:
        yield row.usage_part(TokenUsage(row.name, usage, own.resolved_model or own.model))
