"""Lines of a wire of Kimi CLI, and the messages that it prints (1.48, protocol 1.10)."""

from msgspec import UNSET, Raw, Struct, UnsetType

from agentview.providers.kimi.shared.schema import Call, Chat, Number, Tokens


class Returned(Struct, gc=False):
    """Outcome of a call."""

    is_error: bool | None = None


class Payload(Call, gc=False):
    """Content of a message, by its type; a call has its function in itself, or as a member."""

    # A part of a response, which has a type of its own.
    type: str | None = None
    text: str | None = None
    think: str | None = None
    # Calls and their results.
    arguments_part: str | None = None
    tool_call_id: str | None = None
    return_value: Returned | None = None
    result: Returned | None = None
    # Steps.
    plan_mode: object = None
    token_usage: Tokens | None = None
    message_id: str | None = None
    # What an agent does.
    parent_tool_call_id: str | None = None
    task_tool_call_id: str | None = None
    agent_id: str | None = None
    subagent_type: str | None = None
    event: "Wire | None" = None
    # Requests, and what was decided.
    action: str | None = None
    description: str | None = None
    request_id: str | None = None
    response: str | None = None
    feedback: str | None = None
    # Notes of the client, and hooks.
    severity: str | None = None
    category: str | None = None
    title: str | None = None
    body: str | None = None
    target: str | None = None
    reason: str | None = None


class Wire(Struct, gc=False):
    """A message of the wire."""

    type: str | None = None
    payload: Payload | None = None


class Line(Chat, gc=False):
    """A line of a log of the wire, or a message that is printed."""

    timestamp: Number = None
    message: Wire | UnsetType | None = UNSET
    protocol_version: Raw = Raw()
