"""Records of Copilot CLI (1.0.12 to 1.0.102): an envelope with the data of each type of record.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. What a
type of record has besides is read from its `values` by the function of that type.
"""

from msgspec import UNSET, Raw, Struct, UnsetType

from agentview.normalize.json_fields import as_text

Number = int | float | str | None
"""Some writers of this format write numbers as texts."""


class Counts(Struct, gc=False, rename="camel"):
    """Tokens of a request; `input_tokens` includes what a cache gave and took."""

    input_tokens: Number = None
    cache_read_tokens: Number = None
    cache_write_tokens: Number = None
    output_tokens: Number = None
    reasoning_tokens: Number = None
    api_call_id: str | None = None
    model: str | None = None


class Request(Struct, gc=False, rename="camel"):
    """A call that a response asks for."""

    tool_call_id: str | None = None
    name: str | None = None
    arguments: Raw = Raw()
    mcp_server_name: str | None = None
    mcp_tool_name: str | None = None
    intention_summary: str | None = None


class Shell(Struct, gc=False, rename="camel"):
    """How a command ended (since 1.0.78)."""

    exit_code: Number = None


class Output(Struct, gc=False, rename="camel"):
    """Output of a call: `content` for the model, the rest for others."""

    content: object = None
    detailed_content: Raw = Raw()
    binary_results_for_llm: Raw = Raw()


class Failure(Struct, gc=False):
    """Why a call failed."""

    code: str | None = None
    message: str | None = None


class Attached(Struct, gc=False, rename="camel"):
    """A file of a prompt or a result; the bytes of an image may be in a record of their own."""

    type: str | None = None
    mime_type: str | None = None
    data: str | None = None
    asset_id: str | None = None
    byte_length: Number = None
    path: str | None = None
    file_path: str | None = None
    url: str | None = None
    text: str | None = None
    display_name: str | None = None
    title: str | None = None


class Prompt(Struct, rename="camel"):
    """A prompt, or a note of the client."""

    content: str | None = None
    source: str | None = None
    delivery: str | None = None
    transformed_content: str | None = None
    is_autopilot_continuation: object = None
    attachments: list[Attached | None] | None = None


class Returned(Struct, rename="camel"):
    """Parts of `Output` for people, and images."""

    detailed_content: object = None
    binary_results_for_llm: list[Attached | None] | None = None


class Ended(Struct, rename="camel"):
    """The end of a call, as it is passed on."""

    result: object = None
    shell_execution: object = None
    file_edits: object = None


class Decided(Struct, gc=False):
    """The answer to a request for permission."""

    kind: str | None = None
    feedback: str | None = None


class Permission(Struct, rename="camel"):
    """A request for permission, or its answer."""

    permission_request: object = None
    prompt_request: object = None
    result: Decided | None = None


class Failed(Struct, rename="camel"):
    """A request to the model that failed."""

    error_message: object = None


class Context(Struct, gc=False):
    """Where a session is."""

    cwd: str | None = None
    branch: str | None = None


class Reported(Struct, gc=False, rename="camel"):
    """The subject of a note of the client."""

    status: object = None
    exit_code: Number = None


class ModelMetrics(Struct, gc=False):
    """Counts of the client for a model."""

    usage: Counts | None = None


class Data(Counts, gc=False, rename="camel"):
    """Content of the envelope; printed counts of tokens have no object of their own."""

    parent_tool_call_id: str | None = None
    # Messages and thoughts.
    content: object = None
    message_id: str | None = None
    reasoning_text: str | None = None
    reasoning_opaque: str | None = None
    tool_requests: list[Request | None] | None = None
    usage: Counts | None = None
    # Calls and their outcomes.
    tool_call_id: str | None = None
    tool_name: str | None = None
    arguments: Raw = Raw()
    mcp_server_name: str | None = None
    mcp_tool_name: str | None = None
    intention_summary: str | None = None
    success: bool | None = None
    result: Output | None = None
    error: Failure | str | None = None
    shell_execution: Shell | None = None
    file_edits: Raw = Raw()
    partial_output: str | None = None
    progress_message: str | None = None
    # Requests to the person.
    request_id: str | None = None
    # The session: where it is, and what it counted.
    context: object = None
    cwd: str | None = None
    branch: str | None = None
    selected_model: str | None = None
    current_model: str | None = None
    copilot_version: str | None = None
    model_metrics: dict[str, ModelMetrics | None] | None = None
    messages_cleared: Number = None
    messages_removed_during_truncation: Number = None
    pre_compaction_tokens: Number = None
    post_compaction_tokens: Number = None
    status_code: Number = None
    interval_ms: Number = None
    duration_ms: Number = None

    @property
    def failure(self) -> Failure:
        return self.error if isinstance(self.error, Failure) else Failure(message=self.error)

    @property
    def printed(self) -> str | None:
        return as_text(self.result.content) if self.result is not None else None


class Record(
    Struct,
    gc=False,
    rename={"parent_id": "parentId", "agent_id": "agentId", "workspace_path": "workspacePath"},
):
    """The envelope. Records of the first versions have no `data`, and themselves what was said."""

    type: str | None = None
    id: str | None = None
    timestamp: Number = None
    parent_id: str | None = None
    agent_id: str | None = None
    data: Data | UnsetType | None = UNSET
    workspace_path: str | None = None
    """Around the messages of the oldest sessions, which are documents."""
    cwd: str | None = None
