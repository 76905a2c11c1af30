"""A message of a thread of Amp, and what is around the messages.

The names are those of the format; what only a body needs is read from the values of the record.
"""

from msgspec import UNSET, Raw, Struct, UnsetType, field

Number = int | float | str | None


class Run(Struct, gc=False):
    """How far a call has come; its result is read as a value."""

    status: str | None = None
    reason: str | None = None


class Part(Struct, gc=False):
    """A part of a message."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw()
    complete: object = None
    tool_use_id: str | None = field(name="toolUseID", default=None)
    run: Run | None = None


class Tokens(Struct, gc=False, rename="camel"):
    """Tokens of a response, with its model and its time."""

    input_tokens: Number = None
    output_tokens: Number = None
    cache_read_input_tokens: Number = None
    cache_creation_input_tokens: Number = None
    timestamp: Number = None
    model: str | None = None


class State(Struct, gc=False):
    """How a response ended."""

    type: str | None = None
    error: Raw = Raw()


class Meta(Struct, gc=False, rename="camel"):
    """When a prompt was sent."""

    sent_at: Number = None


class Repository(Struct, gc=False):
    """The checked out repository."""

    ref: str | None = None


class Tree(Struct, gc=False):
    """A directory that the agent works in."""

    uri: str | None = None
    repository: Repository | None = None


class Platform(Struct, gc=False, rename="camel"):
    """The client."""

    client_version: str | None = None


class Initial(Struct, gc=False):
    """State at the beginning of the thread."""

    trees: list[Tree | None] | None = None
    platform: Platform | None = None


class Environment(Struct, gc=False):
    """Where the agent works."""

    initial: Initial | None = None


class Record(Struct, gc=False, rename="camel"):
    """A message, or what is around the messages."""

    role: str | None = None
    message_id: Number = None
    content: list[Part | str | None] | str | None = None
    usage: Tokens | None = None
    meta: Meta | None = None
    state: State | None = None
    # What is around them.
    messages: Raw | UnsetType = UNSET
    env: Environment | None = None
    agent_mode: str | None = None
    created: Number = None
    title: str | None = None
