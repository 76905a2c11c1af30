"""Common records of Kimi CLI (1.48) and Kimi Code (2.1): messages of the chat API.

The names are those of the format; what only a body needs is read from the values of the record.
"""

from msgspec import Raw, Struct

Number = int | float | str | None


class Tokens(
    Struct,
    gc=False,
    rename={
        "other": "inputOther",
        "cache_read": "inputCacheRead",
        "cache_creation": "inputCacheCreation",
    },
):
    """Tokens of one request, in the keys of either program."""

    other: Number = None
    input_other: Number = None
    cache_read: Number = None
    input_cache_read: Number = None
    cache_creation: Number = None
    input_cache_creation: Number = None
    output: Number = None


class Part(Struct, gc=False):
    """A part of a message: a text, a thought, or media."""

    type: str | None = None
    text: str | None = None
    think: str | None = None


Content = list[Part | str | None] | str | None


class Function(Struct, gc=False):
    """Arguments of a call, as a text or an object."""

    name: str | None = None
    arguments: Raw = Raw()


class Call(Function, gc=False):
    """A call; some have their function in themselves."""

    id: str | None = None
    function: Function | None = None


class Chat(Struct, gc=False):
    """A message of the chat API, or what Kimi Code prints of itself."""

    role: str | None = None
    content: Content = None
    tool_calls: list[Call | None] | None = None
    tool_call_id: str | None = None
    type: str | None = None
    version: str | None = None
    error_message: str | None = None
    error_name: str | None = None
    status_code: Number = None


class ShownChange(Struct, gc=False):
    """A part of a file before and after."""

    type: str | None = None
    path: str | None = None
    old_text: str | None = None
    new_text: str | None = None
    old_start: Number = None
    new_start: Number = None
    is_summary: bool | None = None


class Structured(Struct, gc=False):
    """Facts of a result next to its output."""

    note: str | None = None
    message: str | None = None
    display: list[ShownChange | None] | None = None
