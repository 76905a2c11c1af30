"""Events of whole messages: `assistant` and `user` records, which end what was drafted of them."""

from msgspec.structs import replace

from agentview.domain.events import (
    Event,
    Hidden,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    ToolResult,
)
from agentview.domain.session import Stream
from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tools import ToolCall
from agentview.providers._kit.typed_records import event_of
from agentview.providers.claude.claude_stream.to_transcript import PrintedRecord, started_by
from agentview.providers.claude.shared.assistant_records import assistant_events
from agentview.providers.claude.shared.event_builder import ClaudeRecord
from agentview.providers.claude.shared.user_records import user_events

TEXT = "text"
THOUGHT = "thought"
"""Runs of the pieces of a message and of a thought. Deltas name no message before 2.1.3xx."""


def response_events(record: PrintedRecord) -> list[Event]:
    """Events of an `assistant` record: a part of a response, whole."""
    events = [_whole(event, record) for event in map(event_of, assistant_events(record))]
    events = [_counted(event, record) for event in events]
    return [*events, *_superseded(record)]


def prompt_or_result_events(record: ClaudeRecord) -> list[Event]:
    """Events of a `user` record: results, prompts, and what the client says in their place."""
    return [_linked(event_of(event)) for event in user_events(record)]


def agent_of(call: ToolCall) -> Stream | None:
    """The conversation of the agent that a call starts."""
    return started_by(call.call_id) if isinstance(call.payload, SubagentPayload) else None


def _whole(event: Event, record: ClaudeRecord) -> Event:
    body = event.body
    own = record.record_id
    replaces = _message_key(own) if own is not None else event.replaces
    if isinstance(body, Message):
        return replace(event, run=TEXT, whole=True, dedupe_key=None, replaces=replaces)
    if isinstance(body, Reasoning):
        # A redacted thought must not replace what was reported of it.
        whole = not body.withheld
        return replace(event, run=THOUGHT, whole=whole, dedupe_key=None, replaces=replaces)
    if isinstance(body, ToolCall):
        return replace(event, amends=True, path="whole", child=agent_of(body) or event.child)
    return event


def _counted(event: Event, record: ClaudeRecord) -> Event:
    """Usage without the count that is provisional until the response has ended.

    The record is printed before the response ends, often with the `output_tokens` that it began
    with (1 in 2.1.329); what it came to is in the stream event at its end, and in the result.
    """
    body = event.body
    ended = record.message is not None and bool(record.message.stop_reason)
    if ended or not isinstance(body, TokenUsage):
        return event
    return replace(event, body=replace(body, usage=replace(body.usage, output=None)))


def _superseded(record: PrintedRecord) -> list[Event]:
    """Take the place of messages that this one replaces, as after a refusal (0.3.3xx)."""
    body = Hidden("a message that this one replaces counts no more", "assistant")
    return [
        record.event(f"supersedes{number}", body, replaces=_message_key(uuid))
        for number, uuid in enumerate(record.printed.supersedes or ())
        if uuid
    ]


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
