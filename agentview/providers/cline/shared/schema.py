"""Messages as the engine keeps them, and as the tasks of the extensions keep what a model gets.

The names are those of the formats. A `Raw` is a body: it is read when somebody looks at it. What a
block that is not words has besides is read from its values.
"""

from msgspec import UNSET, Raw, Struct, UnsetType, field

Number = int | float | str | None
Words = object
"""A text; of any other value nothing is said."""


class Part(Struct, gc=False):
    """A part of a message: words, a thought, a call, a result or a block."""

    type: str | None = None
    text: Words = None
    thinking: Words = None
    id: Words = None
    name: Words = None
    input: Raw = Raw()
    tool_use_id: Words = None
    content: Raw = Raw()
    is_error: object = None


class Model(Struct, gc=False):
    """The model: the engine has its id under the first name, the extensions under the second."""

    id: str | None = None
    model_id: str | None = field(name="modelId", default=None)


class Message(Struct, gc=False, rename="camel"):
    """A message to the model, or what it said."""

    role: str | None = None
    ts: Number = None
    content: list[Part | str | None] | str | None = None
    model_info: Model | None = None


class Metadata(Struct, gc=False, rename="camel"):
    """How the client shows a message."""

    display_only: object = None
    hidden: object = None
    display_role: str | None = None


class Tokens(Struct, gc=False):
    """Tokens of a response as the extension of Cline counts them (since 3.39)."""

    prompt: Number = None
    """With those that a cache gave."""
    completion: Number = None
    cached: Number = None


class Metrics(Struct, gc=False, rename="camel"):
    """Tokens of a response, and what they cost."""

    tokens: Tokens | None = None
    input_tokens: Number = None
    output_tokens: Number = None
    cache_read_tokens: Number = None
    cache_write_tokens: Number = None
    cost: Number = None


class Origin(Struct, gc=False):
    """The client that began a session."""

    version: str | None = None


class Record(Message, gc=False, rename="camel"):
    """A message of the engine, or what is around the messages."""

    id: str | None = None
    metadata: Metadata | None = None
    metrics: Metrics | None = None
    # What is around them.
    messages: Raw | UnsetType = UNSET
    session_id: str | UnsetType | None = UNSET
    origin: Origin | None = None
    system_prompt: str | None = field(name="system_prompt", default=None)


class Condensed(Struct, gc=False, rename="camel"):
    """How a history was made shorter."""

    prev_context_tokens: Number = None
    new_context_tokens: Number = None
    summary: str | None = None


class Entry(Message, gc=False, rename="camel"):
    """An entry of a task as the extension shows it, or a message to the model."""

    type: str | None = None
    say: str | None = None
    ask: str | None = None
    text: str | None = None
    partial: object = None
    reasoning: str | None = None
    images: list[str | None] | None = None
    files: list[str | None] | None = None
    conversation_history_index: Number = None
    context_condense: Condensed | None = None
    context_truncation: Condensed | None = None
    metrics: Metrics | None = None


class Source(Struct, gc=False):
    """The bytes of an image or a document, or where they are."""

    media_type: str | None = None
    data: str | None = None
    url: str | None = None


class ContentPart(Struct, gc=False):
    """A part of a content that is shown as it is."""

    type: str | None = None
    text: str | None = None
    source: Source | None = None
    data: str | None = None
    content: str | None = None
