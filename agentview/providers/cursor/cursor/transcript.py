"""Events of one line of a transcript: messages without times, ids or results.

A call has no id: it is named by its place. What came of it is not recorded: it has no result once
the log continued, which the name of each line as a response shows.
"""

from collections.abc import Sequence

from agentview.domain.events import (
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    ToolResult,
    Topic,
)
from agentview.domain.index_entry import EventLinks, Signal
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, first, flag, text
from agentview.normalize.json_values import fields_of, text_of
from agentview.providers._kit.typed_records import REASONING, LightEvent, hidden
from agentview.providers.cursor.cursor.event_builder import CursorLine
from agentview.providers.cursor.cursor.schema import Block
from agentview.providers.cursor.shared import tools
from agentview.providers.cursor.shared.content import block_of, blocks_of, prompt_events, text_in

_CALLS = frozenset({"tool_use", "tool_call"})
_RESULT = "tool_result"
_THOUGHTS = frozenset({"thinking", "reasoning", "redacted_thinking"})
_NAMES = ("name", "sdk_name", "tool_name")
_IDS = ("id", "sdk_id", "tool_call_id", "call_id")
_ARGUMENTS = ("input", "args", "arguments")
_BY_ID, _BY_PLACE = EventLinks(run="", amends=True), EventLinks(run="")


def transcript_events(record: CursorLine) -> Sequence[LightEvent]:
    """Events of a line `{"role": …, "message": {"content": […]}}`."""
    role, blocks = record.record.role or "(none)", record.blocks
    if role not in ("user", "assistant"):
        return [record.unknown(f"message/{role}")]
    if role == "assistant":
        record.response_id = record.name
    if role == "user" and not any(_kind(block) == _RESULT for block in blocks):
        return prompt_events(record, record.content)
    events = [event for at, block in enumerate(blocks) for event in _block(record, at, block)]
    model = text_of(record.record.model)
    if model is not None:
        events.append(hidden(record, "the model", "model", facts=Facts(model=model)))
    return events or [hidden(record, "a message without text", "assistant")]


def block_events(record: CursorLine, at: int, block: Block | str | None) -> Sequence[LightEvent]:
    """Events of block number `at` of what the agent said, where it is not a text."""
    kind = _kind(block)
    if kind in _THOUGHTS:
        made = (record, at)
        return [record.part(f"thought{at}", REASONING, 0, _thought, made, signal=Signal.AGENT)]
    if kind in _CALLS and isinstance(block, Block):
        return _call(record, at, block)
    if kind == _RESULT:
        return [record.event(f"result{at}", _result(record, at))]
    if kind == "image":
        return [
            record.event(
                f"image{at}", Message("", (block_of(record.value_at("message", "content", at)),))
            )
        ]
    return [record.unknown(f"block/{kind or '(none)'}", f"unknown{at}")]


def words_of(block: Block | str | None) -> str | None:
    """The words of a block; None where it is not a text."""
    if isinstance(block, str):
        return block
    if block is None or block.type not in ("text", None):
        return None
    found = block.text if isinstance(block.text, str) else fields_of(block.text).get("text")
    return found if isinstance(found, str) else None


def _kind(block: Block | str | None) -> str:
    return block.kind if isinstance(block, Block) else ""


def _block(record: CursorLine, at: int, block: Block | str | None) -> Sequence[LightEvent]:
    if not isinstance(block, str) and _kind(block) != "text":
        return block_events(record, at, block)
    said = words_of(block)
    if said is None or not said.strip():
        return [hidden(record, "an empty text", "text", suffix=f"hidden{at}")]
    return [record.said(f"message{at}", said)]


def _thought(record: CursorLine, at: int) -> Reasoning:
    said = text(record.values_at("message", "content", at), "thinking", "text", "reasoning") or ""
    return Reasoning(said, withheld=not said.strip())


def _call(record: CursorLine, at: int, block: Block) -> Sequence[LightEvent]:
    """A call; with an id it is one that other records have as well."""
    name = next(filter(None, (as_text(getattr(block, key)) for key in _NAMES)), "(no name)")
    given = (as_text(getattr(block, key)) for key in _IDS)
    own_id = next((each for each in given if each is not None), None)
    call_id = f"{record.name}/{at}" if own_id is None else own_id
    made, tie = (record, call_id, name, block, at), _BY_PLACE if own_id is None else _BY_ID
    return [record.call(f"call{at}", call_id, name, _whole_call, made, tie)[0]]


def _whole_call(record: CursorLine, call_id: str, name: str, block: Block, at: int) -> ToolCall:
    key = next((key for key in _ARGUMENTS if bytes(getattr(block, key))), _ARGUMENTS[0])
    given = getattr(block, key)
    arguments = tools.arguments_of(name, record.value_of(given))
    raw = record.exact(given, "message", "content", at, key)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=arguments,
        raw=(raw or None) if not isinstance(arguments, str) else None,
        spec=tools.find_tool(name, arguments),
    )


def _result(record: CursorLine, at: int) -> ToolResult:
    """A result; without the id of a call it belongs to none."""
    fields = record.values_at("message", "content", at)
    call_id = text(fields, "tool_use_id", "toolCallId", "tool_call_id", "call_id")
    output = first(fields, "content", "output", "result")
    failed = flag(fields, "is_error", "isError")
    error = text_in(output) or None
    return ToolResult(
        f"{record.name}/{at}" if call_id is None else call_id,
        ok=False if failed else None,
        output=blocks_of(output),
        error=error if failed else None,
    )


def error_events(record: CursorLine) -> Sequence[LightEvent]:
    """An error between two messages."""
    said = text(record.fields, "error", "message") or "Error"
    return [record.event("error", Notification(Topic.API_ERROR, said, Level.ERROR), run="")]


def turn_events(record: CursorLine) -> Sequence[LightEvent]:
    """A turn is over."""
    status = record.record.status or None
    good = status in (None, "success", "completed")
    level = Level.INFO if good else Level.WARNING
    said = "Turn complete" if good else f"Turn ended: {status}"
    return [record.event("end", Notification(Topic.TURN_END, said, level), run="")]
