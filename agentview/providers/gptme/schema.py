"""Lines of gptme (0.35): messages of a conversation. The names are those of the format."""

from msgspec import Raw, Struct

Number = int | float | str | None
Anything = object


class Counts(Struct, gc=False):
    """Tokens of a response; those that go in are counted without what a cache gave."""

    input_tokens: Number = None
    output_tokens: Number = None
    cache_read_tokens: Number = None
    cache_creation_tokens: Number = None
    cache_write_tokens: Number = None


class Metadata(Counts, gc=False):
    """Model, cost and error of a message; some versions have the tokens here."""

    model: str | None = None
    usage: Counts | None = None
    cost: Number = None
    tool: str | None = None
    error: bool | None = None


class Line(Struct, gc=False):
    """A message; with `call_id`, the result of a call."""

    role: str | None = None
    content: str | list[Raw] | None = None
    timestamp: Number = None
    files: list[Anything] | None = None
    call_id: Anything = None
    hide: bool | None = None
    pinned: bool | None = None
    metadata: Metadata | None = None
