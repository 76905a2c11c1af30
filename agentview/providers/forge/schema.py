"""Rows of the table of conversations of Forge, and the messages in them.

The names are those of the format, which has the kind of a value as the key of an object. A `Raw`
is a body: it is read when somebody looks at it.
"""

from msgspec import Raw, Struct, field

Number = int | float | str | None


class Asked(Struct, gc=False):
    """A call."""

    name: str | None = None
    call_id: str | None = None
    arguments: Raw = Raw()


class Thought(Struct, gc=False):
    """A thought, or what a vendor gave in its place."""

    text: str | None = None
    data: str | None = None


class Said(Struct, gc=False):
    """A text of one side; `raw_content` is what the person wrote, before it was put in a form."""

    role: str | None = None
    content: str | list[Raw] | None = None
    raw_content: Raw = Raw()
    tool_calls: list[Asked | None] | None = None
    model: str | None = None
    reasoning_details: list[Thought | None] | None = None
    droppable: bool | None = None


class Output(Struct, gc=False):
    """Result of a call."""

    is_error: bool | None = None
    values: Raw = Raw()


class Outcome(Struct, gc=False):
    """The result of a call."""

    name: str | None = None
    call_id: str | None = None
    output: Output | None = None


class Message(Struct, gc=False):
    """A message; it has one of these."""

    text: Said | None = None
    tool: Outcome | None = None
    image: Raw = Raw()
    document: Raw = Raw()


class Count(Struct, gc=False):
    """Tokens, as the vendor counted them or as the client estimated them."""

    actual: Number = None
    capital: Number = field(name="Actual", default=None)


class Usage(Struct, gc=False):
    """Tokens of a response."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    cached_tokens: Count | None = None
    cost: float | None = None


class Entry(Message, gc=False):
    """A message with its tokens; before, the message itself."""

    message: Message | None = None
    usage: Usage | None = None


class Context(Struct, gc=False):
    """All messages of a conversation."""

    messages: list[Entry | None] | None = None


class Row(Struct, gc=False):
    """A row."""

    table: str | None = None
    id: str | None = None
    title: str | None = None
    created: Number = None
    updated: Number = None
    context: Context | None = None
