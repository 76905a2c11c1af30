"""Messages of a chat of Codebuff. The names are those of the format."""

from msgspec import Raw, Struct

Number = int | float | str | None


class Question(Struct, gc=False):
    """The questions to the person."""

    question: str | None = None
    options: Raw = Raw()


class Block(Struct, gc=False, rename="camel"):
    """A part of an answer; which keys it has follows from its type."""

    type: str | None = None
    content: str | None = None
    text_type: str | None = None
    # A call with what it brought.
    tool_name: str | None = None
    tool_call_id: str | None = None
    input: Raw = Raw()
    output: Raw = Raw()
    # An agent with what it did.
    agent_id: str | None = None
    agent_type: str | None = None
    agent_name: str | None = None
    initial_prompt: str | None = None
    params: Raw = Raw()
    status: str | None = None
    blocks: "list[Block | None] | None" = None
    # Of others.
    mode: str | None = None
    questions: list[Question | None] | None = None
    filename: str | None = None


class Message(Struct, gc=False):
    """A message."""

    id: str | None = None
    variant: str | None = None
    role: str | None = None
    content: str | None = None
    timestamp: Number = None
    blocks: list[Block | None] | None = None
