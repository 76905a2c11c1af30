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


class Shown(Struct, gc=False, rename="camel"):
    """How the editor shows a call, or why it failed."""

    status: str | None = None
    review_data: object = None


class Called(Struct, rename="camel"):
    """A call with its outcome."""

    name: str | None = None
    tool_call_id: object = None
    status: str | None = None
    raw_args: object = None
    params: object = None
    result: object = None
    additional_data: object = None
    user_decision: str | None = None
    error: object = None


class Failure(Struct, gc=False, rename="camel"):
    """The error of a call."""

    client_visible_error_message: str | None = None
    model_visible_error_message: str | None = None
    message: str | None = None
    error: str | None = None


class Refused(Struct, gc=False, rename="camel"):
    """An outcome that says whether the call was refused."""

    rejected: object = None
    rejection_reason: str | None = None


class Explained(Struct, gc=False):
    """The error of a message, at any of its levels."""

    title: str | None = None
    detail: str | None = None
    message: str | None = None
    error: object = None
    details: object = None


class Texts(Struct, gc=False):
    """A file before and after a call."""

    before: str | None = None
    after: str | None = None


class Chunk(Struct, gc=False, rename="camel"):
    """A piece of a diff."""

    diff_string: str | None = None
    old_start: Number = None
    old_lines: Number = None
    new_start: Number = None
    new_lines: Number = None


class Diff(Struct):
    """A diff, in pieces."""

    chunks: list[Chunk | None] = []


class Entry(Struct, rename="camel"):
    """A folder of a listing, or a file in it."""

    abs_path: str | None = None
    rel_path: str | None = None
    files: list[object] = []


class Position(Struct, gc=False):
    """A place in a file."""

    line: Number = None


class Span(Struct, rename="camel"):
    """A part of a file."""

    start_position: Position | None = None
    end_position: Position | None = None


class Code(Struct, rename="camel"):
    """Lines of a file."""

    relative_workspace_path: str | None = None
    path: str | None = None
    contents: str | None = None
    content: str | None = None
    range: Span | None = None


class Hit(Struct, rename="camel"):
    """A hit of a search by meaning."""

    code_block: Code | None = None
    score: object = None


class Brought(Struct, rename="camel"):
    """An outcome, in the editor's own form."""

    directories: list[Entry | None] | None = None
    diff: Diff | None = None
    code_results: list[Hit | None] = []


class Uri(Struct, gc=False, rename="camel"):
    """The address of a file."""

    fs_path: str | None = None
    path: str | None = None
    external: str | None = None


class Selected(Struct, gc=False):
    """A file that was attached."""

    uri: Uri | None = None


class Attached(Struct, rename="camel"):
    """Attachments of a prompt."""

    file_selections: list[Selected | None] = []
