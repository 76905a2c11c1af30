"""Lines of a session of DeepSeek Harness: what it is, and its events.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import Raw, Struct

Number = int | float | str | None


class Part(Struct, gc=False, rename="camel"):
    """A part of a message."""

    type: str | None = None
    text: str | None = None
    # A call of the model's.
    id: str | None = None
    name: str | None = None
    arguments: str | None = None
    # What came of a call.
    tool_call_id: str | None = None
    is_error: bool | None = None
    content: Raw = Raw()


Content = list[Part | None] | str | None


class Source(Struct, gc=False, rename="camel"):
    """Who made a message."""

    kind: str | None = None
    plugin: str | None = None
    form: str | None = None
    model: str | None = None
    call_id: str | None = None


class Message(Struct, gc=False):
    """A message of the model's, or the one with the result of a call."""

    id: str | None = None
    content: Content = None
    source: Source | None = None


class Usage(Struct, gc=False, rename="camel"):
    """Tokens of a response; no count is part of another one's input."""

    input_tokens: Number = None
    output_tokens: Number = None
    cache_read_tokens: Number = None
    cache_write_tokens: Number = None
    reasoning_tokens: Number = None


class Fault(Struct, gc=False):
    """Why a call or a turn failed."""

    name: str | None = None
    code: str | None = None
    message: str | None = None
    status: Number = None


class Reason(Struct, gc=False):
    """Why a turn ended."""

    kind: str | None = None
    error: Fault | None = None


class Config(Struct, gc=False, rename="camel"):
    """The model that is asked."""

    model: str | None = None
    reasoning_effort: str | None = None


class Header(Struct, gc=False):
    """Settings of all later requests."""

    config: Config | None = None
    system: str | None = None


class Data(Struct, gc=False):
    """The content of an event; its fields depend on the type."""

    # A message of the person's, or of the client's.
    id: str | None = None
    content: Content = None
    source: Source | None = None
    # A response, or the result of a call.
    message: Message | None = None
    usage: Usage | None = None
    error: Fault | None = None
    # The end of a turn has an object here, a header a word.
    reason: Reason | str | None = None
    header: Header | None = None


class Place(Struct, gc=False):
    """Which of the messages that the model gets a message replaces; a word where it is one more."""

    op: str | None = None


class Line(Struct, gc=False, rename="camel"):
    """A line of a session."""

    type: str | None = None
    time: Number = None
    data: Data | None = None
    surface_op: Place | str | None = None
    # The first line.
    id: str | None = None
    created_at: Number = None
    cwd: str | None = None
    # Several pieces of a response on one line.
    time0: Number = None
