"""Records of Gemini CLI (to 0.61): messages, what changes a session, and what is printed.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. What a
record has besides is read from its `fields` by the function of its type.
"""

from msgspec import UNSET, Raw, Struct, UnsetType, field

from agentview.providers.gemini.shared.usage import Number, Tokens


class ModelTokens(Struct, gc=False):
    """Tokens of a model in the words of the client's own statistics."""

    prompt: Number = None
    cached: Number = None
    candidates: Number = None
    thoughts: Number = None


class Counts(Struct, gc=False):
    """Tokens of a session that was printed, or of one of its models."""

    input_tokens: Number = None
    output_tokens: Number = None
    cached: Number = None
    input: Number = None
    """Those of `input_tokens` that are not cached."""
    tokens: ModelTokens | None = None


class Totals(Counts, gc=False):
    """Figures at the end of what is printed."""

    duration_ms: Number = None
    models: dict[str, Counts | None] | None = None


class Thought(Struct, gc=False):
    """A thought as the client summed it up."""

    subject: str | None = None
    description: str | None = None
    timestamp: Number = None


class Call(Struct, gc=False, rename="camel"):
    """A call, and what came of it: the response is written again once that is known."""

    id: str | None = None
    name: str | None = None
    args: Raw = Raw()
    status: str | None = None
    result: Raw = Raw()
    result_display: Raw = Raw()
    timestamp: Number = None
    """When it ended."""
    display_name: str | None = None
    description: str | None = None
    agent_id: str | None = None


class Session(Struct, gc=False, rename="camel"):
    """Facts of a session on itself, at its beginning or later (`$set`), and its messages.

    A document has them in one list, or in two: what is kept to restore files.
    """

    start_time: Number = None
    last_updated: object = None
    kind: str | None = None
    directories: list[object] | None = None
    summary: str | None = None
    messages: Raw = Raw()
    client_history: Raw = Raw()
    history: Raw = Raw()


class Record(
    Session,
    gc=False,
    rename={
        "display_content": "displayContent",
        "tool_calls": "toolCalls",
        "message_id": "messageId",
    },
):
    """A line, or an item of a document. A message has a type, or the role of a turn."""

    type: str | None = None
    role: str | None = None
    id: str | None = None
    timestamp: Number = None
    content: Raw = Raw()
    parts: Raw = Raw()
    """The content of a turn."""
    display_content: Raw = Raw()
    """Of a prompt: what the person typed."""
    thoughts: list[Thought | str | None] | None = None
    tokens: Tokens | None = None
    model: str | None = None
    tool_calls: list[Call | None] | None = None
    # Changes.
    changed: Session | UnsetType | None = field(name="$set", default=UNSET)
    patch: Raw = field(name="$patch", default=Raw())
    rewind_to: str | UnsetType | None = field(name="$rewindTo", default=UNSET)
    message_id: object = None
    """Of a prompt in `logs.json`."""
    message: str | None = None
    # What is printed.
    delta: bool | None = None
    tool_id: str | None = None
    tool_name: str | None = None
    parameters: Raw = Raw()
    status: str | None = None
    output: Raw = Raw()
    error: Raw = Raw()
    severity: str | None = None
    stats: Totals | None = None
    response: str | None = None
    warnings: list[str | None] | None = None


class Failure(Struct, gc=False):
    """Why a call or a session failed."""

    type: str | None = None
    message: str | None = None


class ApiFailure(Struct, gc=False):
    """An error of the vendor's interface, in a notice."""

    error: Failure | None = None
