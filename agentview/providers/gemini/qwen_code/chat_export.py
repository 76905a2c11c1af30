"""What `/export jsonl` writes: calls with their outcomes, in the words of the agents' protocol."""

from agentview.domain.events import Event, ToolResult
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import collect, items, mapping, text
from agentview.normalize.json_values import Fields
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.raw_span import value_span
from agentview.providers._kit.acp.content import blocks_of, diffs_in, shown
from agentview.providers._kit.acp.tool_calls import spec_of, tool_name
from agentview.providers.gemini.shared.event_builder import Frame

_DONE = {"completed": True, "failed": False}


def head_events(frame: Frame, fields: Fields) -> list[Event]:
    """The first line, which says what the session is."""
    _ = fields
    return [frame.hidden("the session itself", "session_metadata")]


def call_events(frame: Frame, fields: Fields) -> list[Event]:
    """A call and, where it has ended, its outcome; the tool itself is not named."""
    told = mapping(fields.get("toolCall"))
    call_id = text(told, "toolCallId") or frame.record_id
    kind, title = text(told, "kind"), text(told, "title")
    args = mapping(told.get("rawInput"))
    content = blocks_of(told["content"]) if told.get("content") is not None else ()
    places = collect(items(told.get("locations")), lambda place: text(place, "path"))
    name = tool_name(call_id, None, title, kind)
    span = value_span(frame.raw, ("toolCall", "rawInput"))
    written = frame.raw[slice(*span)] if span is not None else b""
    call = tool_call(
        call_id=call_id,
        name=name,
        arguments=args or None,
        raw=written if written.startswith(b"{") else None,
        spec=spec_of(name, kind, title, args, diffs_in(content), places),
        title=title,
    )
    events = [frame.event("call", call)]
    ok = _DONE.get(text(told, "status") or "")
    if ok is not None:
        output = shown(content)
        error = None if ok else text_in(output)
        events.append(frame.event("result", ToolResult(call_id, ok, output, error=error)))
    return events
