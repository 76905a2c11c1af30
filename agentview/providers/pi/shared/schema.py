"""Entries of sessions of Pi (0.40 to 0.87) and of OpenClaw (2026.1 to 2026.9), with their messages.

The names are those of the format. What a kind of entry has besides, and what only a body needs, is
read from its `values`.
"""

from msgspec import UNSET, Raw, Struct, UnsetType

Number = int | float | str | None


class Cost(Struct, gc=False):
    """Cost of a request, in US dollars."""

    total: Number = None


class Tokens(Struct, gc=False, rename="camel"):
    """Tokens of a request; `input` is without what a cache gave or took."""

    input: Number = None
    output: Number = None
    cache_read: Number = None
    cache_write: Number = None
    cache_write_1h: Number = None
    reasoning: Number = None
    cost: Cost | None = None


class Part(Struct, gc=False):
    """A part of a message: a text, a thought, a call or a picture."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    redacted: object = None
    id: str | None = None
    name: str | None = None
    arguments: Raw = Raw()


class Details(Struct, gc=False, rename="camel"):
    """Facts of a tool on its result. OpenClaw's commands have an outcome of their own."""

    exit_code: object = None
    status: object = None
    session_id: object = None
    """Of a command that runs on; other calls name it."""


class Truncation(Struct, gc=False, rename="camel"):
    """How much of an output or a file the model got."""

    truncated: bool | None = None
    total_lines: Number = None
    total_bytes: Number = None


class ResultDetails(Struct, gc=False, rename="camel"):
    """Details of a result for the screen: each tool has some of these keys."""

    error: str | None = None
    # A command; OpenClaw has its outcome in fields.
    full_output_path: str | None = None
    truncation: Truncation | None = None
    aggregated: object = UNSET
    tail: object = None
    status: str | None = None
    exit_code: Number = None
    exit_signal: object = None
    timed_out: bool | None = None
    session_id: str | None = None
    # A change.
    patch: str | None = None
    diff: str | None = None


class Source(Struct, gc=False):
    """The bytes of an image in the words of another vendor's interface."""

    media_type: str | None = None
    data: str | None = None


class ContentBlock(Struct, gc=False, rename="camel"):
    """A block of a result or a prompt."""

    type: str | None = None
    text: str | None = None
    mime_type: str | None = None
    data: str | None = None
    url: str | None = None
    source: Source | None = None


class Nested(Struct, gc=False, rename="camel"):
    """A call that another one made, with its result."""

    tool_name: str | None = None
    tool_call_id: str | None = None
    parent_tool_call_id: str | None = None
    input: object = None
    is_error: bool | None = None


class Provenance(Struct, gc=False, rename="camel"):
    """Who wrote a message of the user (OpenClaw since 2026.2)."""

    kind: str | None = None
    source_tool: str | None = None


Content = list[Part | str | None] | str | None


class Message(Struct, gc=False, rename="camel"):
    """A message, or a result."""

    role: str | None = None
    content: Content = None
    timestamp: Number = None
    """Milliseconds: when it began."""
    provenance: Provenance | None = None
    # Responses.
    model: str | None = None
    response_model: str | None = None
    response_id: str | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    usage: Tokens | None = None
    # Results.
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    details: Details | list[Raw] | str | float | bool | None = None
    # Commands of the person.
    command: str | None = None
    output: str | None = None
    exit_code: Number = None
    cancelled: object = None
    # Messages of extensions.
    custom_type: str | None = None
    display: object = None
    # Summaries of what came before.
    summary: str | None = None
    tokens_before: Number = None
    tokens_after: Number = None
    estimated_tokens_after: Number = None
    from_hook: object = None


class Entry(Message, gc=False, rename="camel"):
    """An entry of a session; some kinds have themselves what messages have."""

    type: str | None = None
    id: str | None = None
    parent_id: str | UnsetType | None = UNSET
    message: Message | None = None
    cwd: str | None = None
    model_id: str | None = None
    name: str | None = None
    reason: str | None = None
    target_id: str | None = None
    replacement: Message | str | None = None


class Printed(Entry, gc=False, rename="camel"):
    """A line that `pi --mode json` prints, or an entry."""

    result: Message | None = None
    partial_result: Message | None = None
    entry: Entry | None = None
    attempt: Number = None
    max_attempts: Number = None
    error: str | None = None
    event: str | None = None
