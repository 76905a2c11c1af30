"""Events of one line, which is an item of a conversation."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import Attachment, Facts, Title, TitleSource, TokenUsage, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, number
from agentview.normalize.json_values import fields_of, items_of, text_of, time_of, whole_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.chat_parts import message_parts, result_blocks
from agentview.providers._kit.prompt_context import split_context
from agentview.providers._kit.speakers import Form, divided, spoken_events, unwrapped
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.codebuddy.schema import Details, Given, Line, ServiceTokens, Tokens
from agentview.providers.codebuddy.tools import SPECS

_FORMS = (Form("reminder", re.compile(r"\s*+<system-reminder>.*?</system-reminder>", re.DOTALL)),)
"""Context of the client in front of a prompt."""

_TITLES = {
    "ai-title": TitleSource.AI, "custom-title": TitleSource.CUSTOM,
}  # fmt: skip


class BuddyLine(TypedBuilder[Line], gc=False):
    """A line with what the service said of its response."""

    @property
    def given(self) -> Given:
        return self.record.provider_data or Given()


def _line(line: Line, raw: bytes, source: SourceRef, session: SessionRef) -> BuddyLine:
    given = line.provider_data or Given()
    model = given.model or given.request_model_id or None
    cwd = line.cwd or None
    return BuddyLine.of(
        line, raw, source, session, time=time_of(line.timestamp), record_id=line.id or None,
        facts=Facts(model=model, cwd=cwd) if model is not None or cwd is not None else None,
    )  # fmt: skip


def _line_events(line: BuddyLine) -> Sequence[LightEvent]:
    return [*records(line, line.record.type or None), *_usage(line)]


records = Records[BuddyLine](hidden={})
"""Makers of the events of a line, by its type."""

LINES = TypedLines(
    Line, _line, _line_events, re.compile(r'\{\s*"(?:id|type|timestamp|sessionId|parentId)"\s*:')
)


@records.on("message")
def _message(line: BuddyLine) -> Sequence[LightEvent]:
    role = line.record.role or "(none)"
    if role not in ("user", "assistant", "system"):
        return [line.unknown(f"message/{role}")]
    content = {"content": line.value_of(line.record.content)}
    words: list[str] = []
    blocks: list[Block] = []
    for part in message_parts(content, role, output=False):
        if part.kind == "text":
            words.append(part.text)
        elif part.block is not None:
            blocks.append(part.block)
    said, others = "\n".join(words), tuple(blocks)
    if not said.strip() and not others:
        return [hidden(line, "a message without words", f"message/{role}")]
    if role == "assistant":
        return [line.text_part("said", said, others)]
    if role == "system":
        return [line.event("said", Attachment("system message", "instructions", said))]
    found = divided(said, _FORMS)
    context, own = split_context(found.words)
    return spoken_events(line, replace(found, words=unwrapped(own)), others, context)


@records.on("reasoning")
def _reasoning(line: BuddyLine) -> Sequence[LightEvent]:
    """A thought: its text as the service gave it, else a summary of it."""
    for body in (line.record.raw_content, line.record.content):
        parts = map(fields_of, items_of(line.value_of(body)))
        said = "\n\n".join(filter(None, (text_of(part.get("text")) for part in parts)))
        if said:
            return [line.thought_part("thought", said)]
    return [line.thought_part("thought", "", withheld=True)]


@records.on("function_call")
def _call(line: BuddyLine) -> Sequence[LightEvent]:
    name = line.record.name or "(none)"
    call_id = _call_id(line)
    return [line.call_event("call", call_id, _known(name), _whole_call, (line, call_id, name))]


_known = known_calls(SPECS.get)


def _call_id(line: BuddyLine) -> str:
    return line.name if line.record.call_id is None else line.record.call_id


def _whole_call(line: BuddyLine, call_id: str, name: str) -> ToolCall:
    given = line.value_of(line.record.arguments)
    arguments = given if isinstance(given, str) else fields_of(given)
    return tool_call(call_id=call_id, name=name, arguments=arguments, spec=SPECS.get(name))


@records.on("function_call_result")
def _result(line: BuddyLine) -> Sequence[LightEvent]:
    """The result of a call; a failure shows in its status or its exit code."""
    value = line.value_of(line.record.output)
    blocks = result_blocks(value)
    words = "\n".join(block.text for block in blocks if isinstance(block, TextBlock)) or None
    structured = mapping(words)
    code = number(structured, "exit_code", "exitCode")
    ok = {"completed": None, "incomplete": False, "failed": False}.get(line.record.status or "")
    if code is not None and ok is None:
        ok = code == 0
    body = ToolResult(
        _call_id(line),
        ok,
        blocks,
        structured=structured or None,
        error=words if ok is False else None,
    )
    return [line.event("result", body)]


@records.on(*_TITLES)
def _title(line: BuddyLine) -> Sequence[LightEvent]:
    own, kind = line.record, line.record.type or ""
    content = text_of(line.value_of(own.content))
    said = own.title or own.ai_title or own.custom_title or content
    if not said:
        return [hidden(line, "a title without words", kind)]
    return [line.event("title", Title(said, _TITLES[kind]))]


def _usage(line: BuddyLine) -> Sequence[LightEvent]:
    """Tokens of the request that gave the item."""
    given = line.given
    used = _counted(given.usage) if given.usage is not None else None
    if used is None and given.raw_usage is not None:
        used = _stated(given.raw_usage)
    if used is None:
        return []
    body = TokenUsage(line.name, used, given.model or given.request_model_id or None)
    return [line.usage_part(body)]


def _counted(tokens: Tokens) -> Usage | None:
    given, output = whole_of(tokens.input_tokens), whole_of(tokens.output_tokens)
    if given is None and output is None:
        return None
    return Usage(
        given,
        whole_of(tokens.cache_read_input_tokens),
        whole_of(tokens.cache_creation_input_tokens),
        output,
        whole_of(tokens.reasoning_tokens),
    )


def _stated(tokens: ServiceTokens) -> Usage | None:
    given, output = whole_of(tokens.prompt_tokens), whole_of(tokens.completion_tokens)
    if given is None and output is None:
        return None
    details = tokens.prompt_tokens_details or Details()
    more = tokens.completion_tokens_details or Details()
    gave = (tokens.prompt_cache_hit_tokens, tokens.cached_tokens, details.cached_tokens)
    cached = next((count for count in map(whole_of, gave) if count is not None), None)
    written = whole_of(tokens.prompt_cache_write_tokens)
    thought = whole_of(tokens.completion_thinking_tokens)
    return Usage(
        None if given is None else max(0, given - (cached or 0) - (written or 0)),
        cached,
        written,
        output,
        whole_of(more.reasoning_tokens) if thought is None else thought,
    )
