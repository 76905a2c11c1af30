"""Rows of a chat of Cursor's command line: the chat, and messages as its database has them.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. What a
row of another table has besides is read from its `fields`.
"""

from msgspec import UNSET, Raw, Struct

Number = int | float | str | None
Words = object
"""A text; any other value is shown as JSON."""


class Own(
    Struct,
    gc=False,
    rename={
        "started_at": "pendingToolCallStartedAtMs",
        "model_name": "modelName",
        "is_summary": "isSummary",
        "reminder": "loopReminder",
        "outcome": "highLevelToolCallResult",
    },
):
    """Additions of the client to a message, or to a part of one."""

    started_at: Number = None
    is_summary: object = None
    reminder: object = UNSET
    outcome: Raw = Raw()
    model_name: Words = None


class Options(Struct, gc=False):
    """Additions by their author."""

    cursor: Own | None = None


class Extended(Struct, gc=False, rename={"options": "providerOptions"}):
    """A message, or a part of one."""

    options: Options | None = None

    @property
    def own(self) -> Own:
        return (self.options.cursor if self.options is not None else None) or _NONE


class Part(
    Extended,
    gc=False,
    rename={
        "options": "providerOptions",
        "id": "toolCallId",
        "tool_name": "toolName",
        "is_error": "isError",
    },
):
    """A part of a message."""

    type: Words = None
    text: Words = None
    id: str | None = None
    tool_name: Words = None
    args: Raw = Raw()
    result: Raw = Raw()
    experimental_content: Raw = Raw()
    is_error: object = None


class Message(Extended, gc=False, rename={"options": "providerOptions"}):
    """A message; its content is a text or parts."""

    id: Words = None
    role: Words = None
    content: list[Part | str | None] | str | None = None


class Row(Struct, gc=False):
    """A row of a table."""

    table: Words = None
    rowid: Words = None
    id: Words = None
    message: Message | str | None = None
    summarizes: object = None


_NONE = Own()
