"""Rows of the tables of Hermes Agent (to 0.19): sessions, messages, and work in the background.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. What a
row of another table has besides is read from its `fields`.
"""

from msgspec import Raw, Struct

Number = int | float | str | None
Words = object
"""A text; any other value is shown as JSON."""


class Function(Struct, gc=False):
    """The tool of a call, with its arguments as a text or an object."""

    name: Words = None
    arguments: Raw = Raw()


class Call(Struct, gc=False):
    """A call that a response asks for."""

    id: Words = None
    call_id: Words = None
    function: Function | None = None


class Row(Struct, gc=False):
    """A row of a table."""

    table: Words = None
    id: Words = None
    delegation_id: Words = None
    timestamp: Number = None
    updated_at: Number = None
    ended_at: Number = None
    started_at: Number = None
    # Messages.
    kept: Words = None
    """The id of the first row of a message that a compaction kept."""
    role: Words = None
    content: Words = None
    reasoning: Words = None
    tool_calls: list[Call | None] | None = None
    tool_call_id: Words = None
    tool_name: str | None = None
    finish_reason: str | None = None
    observed: object = None
    undone: object = None
