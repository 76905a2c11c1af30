"""Events of one line of a transcript: messages without times, ids or results.

A call has no id: it is named by its place. What came of it is not recorded: it has no result once
the log continued, which the name of each line as a response shows.
"""

from agentview.domain.events import (
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    ToolResult,
    Topic,
)
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import first, flag, text
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.normalize.raw_span import value_span
from agentview.providers.cursor.shared import tools
from agentview.providers.cursor.shared.content import block_of, blocks_of, prompt_events, text_in
from agentview.providers.cursor.shared.event_builder import CursorRecord

_CALLS = frozenset({"tool_use", "tool_call"})
_RESULTS = frozenset({"tool_result"})
_THOUGHTS = frozenset({"thinking", "reasoning"})


def transcript_events(record: CursorRecord) -> list[Event]:
    """Events of a line `{"role": …, "message": {"content": […]}}`."""
    role = text_of(record.fields.get("role")) or "(none)"
    content = fields_of(record.fields.get("message")).get("content")
    if role not in ("user", "assistant"):
        return [record.unknown(f"message/{role}")]
    if role == "assistant":
        record.response_id = record.name
    blocks = items_of(content)
    if role == "user" and not any(_kind(block) in _RESULTS for block in blocks):
        return prompt_events(record, content)
    if not blocks:
        return message_events(record, text_in(content))
    events = [event for at, block in enumerate(blocks) for event in _block(record, at, block)]
    model = text_of(record.fields.get("model"))
    if model is not None:
        events.append([record.hidden("the model", "model", facts=Facts(model=model))][0])
    return events


def message_events(record: CursorRecord, said: str) -> list[Event]:
    """Return what the agent said, by itself."""
    if not said.strip():
        return [record.hidden("a message without text", "assistant")]
    return [record.event("message", Message(said))]


def block_events(record: CursorRecord, at: int, block: object) -> list[Event]:
    """Events of block number `at` of what the agent said, where it is not a text."""
    fields = fields_of(block)
    kind = _kind(block)
    if kind in _THOUGHTS:
        said = text(fields, "thinking", "text", "reasoning") or ""
        return [record.event(f"thought{at}", Reasoning(said, withheld=not said.strip()))]
    if kind in _CALLS:
        return _call(record, at, fields)
    if kind in _RESULTS:
        return [record.event(f"result{at}", _result(record, at, fields))]
    if kind == "redacted_thinking":
        return [record.event(f"thought{at}", Reasoning("", withheld=True))]
    if kind == "image":
        return [record.event(f"image{at}", Message("", (block_of(block),)))]
    return [record.unknown(f"block/{kind or '(none)'}", f"unknown{at}")]


def _kind(block: object) -> str:
    return (text_of(fields_of(block).get("type")) or "").replace("-", "_")


def _block(record: CursorRecord, at: int, block: object) -> list[Event]:
    if isinstance(block, str) or _kind(block) == "text":
        said = text_in([block])
        if not said.strip():
            return [record.event(f"hidden{at}", [record.hidden("an empty text", "text")][0].body)]
        return [record.event(f"message{at}", Message(said))]
    return block_events(record, at, block)


def _call(record: CursorRecord, at: int, fields: Fields) -> list[Event]:
    """A call; with an id it is one that other records have as well."""
    name = text(fields, "name", "toolName", "tool_name") or "(no name)"
    key = next((key for key in ("input", "args", "arguments") if key in fields), "input")
    given = fields.get(key)
    span = value_span(record.raw, ["message", "content", at, key])
    raw = record.raw[slice(*span)] if span is not None else None
    own_id = text(fields, "id", "toolCallId", "tool_call_id", "call_id")
    call_id = f"{record.name}/{at}" if own_id is None else own_id
    arguments = tools.arguments_of(name, given)
    call = tool_call(
        call_id=call_id,
        name=name,
        arguments=arguments,
        raw=raw if not isinstance(arguments, str) else None,
        spec=tools.find_tool(name, arguments),
    )
    return [record.event(f"call{at}", call, run="", amends=own_id is not None)]


def _result(record: CursorRecord, at: int, fields: Fields) -> ToolResult:
    """A result; without the id of a call it belongs to none."""
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


def error_events(record: CursorRecord) -> list[Event]:
    """An error between two messages."""
    said = text(record.fields, "error", "message") or "Error"
    return [record.event("error", Notification(Topic.API_ERROR, said, Level.ERROR), run="")]


def turn_events(record: CursorRecord) -> list[Event]:
    """A turn is over."""
    status = text_of(record.fields.get("status"))
    good = status in (None, "success", "completed")
    level = Level.INFO if good else Level.WARNING
    said = "Turn complete" if good else f"Turn ended: {status}"
    return [record.event("end", Notification(Topic.TURN_END, said, level), run="")]
