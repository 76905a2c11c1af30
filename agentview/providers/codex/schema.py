"""Records of Codex (0.1 to 0.169): rollouts, and what `exec --json` prints.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. A value
that is of different types in different records is an `object`. What a type of record has besides is
read from its `values` by the function of that type.
"""

from msgspec import UNSET, Raw, Struct, UnsetType

Number = int | float | str | None
"""Some writers of this format write numbers as texts."""


class Counts(Struct, gc=False):
    """Tokens; `input_tokens` includes what a cache gave and took."""

    input_tokens: Number = None
    cached_input_tokens: Number = None
    cache_write_input_tokens: Number = None
    output_tokens: Number = None
    reasoning_output_tokens: Number = None
    total_tokens: Number = None


class Info(Struct, gc=False):
    """Tokens of the thread so far, and of its newest response."""

    total_token_usage: Counts | None = None
    last_token_usage: Counts | None = None


class Window(Struct, gc=False):
    """A limit of the account over some time; `resets_at` since 0.47, epoch seconds."""

    used_percent: Number = None
    window_minutes: Number = None
    resets_in_seconds: Number = None
    resets_at: Number = None


class RateLimits(Struct, gc=False):
    """Limits of the account; the first versions had them in one flat object."""

    limit_id: str | None = None
    limit_name: str | None = None
    primary: Window | None = None
    secondary: Window | None = None
    primary_used_percent: Number = None
    primary_window_minutes: Number = None
    secondary_used_percent: Number = None
    secondary_window_minutes: Number = None


class Passed(Struct, gc=False):
    """Values that the client passes through the model's service and back."""

    turn_id: str | None = None


class Metadata(Struct, gc=False):
    """How an item came into the history (0.169)."""

    sampled_through_sequence: Number = None


class Payload(Struct, gc=False):
    """Content of an envelope: an item, a report, or tokens."""

    type: str | None = None
    timestamp: Number = None
    id: object = None
    call_id: object = None
    thread_id: str | None = None
    turn_id: str | None = None
    internal_chat_message_metadata_passthrough: Passed | None = None
    # Messages and thoughts.
    role: str | None = None
    content: Raw = Raw()
    message: Raw = Raw()
    text: Raw = Raw()
    summary: Raw = Raw()
    phase: object = None
    questions: object = UNSET
    """Whatever they are, the message asks."""
    # Calls and their outcomes.
    name: str | None = None
    namespace: str | None = None
    arguments: Raw = Raw()
    input: Raw = Raw()
    action: Raw = Raw()
    output: Raw = Raw()
    source: object = None
    status: object = None
    exit_code: object = None
    success: object = None
    duration: object = None
    started_at_ms: Number = None
    # Tokens.
    info: Info | UnsetType | None = UNSET
    rate_limits: RateLimits | None = None
    usage: Counts | None = None
    thread_token_usage: Counts | None = None
    # What is carried within.
    item: "Payload | None" = None
    msg: "Payload | None" = None
    """A report, in what was printed up to 0.43."""


class Record(Payload, gc=False):
    """An envelope; without a `payload`, as in the oldest logs, a record carries itself."""

    payload: Payload | UnsetType | None = UNSET
    ordinal: Number | UnsetType = UNSET
    metadata: Metadata | None = None
