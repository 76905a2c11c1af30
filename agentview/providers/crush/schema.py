"""Rows of the tables of Crush (2025 to 2026): sessions, and messages with their parts.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import Raw, Struct

Number = int | float | str | None
Words = object
"""A text; any other value is shown as JSON."""


class Data(
    Struct,
    gc=False,
    rename={"binary_type": "MIMEType", "binary_data": "Data", "binary_path": "Path"},
):
    """Content of a part; which keys it has follows from the type of the part."""

    # Texts and thoughts; a time is 0 as long as it is not known.
    text: Words = None
    hidden: bool | None = None
    thinking: Words = None
    started_at: Number = None
    finished_at: Number = None
    # Files.
    url: str | None = None
    binary_type: str | None = None
    binary_data: Words = None
    binary_path: str | None = None
    # Calls and results.
    id: Words = None
    name: Words = None
    input: Raw = Raw()
    finished: bool | None = None
    tool_call_id: Words = None
    content: Words = None
    data: str | None = None
    mime_type: str | None = None
    metadata: Raw = Raw()
    is_error: bool | None = None
    # Commands of the person.
    command: Words = None
    output: Words = None
    exit_code: Number = None
    # How a response ended.
    reason: str | None = None
    message: Words = None
    details: Words = None
    time: Number = None


class Part(Struct, gc=False):
    """A part of a message."""

    type: str | None = None
    data: Data | None = None


class Row(Struct, gc=False):
    """A row of a table."""

    table: Words = None
    id: Words = None
    parent_id: str | None = None
    created: Number = None
    updated: Number = None
    title: Words = None
    cost: Number = None
    role: Words = None
    model: str | None = None
    is_summary: Number = None
    parts: list[Part | None] | None = None
