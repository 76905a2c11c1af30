"""Records as the client prints them: those of a transcript, with some keys spelled another way."""

from msgspec import Raw, Struct, field

from agentview.providers.claude.shared.schema import (
    Block,
    Decision,
    Number,
    Record,
    Structured,
    Tokens,
)


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


class Started(Struct, gc=False):
    model: str | None = None


class Failure(Struct, gc=False):
    type: str | None = None
    message: str | None = None


class StreamEvent(Struct, gc=False):
    """An event of the vendor's API while a response is written."""

    type: str | None = None
    index: object = None
    """The place of the block in its response."""
    delta: Delta | None = None
    message: Started | None = None
    content_block: Block | None = None
    usage: Tokens | None = None
    error: Failure | None = None


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


class Listed(Struct, gc=False):
    """An item of a list: a tool server, a file, a memory, a call that was refused."""

    name: str | None = None
    status: str | None = None
    filename: str | None = None
    error: str | None = None
    path: str | None = None
    tool_name: str | None = None


class Compacted(Struct, gc=False):
    trigger: str | None = None
    pre_tokens: Number = None
    post_tokens: Number = None


class Spent(Tokens, gc=False):
    """Tokens of a run, or what a background task took."""

    duration_ms: Number = None


class ModelTokens(Struct, gc=False, rename="camel"):
    input_tokens: Number = None
    cache_read_input_tokens: Number = None
    cache_creation_input_tokens: Number = None
    output_tokens: Number = None
    thinking_tokens: Number = None


class RateLimit(Struct, gc=False, rename="camel"):
    """How much of a limit of the account is used, 0 to 1."""

    status: str | None = None
    rate_limit_type: str | None = None
    utilization: Number = None
    resets_at: Number = None


class Decided(Struct, gc=False):
    behavior: str | None = None
    message: str | None = None


class HostResponse(Struct, gc=False):
    request_id: str | None = None
    response: Decided | None = None


class Request(Struct, gc=False):
    subtype: str | None = None
    tool_name: str | None = None
    tool_use_id: str | None = None
    decision_reason: str | None = None
    input: "Subject | None" = None


class Subject(Struct, gc=False):
    """Arguments that say what a call is about, surest first."""

    command: str | None = None
    file_path: str | None = None
    notebook_path: str | None = None
    path: str | None = None
    url: str | None = None
    pattern: str | None = None
    description: str | None = None


class Report(Struct, gc=False):
    """A report of the client on itself: `system`, `result`, and the small records."""

    # The client begins (`init`).
    model: str | None = None
    claude_code_version: str | None = None
    mcp_servers: list[Listed | None] | None = None
    # Compaction.
    compact_error: str | None = None
    compact_metadata: Compacted | None = None
    # Requests to the model.
    error: Failure | str | None = None
    error_status: Number = None
    attempt: Number = None
    max_retries: Number = None
    retry_delay_ms: Number = None
    original_model: str | None = None
    fallback_model: str | None = None
    api_refusal_category: str | None = None
    api_refusal_explanation: str | None = None
    rate_limit_info: RateLimit | None = None
    # Calls, background tasks and hooks.
    tool_use_id: str | None = None
    elapsed_time_seconds: Number = None
    task_id: str | None = None
    status: str | None = None
    summary: str | None = None
    description: str | None = None
    output_file: str | None = None
    hook_name: str | None = None
    hook_event: str | None = None
    outcome: str | None = None
    output: str | list[str | None] | None = None
    stdout: str | None = None
    stderr: str | None = None
    exit_code: Number = None
    # Notes.
    content: str | None = None
    text: str | None = None
    title: str | None = None
    given_by: str | None = None
    priority: str | None = None
    memories: list[Listed | None] | None = None
    failed: list[Listed | None] | None = None
    name: str | None = None
    reason: str | None = None
    lost: list[str | None] | None = None
    error_code: str | None = None
    repo: str | None = None
    identifier: str | None = None
    """Of a pull request."""
    url: str | None = None
    trigger: str | None = None
    state: str | None = None
    is_authenticating: bool | None = field(name="isAuthenticating", default=None)
    # The end of a run.
    is_error: bool | None = None
    terminal_reason: str | None = None
    errors: list[str | None] | None = None
    result: str | None = None
    local_command: object = None
    num_turns: Number = None
    duration_ms: Number = None
    total_cost_usd: Number = None
    permission_denials: list[Listed | None] | None = None
    usage: Spent | None = None
    by_model: dict[str, ModelTokens | None] | None = field(name="modelUsage", default=None)
    # Requests between client and host.
    request_id: str | None = None
    request: Request | None = None
    response: HostResponse | None = None
