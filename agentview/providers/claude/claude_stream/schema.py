"""Records as the client prints them: those of a transcript, with some keys spelled another way."""

from msgspec import Raw, Struct, field

from agentview.providers.claude.shared.schema import Decision, Record, Structured


class ResultMeta(Struct, gc=False):
    """Members of a transcript in the record of a result."""

    permission_decision: Decision | None = None
    non_execution_kind: str | None = None


class Delta(Struct, gc=False):
    """A piece of a block of a response."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None


class StreamEvent(Struct, gc=False):
    """An event of the vendor's API while a response is written."""

    type: str | None = None
    index: object = None
    """The place of the block in its response."""
    delta: Delta | None = None


class Printed(Record, gc=False, rename="camel"):
    """A printed record."""

    session: str | None = field(name="session_id", default=None)
    result: Structured | str | list[Raw] | float | bool | None = field(
        name="tool_use_result", default=None
    )
    is_synthetic: bool | None = None
    thinking: int | float | str | None = field(name="thinking_duration_ms", default=None)
    request: str | None = field(name="request_id", default=None)
    result_meta: list[ResultMeta | None] | None = field(name="tool_result_meta", default=None)
    """One record has one result."""
    started_by: str | None = field(name="parent_tool_use_id", default=None)
    """The call that started the agent which the record is of."""
    agent: str | None = field(name="agent_id", default=None)
    error: Raw = Raw()
    """With a message of no model: the request failed."""
    supersedes: list[str | None] | None = None
    """Ids of messages that this one replaces (0.3.3xx)."""
    event: StreamEvent | None = None
    """Of a `stream_event`."""
    api_message_id: str | None = field(name="api_message_id", default=None)
    """The response that it is of (2.1.3xx)."""
