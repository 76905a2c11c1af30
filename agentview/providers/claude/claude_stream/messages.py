"""Events of whole messages: `assistant` and `user` records, which end what was drafted of them."""

from dataclasses import replace

from agentview.domain.events import (
    Event,
    Hidden,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    ToolResult,
)
from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tools import ToolCall
from agentview.normalize.json_values import fields_of, items_of, text_of
from agentview.providers.claude.claude_stream.to_transcript import piece, started_by
from agentview.providers.claude.shared.assistant_records import assistant_events
from agentview.providers.claude.shared.event_builder import Frame
from agentview.providers.claude.shared.user_records import user_events

TEXT = "text"
THOUGHT = "thought"
"""Runs of the pieces of a message and of a thought. Deltas name no message before 2.1.3xx."""


def response_events(frame: Frame) -> list[Event]:
    """Events of an `assistant` record: a part of a response, whole."""
    events = [_whole(event, frame) for event in assistant_events(frame)]
    events = [_counted(event, frame) for event in events]
    return [*events, *_superseded(frame)]


def prompt_or_result_events(frame: Frame) -> list[Event]:
    """Events of a `user` record: results, prompts, and what the client says in their place."""
    return [_linked(event) for event in user_events(frame)]


def started(event: Event) -> Event:
    """The event of a call, with the conversation of the agent that the call starts."""
    call = event.body
    starts = isinstance(call, ToolCall) and isinstance(call.payload, SubagentPayload)
    if not isinstance(call, ToolCall) or not starts:
        return event
    return replace(event, child=started_by(call.call_id))


def _whole(event: Event, frame: Frame) -> Event:
    body = event.body
    if isinstance(body, Message):
        return _replaceable(piece(event, TEXT, whole=True), frame)
    if isinstance(body, Reasoning):
        # A thought whose text is withheld must not take the place of what was told of it.
        return _replaceable(piece(event, THOUGHT, whole=not body.withheld), frame)
    if isinstance(body, ToolCall):
        return started(replace(event, amends=True))
    return event


def _counted(event: Event, frame: Frame) -> Event:
    """Usage without the count that is provisional until the response has ended.

    The record is printed before the response ends, often with the `output_tokens` that it began
    with (1 in 2.1.329); what it came to is in the stream event at its end, and in the result.
    """
    body = event.body
    ended = text_of(fields_of(frame.fields.get("message")).get("stop_reason")) is not None
    if ended or not isinstance(body, TokenUsage):
        return event
    return replace(event, body=replace(body, usage=replace(body.usage, output=None)))


def _superseded(frame: Frame) -> list[Event]:
    """Take the place of messages that this one replaces, as after a refusal (0.3.3xx)."""
    body = Hidden("a message that this one replaces counts no more", "assistant")
    return [
        frame.event(f"supersedes{number}", body, replaces=_message_key(uuid))
        for number, item in enumerate(items_of(frame.fields.get("supersedes")))
        if (uuid := text_of(item)) is not None
    ]


def _replaceable(event: Event, frame: Frame) -> Event:
    return (
        event if frame.record_id is None else replace(event, replaces=_message_key(frame.record_id))
    )


def _message_key(uuid: str) -> str:
    """The key under which what a record says can be replaced by a later one."""
    return f"message:{uuid}"


def _linked(event: Event) -> Event:
    """Name the agent by the call that started it, as its own records do."""
    if event.child is None:
        return event
    body = event.body
    call_id = body.call_id if isinstance(body, ToolResult | Notification) else None
    return replace(event, child=started_by(call_id) if call_id is not None else None)
