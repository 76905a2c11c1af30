"""Records of Command Code, version 3: a header, and entries that each name the one they follow.

The names are those of the format. What a record has besides is read from its `fields`.
"""

from msgspec import Raw, Struct, field

Number = int | float | str | None
"""A count, or a time; some writers put a number into a text."""


class Usage(Struct, gc=False, rename="camel"):
    """Tokens of a response; what a cache gave or took is not part of the input."""

    input_tokens: Number = None
    output_tokens: Number = None
    cache_read_tokens: Number = None
    cache_write_tokens: Number = None
    cache_write_1h: Number = field(default=None, name="cacheWriteTokens1h")
    cost_usd: Number = None


class Meta(Struct, gc=False, rename="camel"):
    """Notes of the client on a message: who wrote it, and its additions."""

    source: str | None = None
    is_meta: bool | None = None
    is_automated: bool | None = None
    is_summary: bool | None = None
    message_id: str | None = None
    injected: Raw = Raw()


class Message(Struct, gc=False):
    """A message of the person or of the model, as blocks."""

    role: str | None = None
    content: Raw = Raw()
    meta: Meta | None = None


class Record(Struct, gc=False, rename="camel"):
    """All records have one form; each type has some of these keys."""

    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    timestamp: Number = None

    # The header.
    version: Number = None
    cwd: str | None = None
    parent_session: str | None = None

    message: Message | None = None
    model: str | None = None
    effort: str | None = None
    usage: Usage | None = None

    # A compaction, or what a branch that was left came to.
    summary: str | None = None
    tokens_before: Number = None
    first_kept_entry_id: str | None = None

    name: str | None = None
    """Of a session."""
    custom_type: str | None = None
    content: Raw = Raw()
    display: bool | None = None
