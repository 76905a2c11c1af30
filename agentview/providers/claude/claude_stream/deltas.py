"""Events of `stream_event` records: pieces of a response while the model writes it.

The whole `assistant` record of a block comes before the event that ends the block, and takes the
place of its pieces. A stream that breaks off keeps what came.
"""

from collections.abc import Callable
from dataclasses import replace

from agentview.domain.events import (
    Event,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    ToolInput,
    Topic,
)
from agentview.domain.tools import ToolState
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers.claude.claude_stream.messages import TEXT, THOUGHT, started
from agentview.providers.claude.claude_stream.to_transcript import piece
from agentview.providers.claude.shared.assistant_records import is_call, tool_name, usage_of
from agentview.providers.claude.shared.event_builder import Frame
from agentview.providers.claude.shared.tools import spec_for


def partial_events(frame: Frame) -> list[Event]:
    """Events of a `stream_event` record: the vendor's own event is in its `event`."""
    event = fields_of(frame.fields.get("event"))
    kind = text_of(event.get("type")) or "(none)"
    frame.response_id = text_of(frame.fields.get("api_message_id"))
    make = _MAKERS.get(kind)
    return make(frame, event) if make is not None else [frame.unknown(f"stream_event/{kind}")]


def _bookkeeping(frame: Frame, reason: str, kind: str) -> Event:
    return frame.event("hidden", Hidden(reason, f"stream_event/{kind}"))


def _message_start(frame: Frame, event: Fields) -> list[Event]:
    """A response begins. What its message holds already, the deltas tell again (2.0.76)."""
    frame.model = text_of(fields_of(event.get("message")).get("model"))
    return [piece(_bookkeeping(frame, "a response begins", "message_start"), "")]


def _block_start(frame: Frame, event: Fields) -> list[Event]:
    block = fields_of(event.get("content_block"))
    if not is_call(block):
        kind = text_of(block.get("type")) or "(none)"
        begun = _bookkeeping(frame, "a part of a response begins", f"content_block_start/{kind}")
        return [piece(begun, "")]
    name = tool_name(block)
    draft = tool_call(
        call_id=text_of(block.get("id")) or f"{frame.record_id}:draft",
        name=name,
        arguments=None,
        spec=spec_for(name),
        state=ToolState.INPUT_STREAMING,
    )
    made = piece(frame.event("draft", draft), _input_run(event))
    return [started(replace(made, amends=True))]


def _delta(frame: Frame, event: Fields) -> list[Event]:
    delta = fields_of(event.get("delta"))
    kind = text_of(delta.get("type")) or "(none)"
    if kind == "text_delta":
        return [piece(frame.event("piece", Message(_said(delta, "text"))), TEXT)]
    if kind == "thinking_delta":
        return [piece(frame.event("piece", Reasoning(_said(delta, "thinking"))), THOUGHT)]
    if kind == "input_json_delta":
        written = ToolInput(_said(delta, "partial_json"))
        return [piece(frame.event("piece", written), _input_run(event))]
    return [_bookkeeping(frame, "what no reader sees of a response", f"content_block_delta/{kind}")]


def _said(delta: Fields, key: str) -> str:
    return text_of(delta.get(key)) or ""


def _input_run(event: Fields) -> str:
    """The arguments of the call at this place of its response."""
    return f"input:{event.get('index')}"


def _block_stop(frame: Frame, _: Fields) -> list[Event]:
    return [_bookkeeping(frame, "a part of a response ends", "content_block_stop")]


def _message_delta(frame: Frame, event: Fields) -> list[Event]:
    """The response ends; its counts are whole now, and named by its id since 2.1.3xx."""
    ended = _bookkeeping(frame, "a response ends", "message_delta")
    usage = fields_of(event.get("usage"))
    response = frame.response_id
    if response is None or "input_tokens" not in usage:
        return [ended]
    body = TokenUsage(response, usage_of(usage))
    return [ended, frame.event("usage", body, replaces=f"usage:{response}")]


def _message_stop(frame: Frame, _: Fields) -> list[Event]:
    return [piece(_bookkeeping(frame, "a response has ended", "message_stop"), "")]


def _ping(frame: Frame, _: Fields) -> list[Event]:
    return [_bookkeeping(frame, "the connection is alive", "ping")]


def _error(frame: Frame, event: Fields) -> list[Event]:
    error = fields_of(event.get("error"))
    said = text_of(error.get("message")) or text_of(error.get("type")) or "The request failed"
    return [frame.event("error", Notification(Topic.API_ERROR, said, Level.ERROR))]


_MAKERS: dict[str, Callable[[Frame, Fields], list[Event]]] = {
    "message_start": _message_start,
    "content_block_start": _block_start,
    "content_block_delta": _delta,
    "content_block_stop": _block_stop,
    "message_delta": _message_delta,
    "message_stop": _message_stop,
    "ping": _ping,
    "error": _error,
}
