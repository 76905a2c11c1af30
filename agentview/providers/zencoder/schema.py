"""Lines of a session of Zencoder: what it is, and its messages.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import Raw, Struct

Number = int | float | str | None


class Part(Struct, gc=False, rename="camel"):
    """A part of a message; a `tag` says that a text is the person's, or what the client added."""

    type: str | None = None
    text: str | None = None
    tag: str | None = None
    # A skill that the client put into a prompt.
    name: str | None = None
    # A call, or what came of one.
    tool_call_id: str | None = None
    tool_name: str | None = None
    input: Raw = Raw()
    is_error: bool | None = None
    content: Raw = Raw()


class Line(Struct, gc=False, rename="camel"):
    """A line; the first one has no role."""

    role: str | None = None
    created_at: Number = None
    content: list[Part | None] | str | None = None
    reason: str | None = None
    """Why a turn ended."""
    # The first line.
    id: str | None = None
    model_id: str | None = None
    parent_id: str | None = None
    creation_reason: str | None = None
