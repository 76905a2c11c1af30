"""Rows of the tables of conversations of Amazon Q CLI, and the messages in them.

The names are those of the format, which has the kind of a value as the key of an object. A `Raw`
is a body: it is read when somebody looks at it.
"""

from msgspec import Raw, Struct, field

Number = int | float | str | None


class Outcome(Struct, gc=False):
    """Result of a call; its status is `Success` or `Error`."""

    tool_use_id: str | None = None
    content: Raw = Raw()
    status: str | None = None


class Asked(Struct, gc=False):
    """A prompt, or what calls brought; with both, the prompt came in place of what they were to."""

    prompt: str | None = None
    tool_use_results: list[Outcome | None] | None = None


class Content(Struct, gc=False, rename="pascal"):
    """The content of a message of the person's side; it has one of these."""

    prompt: Asked | None = None
    tool_use_results: Asked | None = None
    cancelled_tool_uses: Asked | None = None


class State(Struct, gc=False):
    """The machine."""

    operating_system: str | None = None
    current_working_directory: str | None = None


class Environment(Struct, gc=False):
    """Where the client ran."""

    env_state: State | None = None


class User(Struct, gc=False):
    """A message of the person's side."""

    additional_context: str | None = None
    env_context: Environment | None = None
    content: Content | None = None
    timestamp: Number = None
    images: Raw = Raw()


class Use(Struct, gc=False):
    """A call, by the name that the model uses."""

    id: str | None = None
    name: str | None = None
    args: Raw = Raw()


class Said(Struct, gc=False):
    """A response."""

    message_id: str | None = None
    content: str | None = None
    thinking: Raw = Raw()
    tool_uses: list[Use | None] | None = None


class Assistant(Struct, gc=False, rename="pascal"):
    """A response, with calls or without; it has one of these."""

    response: Said | None = None
    tool_use: Said | None = None


class Request(Struct, gc=False):
    """Times and model of a request."""

    request_start_timestamp_ms: Number = None
    stream_end_timestamp_ms: Number = None
    model_id: str | None = None


class Entry(Struct, gc=False):
    """A request with its response."""

    user: User | None = None
    assistant: Assistant | None = None
    request_metadata: Request | None = None


Pair = tuple[User | None, Assistant | None]
"""The same in older versions."""


class Model(Struct, gc=False):
    """The model that the person chose."""

    model_id: str | None = None


class Conversation(Struct, gc=False):
    """A conversation."""

    conversation_id: str | None = None
    next_message: User | None = None
    history: list[Entry | Pair | None] | None = None
    latest_summary: Raw = Raw()
    model: str | None = None
    model_info: Model | None = None


class Row(Struct, gc=False):
    """A row."""

    table: str | None = None
    id: str | None = None
    key: str | None = None
    created: Number = None
    updated: Number = None
    is_new: int | None = None
    conversation: Conversation | None = field(name="value", default=None)
