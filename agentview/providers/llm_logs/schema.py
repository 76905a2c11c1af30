"""Rows of the database of LLM: a turn of 0.32 and later, or a response of a version before.

The names are those of `database.py`, and within parts those of the format.
"""

from msgspec import Raw, Struct

Number = int | float | str | None


class Attachment(Struct, gc=False):
    """A file that was sent: its place, and the bytes of an image."""

    type: str | None = None
    path: str | None = None
    url: str | None = None
    size: int | None = None
    data: str | None = None


class Piece(Struct, gc=False):
    """A piece of a text: words, or the number of a fragment."""

    literal: str | None = None
    fragment: int | None = None


class Call(Struct, gc=False):
    """A call, or what came of one."""

    name: str | None = None
    tool_call_id: str | None = None
    arguments: Raw = Raw()
    output: Raw = Raw()
    exception: str | None = None
    server_executed: bool | None = None


class Payload(Call, gc=False):
    """Fields of a part besides its text."""

    text_ref: list[Piece | None] | None = None
    redacted: bool | None = None


class Part(Struct, gc=False):
    """A part of a message."""

    type: str | None = None
    text: str | None = None
    payload: Payload | None = None
    fragments: dict[str, str | None] | None = None
    attachments: list[Attachment | None] | None = None


class Message(Struct, gc=False):
    """A message of a turn; `sent` is 0 for those of the response."""

    role: str | None = None
    sent: int | None = None
    parts: list[Part | None] | None = None


class Row(Struct, gc=False):
    """A row."""

    table: str | None = None
    id: str | None = None
    conversation: str | None = None
    name: str | None = None
    model: str | None = None
    resolved_model: str | None = None
    created: Number = None
    duration_ms: Number = None
    input_tokens: Number = None
    output_tokens: Number = None
    token_details: Raw = Raw()
    messages: list[Message | None] | None = None
    # Before 0.32.
    system: str | None = None
    prompt: str | None = None
    response: str | None = None
    reasoning: str | None = None
    calls: list[Call | None] | None = None
    results: list[Call | None] | None = None
    fragments: list[str | None] | None = None
    system_fragments: list[str | None] | None = None
    attachments: list[Attachment | None] | None = None
