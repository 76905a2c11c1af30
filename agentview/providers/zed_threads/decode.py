"""Events of the row of a thread, which is written again with each message."""

import re
from collections.abc import Iterator, Sequence

import orjson
from msgspec import field

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import Facts, Title, TitleSource, TokenUsage, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, time_of, whole_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.message_parts import in_order
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    LightEvent,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.zed_threads.schema import (
    Message,
    Model,
    Outcome,
    Packed,
    Part,
    Row,
    Said,
    Segment,
    Thought,
    Thread,
    Use,
)
from agentview.providers.zed_threads.tools import SPECS

_NAMES = ("abs_path", "path", "name", "url", "id")
"""Members of a mention with a path or a name."""
_START = re.compile(r'\{\s*"(?:table|rowid)"\s*:')


class ThreadRow(TypedBuilder[Row], gc=False):
    """A row, whose thread may be packed."""

    thread: Thread = field(default_factory=Thread)


def _row(row: Row, raw: bytes, source: SourceRef, session: SessionRef) -> ThreadRow:
    own, data = row.id or None, row.data or Packed()
    return ThreadRow.of(
        row, raw, source, session, record_id=own, rewritten_id=own, keeps_place=own is not None,
        thread=data if data.zstd is None else data.zstd,
        path=("data",) if data.zstd is None else ("data", "zstd"),
    )  # fmt: skip


def _row_events(row: ThreadRow) -> Sequence[LightEvent]:
    own = row.record
    if own.table != "threads":
        return [row.unknown(own.table or "(none)")]
    events = list(_about(row))
    data = own.data or Packed()
    if data.base64 is not None:
        events.append(row.unreadable("a thread in another form than JSON, packed or not"))
    for at, message in enumerate(row.thread.messages or ()):
        made = row.copy()
        made.suffix_end, made.path = f"/m{at}", (*row.path, "messages", at)
        if row.rewritten_id is not None:
            made.rewritten_id = f"{row.rewritten_id}/m{at}"
        events += _message(made, message)
    events += _usage(row)
    # The last message is as old as the row.
    row.time = time_of(own.updated)
    return [*events, hidden(row, "the thread was written", "threads", suffix="written")]


LINES = TypedLines(Row, _row, _row_events, _START)


def _about(row: ThreadRow) -> Iterator[LightEvent]:
    made, own = row.copy(), row.record
    made.time = time_of(own.created) or time_of(own.updated)
    model = (row.thread.model or Model()).model or None
    facts = Facts(cwd=_folder(own.folder_paths or ""), model=model)
    yield hidden(made, "the thread itself", "threads", facts=facts)
    if own.summary:
        yield made.event("title", Title(own.summary, TitleSource.AI))


def _folder(paths: str) -> str | None:
    """The first folder of a list, one a line or as JSON."""
    try:
        listed = items_of(orjson.loads(paths)) if paths.startswith("[") else paths.split("\n")
    except ValueError:
        return None
    return next(filter(None, map(text_of, listed)), None)


def _message(row: ThreadRow, message: Message | str | None) -> Sequence[LightEvent]:
    if message == "Resume":
        return [hidden(row, "the agent went on", "Resume")]
    if not isinstance(message, Message):
        return [row.unknown(f"message/{message}" if message else "message")]
    if message.user is not None:
        return _prompt(row, message.user)
    if message.agent is not None:
        return _response(row, message.agent)
    said = Said(content=[*_older(message)], tool_results=message.tool_results)
    if message.role == "user":
        return _prompt(row, said)
    if message.role == "assistant":
        return _response(row, said)
    if message.role == "system":
        return [hidden(row, "instructions", "system")]
    return [row.unknown(f"message/{message.role}")]


def _older(message: Message) -> Iterator[Part]:
    """The parts of a message before 0.3."""
    for each in message.segments or ():
        segment = each or Segment()
        if segment.type == "thinking":
            yield Part(thinking=Thought(segment.text))
        else:
            yield Part(text=segment.text or "")
    yield from (Part(tool_use=use or Use()) for use in message.tool_uses or ())


def _prompt(row: ThreadRow, said: Said) -> Sequence[LightEvent]:
    """A prompt; what it mentions is there with what it says."""
    words, blocks, context = list[str](), list[Block](), list[str]()
    for at, each in enumerate(said.content or ()):
        part = each or Part()
        if part.text is not None:
            words.append(part.text)
        elif part.mention is not None:
            words.append(_named(fields_of(row.value_of(part.mention.uri))))
            context += [part.mention.content] if part.mention.content else []
        elif part.image is not None:
            blocks.append(ImageBlock("image/png", part.image.source))
        else:
            blocks.append(JsonBlock(row.value_at("User", "content", at)))
    if not words and not blocks and not context:
        return [hidden(row, "a message without words", "User")]
    prompt = spoken("".join(words), tuple(blocks), context=tuple(context))
    return [row.event("prompt", prompt)]


def _named(uri: Fields) -> str:
    """A mention in the words of a prompt: by the last part of the path, or of the link."""
    parts: list[Fields] = [*map(fields_of, uri.values()), uri]
    said = next(filter(None, (text(each, *_NAMES) for each in parts)), "")
    return f"@{said.rstrip('/').rpartition('/')[2]}" if said else "@"


def _response(row: ThreadRow, said: Said) -> Sequence[LightEvent]:
    """A response of the agent, with what its calls brought."""
    row.response_id = f"{row.name}{row.suffix_end}"

    def say(suffix: str, words: list[str], blocks: tuple[Block, ...]) -> LightEvent:
        return row.text_part(suffix, "".join(words), blocks)

    parts = (_part(row, at, each or Part()) for at, each in enumerate(said.content or ()))
    events = whole_response(in_order(parts, say, merged=False))
    results = said.tool_results or ()
    listed = results.items() if isinstance(results, dict) else enumerate(results)
    for key, each in listed:
        outcome = each or Outcome()
        call_id = str(key) if outcome.tool_use_id is None else outcome.tool_use_id
        made, failed = (row, call_id, outcome), outcome.is_error
        events.append(row.result_part(f"result/{key}", call_id, _result, made, failed=failed))
    return events or [hidden(row, "a message without words", "Agent")]


def _part(row: ThreadRow, at: int, part: Part) -> LightEvent | Block | str:
    if part.text is not None:
        return part.text
    if part.thinking is not None:
        return row.thought_part(f"thought/{at}", part.thinking.text or "")
    if row.value_of(part.redacted_thinking) is not None:
        return row.thought_part(f"thought/{at}", "", withheld=True)
    use = part.tool_use
    if use is None:
        return JsonBlock(row.value_at("Agent", "content", at))
    name = use.name or "(none)"
    call_id = f"{row.name}{row.suffix_end}/{at}" if use.id is None else use.id
    return row.call_event(f"call/{at}", call_id, _known(name), _call, (row, call_id, name, use))


_known = known_calls(SPECS.get)


def _call(row: ThreadRow, call_id: str, name: str, use: Use) -> ToolCall:
    given = row.value_of(use.input)
    arguments = given if isinstance(given, str) else fields_of(given)
    return tool_call(call_id=call_id, name=name, arguments=arguments, spec=SPECS.get(name))


def _result(row: ThreadRow, call_id: str, outcome: Outcome) -> ToolResult:
    content = row.value_of(outcome.content)
    blocks = tuple(_block(each) for each in items_of(content) or ([content] if content else []))
    words = "\n".join(block.text for block in blocks if isinstance(block, TextBlock)) or None
    ok = None if outcome.is_error is None else not outcome.is_error
    output = row.value_of(outcome.output)
    return ToolResult(
        call_id,
        ok,
        blocks,
        structured=fields_of(output) or None,
        error=words if ok is False else None,
    )


def _block(content: object) -> Block:
    fields = fields_of(content)
    said = text_of(content) or text_of(fields.get("Text"))
    if said is not None:
        return TextBlock(said)
    picture = text_of(fields_of(fields.get("Image")).get("source"))
    return JsonBlock(content) if picture is None else ImageBlock("image/png", picture)


def _usage(row: ThreadRow) -> Iterator[LightEvent]:
    """Tokens of all requests of the thread."""
    tokens = row.thread.cumulative_token_usage
    if tokens is None:
        return
    given, output = whole_of(tokens.input_tokens), whole_of(tokens.output_tokens)
    if not given and not output:
        return
    usage = Usage(
        given,
        whole_of(tokens.cache_read_input_tokens),
        whole_of(tokens.cache_creation_input_tokens),
        output,
    )
    model = (row.thread.model or Model()).model or None
    yield row.usage_part(TokenUsage("thread", usage, model, total=True))
