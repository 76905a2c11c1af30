"""Rows of the table of threads of Zed, and the threads in them (0.1 to 0.3).

The names are those of the format, which has the kind of a value as the key of an object. A `Raw`
is a body: it is read when somebody looks at it.
"""

from msgspec import Raw, Struct, field

Number = int | float | str | None


class Use(Struct, gc=False):
    """A call."""

    id: str | None = None
    name: str | None = None
    input: Raw = Raw()


class Thought(Struct, gc=False):
    """A thought."""

    text: str | None = None


class Mention(Struct, gc=False):
    """Something that a prompt refers to, with what it is."""

    content: str | None = None
    uri: Raw = Raw()


class Picture(Struct, gc=False):
    """A picture, as base64."""

    source: str | None = None


class Part(Struct, gc=False, rename="pascal"):
    """A part of a message; it has one of these."""

    text: str | None = None
    mention: Mention | None = None
    image: Picture | None = None
    thinking: Thought | None = None
    redacted_thinking: Raw = Raw()
    tool_use: Use | None = None


class Outcome(Struct, gc=False):
    """The result of a call."""

    tool_use_id: str | None = None
    is_error: bool | None = None
    content: Raw = Raw()
    output: Raw = Raw()


class Said(Struct, gc=False):
    """A message of one side."""

    id: str | None = None
    content: list[Part | None] | None = None
    tool_results: dict[str, Outcome | None] | list[Outcome | None] | None = None


class Segment(Struct, gc=False):
    """A part of what was said, before 0.3."""

    type: str | None = None
    text: str | None = None


class Message(Struct, gc=False, rename={"user": "User", "agent": "Agent"}):
    """A message: of the person, or of the agent with what its calls brought."""

    user: Said | None = None
    agent: Said | None = None
    # Before 0.3.
    role: str | None = None
    segments: list[Segment | None] | None = None
    tool_uses: list[Use | None] | None = None
    tool_results: list[Outcome | None] | None = None
    context: str | None = None


class Tokens(Struct, gc=False):
    """Tokens of all requests; what is nothing is left out."""

    input_tokens: Number = None
    output_tokens: Number = None
    cache_creation_input_tokens: Number = None
    cache_read_input_tokens: Number = None


class Model(Struct, gc=False):
    """The model of a thread."""

    provider: str | None = None
    model: str | None = None


class Thread(Struct, gc=False):
    """A thread."""

    version: str | None = None
    messages: list[Message | str | None] | None = None
    cumulative_token_usage: Tokens | None = None
    model: Model | None = None


class Packed(Thread, gc=False):
    """The same, packed or not; another value is there as its bytes."""

    zstd: Thread | None = None
    base64: str | None = None


class Row(Struct, gc=False):
    """A row."""

    table: str | None = None
    id: str | None = None
    summary: str | None = None
    created: Number = field(name="created_at", default=None)
    updated: Number = field(name="updated_at", default=None)
    folder_paths: str | None = None
    data: Packed | None = None
