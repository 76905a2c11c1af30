"""Records of Claude Code as its transcripts have them (1.0 to 2.1.3xx), and what is printed too.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. What a
type of record has besides is read from its `fields` by the function of that type.
"""

from msgspec import Raw, Struct, field

Number = int | float | str | None
"""Some clients write numbers as texts."""


class OutputDetails(Struct, gc=False):
    thinking_tokens: Number = None


class Tokens(Struct, gc=False):
    """Tokens of a response; `input_tokens` are those that no cache had."""

    input_tokens: Number = None
    output_tokens: Number = None
    cache_creation_input_tokens: Number = None
    cache_read_input_tokens: Number = None
    cache_creation: dict[str, Number] | None = None
    """Cache writes by how long they stay, such as `ephemeral_1h_input_tokens`."""
    output_tokens_details: OutputDetails | None = None
    speed: str | None = None
    """`fast` or `standard`."""
    iterations: "list[Iteration | None] | None" = None
    """The requests that the response took, where there were several."""


class Iteration(Tokens, gc=False):
    """One of several requests: a `message`, a `fallback_message`, or one of another `type`."""

    type: str | None = None
    model: str | None = None
    """Unless it is that of the message."""


class Block(Struct, gc=False):
    """A block of a message, in the form of the vendor's API."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    server_name: str | None = None
    """Of `mcp_tool_use`."""
    input: Raw = Raw()
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: Raw = Raw()
    """Of a result."""


class Content(Struct, gc=False):
    """A block of a content, the `source` of its data, or the `resource` that it is."""

    type: str | None = None
    text: str | None = None
    source: "Content | None" = None
    resource: "Content | None" = None
    media_type: str | None = None
    mime_type: str | None = field(name="mimeType", default=None)
    data: str | None = None
    blob: str | None = None
    url: str | None = None
    file_id: str | None = None
    uri: str | None = None
    title: str | None = None
    name: str | None = None
    tool_name: str | None = None
    """Of a `tool_reference`."""


class Answering(Struct, gc=False):
    """A model that was asked, or that answered."""

    model: str | None = None


class Fallback(Struct, gc=False, rename={"before": "from", "after": "to"}):
    """A block that says that another model answered."""

    before: Answering | None = None
    after: Answering | None = None


class UnparsedText(Struct, gc=False):
    """Arguments of a call that the client could not read."""

    raw: str | None = None


class Unparsed(Struct, gc=False):
    """The input of such a call."""

    text: UnparsedText | str | None = field(name="__unparsedToolInput", default=None)


class Message(Struct, gc=False):
    """A message in the form of the vendor's API. A response is several records with one `id`."""

    id: str | None = None
    model: str | None = None
    content: list[Block | str | None] | str | None = None
    stop_reason: str | None = None
    usage: Tokens | None = None


class Origin(Struct, gc=False, rename={"sender": "from", "as_user": "asUser"}):
    """Who wrote a prompt."""

    kind: str | None = None
    sender: str | None = None
    name: str | None = None
    as_user: bool | None = None


class Decision(Struct, gc=False):
    """Who decided on a call (2.1.329)."""

    decision: str | None = None
    source: str | None = None


class Progress(Struct, gc=False, rename="camel"):
    """Progress of a running call (2.1.12 to 2.1.81)."""

    type: str | None = None
    agent_id: str | None = None
    message: Raw = Raw()
    """A record of another agent."""
    full_output: str | None = None
    output: str | None = None
    elapsed_time_seconds: Number = None
    total_lines: Number = None
    elapsed_time_ms: Number = None
    hook_name: str | None = None
    hook_event: str | None = None
    command: str | None = None
    server_name: str | None = None
    tool_name: str | None = None
    progress_message: str | None = None
    status: str | None = None
    query: str | None = None
    result_count: Number = None
    task_description: str | None = None


class Attached(Struct, gc=False):
    """Something that the client attached (2.1.92 and later)."""

    type: str | None = None
    content: Raw = Raw()
    stdout: Raw = Raw()
    stderr: Raw = Raw()


class Structured(Struct, gc=False, rename="camel"):
    """Facts on the call in the structured form of a result; all else, the tool decides."""

    is_error: Raw = field(name="is_error", default=Raw())
    agent_id: Raw = Raw()
    run_id: Raw = Raw()
    """Of a workflow."""
    status: Raw = Raw()
    background_task_id: Raw = Raw()
    task_id: Raw = Raw()


class Record(Struct, gc=False, rename="camel"):
    """The envelope of a record, and what the frequent types say in fields of their own."""

    type: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | None = None
    timestamp: Number = None
    is_sidechain: bool | None = None
    agent_id: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    permission_mode: str | None = None
    # Messages.
    message: Message | list[Block | str | None] | str | None = None
    request_id: str | None = None
    cost_usd: Number = field(name="costUSD", default=None)
    """US dollars, up to 1.0.8."""
    thinking_duration_ms: Number = None
    is_api_error_message: bool | None = None
    # Prompts.
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    origin: Origin | None = None
    prompt_source: str | None = None
    scheduled_task_id: object = None
    """Whatever it is, the prompt was scheduled."""
    # Results.
    tool_use_result: Structured | str | list[Raw] | float | bool | None = None
    """The structured form of a result."""
    permission_decision: Decision | None = None
    tool_denial_kind: str | None = None
    """2.1.1xx."""
    interrupted_by_shutdown: bool | None = None
    # Reports.
    subtype: str | None = None
    level: str | None = None
    tool_use_id: str | None = field(name="toolUseID", default=None)
    parent_tool_use_id: str | None = field(name="parentToolUseID", default=None)
    data: Progress | None = None
    attachment: Attached | None = None


class ErrorDetails(Struct, gc=False):
    code: str | None = None


class RequestError(Struct, gc=False, rename="camel"):
    """A request that failed, in a record of its message."""

    error: str | None = None
    api_error_status: Number = None
    error_details: ErrorDetails | None = None


class ChangedFile(Struct, gc=False, rename="camel"):
    """A file that a command changed."""

    file_path: str | None = None
    hunks: object = None
    created: bool | None = None
    deleted: bool | None = None


class BashDiff(Struct, gc=False, rename="camel"):
    """Changes of a command (`bashEditDiff`, 2.1.269)."""

    shared: bool | None = None
    files: list[ChangedFile | None] | None = None
    changed_files: list[str | None] | None = None


class TeamMessage(Struct, gc=False, rename={"sender": "from", "assigned_by": "assignedBy"}):
    """A message of the protocol between teammates."""

    sender: str | None = None
    assigned_by: str | None = None
