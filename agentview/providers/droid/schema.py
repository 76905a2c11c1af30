"""Records of a session file of Droid, and of the stream of `droid exec`.

The names are those of the format; what only a body needs is read from the values of the record.
"""

from msgspec import UNSET, Raw, Struct, UnsetType, field

Number = int | float | str | None


class Part(Struct, gc=False):
    """A part of a message."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw()
    tool_use_id: str | None = None
    content: Raw = Raw()
    is_error: object = None


class Message(Struct, gc=False):
    """A message of a session."""

    role: str | None = None
    content: list[Part | str | None] | str | None = None
    visibility: str | None = None
    model_id: str | None = field(name="modelId", default=None)


class Tokens(Struct, gc=False):
    """Tokens of a whole run."""

    input_tokens: Number = None
    output_tokens: Number = None
    cache_read_input_tokens: Number = None
    cache_creation_input_tokens: Number = None


class Record(Struct, gc=False, rename="camel"):
    """A record of either."""

    type: str | None = None
    timestamp: Number = None
    id: Number = None
    parent_id: str | None = None
    message: Message | str | None = None
    # The beginning of a session; a version that is a number is one of the format.
    cwd: str | None = None
    version: Number = None
    session_title: str | None = None
    title: str | None = None
    # The summary of what came before.
    summary_text: str | None = None
    summary: str | None = None
    summary_tokens: Number = None
    # How a turn ended.
    reason: str | None = None
    # What is printed of a run.
    model: str | None = None
    role: str | None = None
    text: str | None = None
    content: str | None = None
    tool_name: str | None = None
    tool_id: str | None = None
    tool_call_id: Number = None
    parameters: Raw = Raw()
    value: Raw | UnsetType = UNSET
    error: Raw = Raw()
    is_error: object = None
    final_text: str | None = None
    usage: Tokens | None = None
    duration_ms: Number = field(name="durationMs", default=None)
