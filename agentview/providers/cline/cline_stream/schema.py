"""Lines that Cline's command line prints (3.0.65).

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. What a
line or an event has besides is read from its values.
"""

from msgspec import Raw, Struct

EVENTS = frozenset({
    "iteration_start", "iteration_end", "content_start", "content_update", "content_end", "usage",
    "error", "notice", "done",
})  # fmt: skip
"""Types of what an agent does."""
Number = int | float | str | None
Words = object
"""A text; any other value is shown as JSON."""


class Happened(Struct, gc=False, rename="camel"):
    """Step of an agent: its words, a thought, a call, or the tokens of a request."""

    type: str | None = None
    content_type: str | None = None
    text: Words = None
    reasoning: Words = None
    redacted: object = None
    tool_name: Words = None
    tool_call_id: str | None = None
    input: Raw = Raw()
    output: Raw = Raw()
    error: Raw = Raw()
    input_tokens: Number = None
    output_tokens: Number = None
    cache_read_tokens: Number = None
    cache_write_tokens: Number = None


class Line(Struct, gc=False, rename="camel"):
    """A line with its time."""

    ts: Number = None
    type: str | None = None
    hook_event_name: Words = None
    event: Happened | None = None
