"""The lines of a sample, as `archive.py` makes them of a log of Inspect AI (0.3.285).

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import UNSET, Raw, Struct, UnsetType

Number = int | float | str | None


class Packages(Struct, gc=False):
    """Versions."""

    inspect_ai: str | None = None


class Evaluation(Struct, gc=False):
    """The task and the model of an evaluation."""

    task: str | None = None
    model: str | None = None
    created: Number = None
    packages: Packages | None = None


class Sample(Struct, gc=False):
    """A sample of the task, which may be done several times."""

    id: object = None
    epoch: Number = None
    started_at: Number = None


class Failure(Struct, gc=False):
    """An error of an evaluation or a sample."""

    message: str | None = None
    type: str | None = None
    traceback: str | None = None


class Call(Struct, gc=False):
    """A call."""

    id: str | None = None
    function: str | None = None
    arguments: Raw = Raw()


class Message(Struct, gc=False):
    """A message of the conversation."""

    id: str | None = None
    role: str | None = None
    content: Raw | UnsetType = UNSET
    tool_calls: list[Call | None] | None = None
    tool_call_id: str | None = None
    error: Failure | None = None
    tool_error: str | None = None
    """The same in older versions."""


class Counts(Struct, gc=False):
    """Tokens of a request."""

    input_tokens: Number = None
    output_tokens: Number = None
    input_tokens_cache_read: Number = None
    input_tokens_cache_write: Number = None
    reasoning_tokens: Number = None
    total_tokens: Number = None


class Output(Struct, gc=False):
    """The answer to a request, without its words."""

    model: str | None = None
    usage: Counts | None = None
    error: str | None = None


class Happened(Struct, gc=False):
    """An event: a request, a call, or what else happened. A request's error is a text."""

    event: str | None = None
    uuid: str | None = None
    id: str | None = None
    timestamp: Number = None
    completed: Number = None
    model: str | None = None
    output: Output | None = None
    error: Failure | str | None = None
    failed: object = None
    function: str | None = None
    arguments: Raw | UnsetType = UNSET
    result: Raw = Raw()
    # A limit, or a note.
    type: str | None = None
    message: object = None
    data: object = None


class Score(Struct, gc=False):
    """How good an answer is."""

    value: object = None
    explanation: str | None = None


class Limit(Struct, gc=False):
    """The limit that ended a sample."""

    type: object = None
    limit: object = None


class End(Struct, gc=False):
    """How a sample ended."""

    completed_at: Number = None
    scores: dict[str, Score | None] | None = None
    limit: Limit | None = None
    error: Failure | None = None
    counted: dict[str, Counts | None] | None = None
    """Tokens by model, where requests are not recorded."""
    counted_last: bool | None = None
    """True if they are those of the last request alone."""


class Line(Struct, gc=False):
    """One of a message, an event, the end, or what is around a sample."""

    eval: Evaluation | UnsetType | None = UNSET
    sample: Sample | None = None
    message: Message | UnsetType | None = UNSET
    at: Number = None
    event: Happened | UnsetType | None = UNSET
    end: End | UnsetType | None = UNSET
    status: str | None = None
