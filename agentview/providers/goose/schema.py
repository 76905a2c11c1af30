"""Rows of the tables of Goose (schema 15 to 17), and lines of older sessions.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. What a
row or a part has besides is read from its values.
"""

from msgspec import UNSET, Raw, Struct

Number = int | float | str | None
Words = object
"""A text; any other value is shown as JSON."""


class Asked(Struct, gc=False):
    """A tool with its arguments."""

    name: Words = None
    arguments: Raw = Raw()


class Attempt(Asked, gc=False):
    """A call, or, with `error`, one that could not be read. In some versions it has no `value`."""

    status: str | None = None
    value: Asked | None = None
    error: Words = None

    @property
    def asked(self) -> Asked:
        return self if self.value is None else self.value


class Part(Struct, gc=False, rename={"tool_call": "toolCall", "tool_result": "toolResult"}):
    """A part of a message."""

    type: Words = None
    id: Words = None
    text: Words = None
    thinking: Words = None
    tool_call: Attempt | None = None
    tool_result: Raw = Raw()


class Metadata(Struct, gc=False, rename="camel"):
    """Who is to see a message."""

    user_visible: bool | None = None


class Row(Struct, gc=False):
    """A row of a table, or a line."""

    table: Words = None
    id: Words = None
    created: Number = None
    working_dir: Words = UNSET
    # Messages.
    role: Words = UNSET
    message_id: Words = None
    metadata: Metadata | None = None
    content: list[Part | None] | str | None = None
