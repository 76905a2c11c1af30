"""Rows of the SDK's sessions, what it exports of a run, and events that the Responses API streams.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import Raw, Struct

Number = int | float | str | None


class Details(Struct, gc=False):
    """Tokens that are a part of others."""

    cached_tokens: Number = None
    cache_write_tokens: Number = None
    reasoning_tokens: Number = None


class Counts(Struct, gc=False):
    """Tokens of a request, by the names of both APIs; details are a part of them."""

    input_tokens: Number = None
    prompt_tokens: Number = None
    output_tokens: Number = None
    completion_tokens: Number = None
    input_tokens_details: Details | None = None
    prompt_tokens_details: Details | None = None
    output_tokens_details: Details | None = None
    completion_tokens_details: Details | None = None


class Item(Struct, gc=False):
    """An item of the Responses API; which keys it has follows from its type."""

    type: str | None = None
    id: str | None = None
    role: str | None = None
    status: str | None = None
    content: Raw = Raw()
    summary: Raw = Raw()
    # Calls, and what they brought.
    call_id: str | None = None
    name: str | None = None
    arguments: Raw = Raw()
    input: Raw = Raw()
    output: Raw = Raw()
    error: Raw = Raw()
    results: Raw = Raw()
    outputs: Raw = Raw()
    result: Raw = Raw()
    # What is asked of tools of the service's own.
    action: Raw = Raw()
    operation: Raw = Raw()
    queries: Raw = Raw()
    server_label: str | None = None
    # The answer to a request for approval.
    approval_request_id: str | None = None
    approve: bool | None = None
    reason: str | None = None


class Failure(Struct, gc=False):
    """Why a response failed."""

    message: str | None = None
    code: str | None = None


class Response(Failure, gc=False):
    """A response."""

    id: str | None = None
    model: str | None = None
    usage: Counts | None = None
    error: Failure | None = None


class SpanData(Struct, gc=False):
    """Attributes of a span; which keys it has follows from its type."""

    type: str | None = None
    name: str | None = None
    input: Raw = Raw()
    output: Raw = Raw()
    # A request to the model.
    model: str | None = None
    response_id: str | None = None
    usage: Counts | None = None
    # One agent hands over to another; a guardrail.
    from_agent: str | None = None
    to_agent: str | None = None
    triggered: bool | None = None


class SpanError(Struct, gc=False):
    """How a span failed."""

    message: str | None = None
    data: Raw = Raw()


class Exported(Failure, gc=False, rename={"sort": "object"}):
    """A trace, a span of it, or a streamed event."""

    sort: str | None = None
    id: str | int | None = None
    """The id of a row is a number."""
    workflow_name: str | None = None
    trace_id: str | None = None
    parent_id: object = None
    started_at: Number = None
    ended_at: Number = None
    span_data: SpanData | None = None
    error: SpanError | None = None
    # A streamed event.
    type: str | None = None
    item: Item | None = None
    response: Response | None = None


class Line(Exported, gc=False, rename={"sort": "object"}):
    """The same, or several that were sent together, or a row of a table."""

    data: list[Exported | None] | None = None
    # A row; its item stands under the same key as that of a streamed event.
    table: str | None = None
    created_at: Number = None
    branch_id: object = None
    turn: object = None
    input_tokens: Number = None
    output_tokens: Number = None
    input_tokens_details: Details | None = None
    output_tokens_details: Details | None = None


class Answer(Struct, gc=False):
    """A response."""

    id: str | None = None


class Export(Struct, gc=False):
    """The ids of an exported object, of which one names the session."""

    object: str | None = None
    id: str | None = None
    group_id: str | None = None
    trace_id: str | None = None
    response: Answer | None = None
