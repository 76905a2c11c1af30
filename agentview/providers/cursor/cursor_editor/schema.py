"""Rows of a session of Cursor's editor: the session, its messages, and what they cost.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it; the
client keeps some of them as texts of JSON. What a row of another table has besides is read from its
`fields`.
"""

from msgspec import Raw, Struct

Number = int | float | str | None
Words = object
"""A text; any other value is shown as JSON."""


class Model(Struct, gc=False, rename="camel"):
    """The model that answered."""

    model_name: Words = None


class Counts(Struct, gc=False, rename="camel"):
    """Tokens of a response."""

    input_tokens: Number = None
    output_tokens: Number = None


class Grouping(Struct, gc=False, rename="camel"):
    """How the editor shows a message among others."""

    thinking_duration_ms: Number = None


class Head(Struct, gc=False, rename="camel"):
    """Facts of the session on a message."""

    bubble_id: str | None = None
    created_at: Number = None
    grouping: Grouping | None = None


class Bubble(Head, gc=False, rename="camel"):
    """A message; one of the agent has mostly one of a thought, a call, and words."""

    timestamp: Number = None
    type: Number = None
    model_info: Model | None = None
    workspace_uris: list[object] | None = None
    workspace_project_dir: str | None = None
    # Words, in one of these, or as the state of an editor.
    text: Words = None
    raw_text: Words = None
    content: Words = None
    message: Words = None
    rich_text: Raw = Raw()
    images: Raw = Raw()
    context: Raw = Raw()
    # Answers.
    server_bubble_id: str | None = None
    capability_type: object = None
    thinking: Raw = Raw()
    thinking_duration_ms: Number = None
    tool_former_data: Raw = Raw()
    error_details: Raw = Raw()
    token_count: Counts | None = None


class Row(Struct, gc=False):
    """A row of a table."""

    table: Words = None
    rowid: Words = None
    bubble: Bubble | None = None
    head: Head | None = None
