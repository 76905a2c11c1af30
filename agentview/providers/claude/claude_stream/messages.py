"""Events of whole messages: `assistant` and `user` records, which end what was drafted of them."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.events import (
    Event,
    Hidden,
    Notification,
    TokenUsage,
    ToolResult,
)
from agentview.domain.index_entry import EventFact, EventLinks, Role
from agentview.domain.session import Stream
from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tools import ToolCall
from agentview.providers._kit.typed_records import LightEvent, event_of
from agentview.providers.claude.claude_stream.to_transcript import PrintedRecord, started_by
from agentview.providers.claude.shared.assistant_records import (
    MESSAGE,
    REASONING,
    assistant_events,
)
from agentview.providers.claude.shared.event_builder import ClaudeRecord
from agentview.providers.claude.shared.user_records import user_events

TEXT = "text"
THOUGHT = "thought"
"""Runs of the pieces of a message and of a thought. Deltas name no message before 2.1.3xx."""


def response_events(record: PrintedRecord) -> Sequence[LightEvent]:
    """Events of an `assistant` record: a part of a response, whole."""
    whole: list[LightEvent] = []
    for event in assistant_events(record):
        if isinstance(event, EventFact):
            _make_whole(event, record)
            whole.append(event)
        else:
            whole.append(_whole(event))
    return [*whole, *_superseded(record)]


def prompt_or_result_events(record: ClaudeRecord) -> Sequence[LightEvent]:
    return [
        event if event.child is None else _linked(event_of(event)) for event in user_events(record)
    ]


def agent_of(call: ToolCall) -> Stream | None:
    return started_by(call.call_id) if isinstance(call.payload, SubagentPayload) else None


_TEXT, _THOUGHT = EventLinks(TEXT, whole=True), EventLinks(THOUGHT, whole=True)
_REDACTED, _CALL = EventLinks(THOUGHT), EventLinks(amends=True)


def _make_whole(light: EventFact, record: ClaudeRecord) -> None:
    """Have a light event take the place of the pieces that came of it."""
    own = record.record_id
    if light.role == Role.CALL:
        light.tie, light.path = _CALL, "whole"
    elif light.usage is not None:
        _count(light, light.usage, record)
    elif light.kind in (MESSAGE, REASONING):
        # A redacted thought must not replace what was reported of it.
        withheld = light.kind == REASONING and light.args[1]
        light.tie = _TEXT if light.kind == MESSAGE else _REDACTED if withheld else _THOUGHT
        light.dedupe, light.replaces = None, None if own is None else _message_key(own)


def _whole(event: Event) -> Event:
    """The same for a call whose body has been made."""
    body = event.body
    if not isinstance(body, ToolCall):
        return event
    return replace(event, amends=True, path="whole", child=agent_of(body) or event.child)


def _count(light: EventFact, counted: TokenUsage, record: ClaudeRecord) -> None:
    """Take away the count that is provisional until the response has ended.

    The record is printed before the response ends, often with the `output_tokens` that it began
    with (1 in 2.1.329); what it came to is in the stream event at its end, and in the result.
    """
    if record.message is None or not record.message.stop_reason:
        light.usage = replace(counted, usage=replace(counted.usage, output=None))
        light.args = (light.usage,)


def _superseded(record: PrintedRecord) -> list[Event]:
    """Take the place of messages that this one replaces, as after a refusal (0.3.3xx)."""
    body = Hidden("a message that this one replaces counts no more", "assistant")
    return [
        record.event(f"supersedes{number}", body, replaces=_message_key(uuid))
        for number, uuid in enumerate(record.printed.supersedes or ())
        if uuid
    ]


def _message_key(uuid: str) -> str:
    return f"message:{uuid}"


def _linked(event: Event) -> Event:
    """Name the agent by the call that started it, as its own records do."""
    body = event.body
    call_id = body.call_id if isinstance(body, ToolResult | Notification) else None
    return replace(event, child=started_by(call_id) if call_id is not None else None)
