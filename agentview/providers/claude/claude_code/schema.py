"""Records of the session log in which Claude Code itself reports something (1.0 to 2.1.3xx)."""

from msgspec import UNSET, Struct, field

from agentview.providers.claude.shared.schema import Number, Origin

Said = str | list[object] | None
"""A text, or blocks of one."""


class Compacted(Struct, gc=False, rename="camel"):
    trigger: str | None = None
    pre_tokens: Number = None
    post_tokens: Number = None
    tokens_saved: Number = None


class HookRun(Struct, gc=False, rename="camel"):
    """A run of a hook, or what it said."""

    message: str | None = None
    command: str | None = None
    duration_ms: Number = None


class ApiError(Struct, gc=False):
    """An error of the vendor's API, as the client has it; the API's own is an `error` in it."""

    formatted: str | None = None
    message: str | None = None
    status: Number = None
    error: "ApiError | None" = None


class Report(Struct, gc=False, rename="camel"):
    """A `system` record."""

    content: str | None = None
    compact_metadata: Compacted | None = None
    microcompact_metadata: Compacted | None = None
    # Hooks at the end of a turn.
    hook_errors: list[HookRun | str | None] | None = None
    hook_additional_context: list[HookRun | str | None] | None = None
    hook_infos: list[HookRun | None] | None = None
    prevented_continuation: bool | None = None
    stop_reason: str | None = None
    # A turn that ended.
    duration_ms: Number = None
    pending_background_agent_count: Number = None
    pending_workflow_count: Number = None
    # Requests to the model.
    error: ApiError | str | None = None
    retry_attempt: Number = None
    max_retries: Number = None
    retry_in_ms: Number = None
    original_model: str | None = None
    fallback_model: str | None = None
    api_refusal_category: str | None = None
    api_refusal_explanation: str | None = None
    trigger: str | None = None
    # Notes.
    url: str | None = None
    written_paths: list[str | None] | None = None
    commands: list[str | None] | None = None


class Worktree(Struct, gc=False, rename="camel"):
    worktree_path: str | None = None
    worktree_branch: str | None = None
    worktree_name: str | None = None


class Metadata(Struct, gc=False, rename="camel"):
    """A small record next to the conversation."""

    custom_title: str | None = None
    ai_title: str | None = None
    summary: str | None = None
    leaf_uuid: object = UNSET
    """The last message that was kept; null where none was."""
    rewound: bool | None = None
    pr_number: Number = None
    pr_repository: str | None = None
    pr_url: str | None = None
    mode: str | None = None
    has_unknown_model_cost: bool | None = None
    total_cost: Number = field(name="totalCostUSD", default=None)
    continued_in_session_id: str | None = None
    title: str | None = None
    path: str | None = None
    frame_url: str | None = None
    worktree_session: Worktree | None = None
    relocated_cwd: str | None = None
    # The queue of prompts.
    operation: str | None = None
    reason: str | None = None
    content: Said = None


class QueuedTask(Struct, gc=False):
    """A task that went to the background, in the text of a queued prompt."""

    task_type: str | None = None
    task_id: str | None = None


class Contents(Struct, gc=False):
    """The content of an attached file, or of a resource, whose text may be in several parts."""

    content: str | None = None
    file: "Contents | None" = None
    contents: "list[Contents | None] | None" = None
    text: str | None = None


class Blocked(Struct, gc=False, rename="camel"):
    blocking_error: Said = None
    command: Said = None


class Mail(Struct, gc=False, rename={"sender": "from"}):
    """A message of another agent of the team."""

    sender: str | None = None
    text: str | None = None


class Diagnosed(Struct, gc=False):
    """Diagnostics of a file, or one of them."""

    uri: str | None = None
    message: str | None = None
    diagnostics: "list[Diagnosed | None] | None" = None


class Attachment(Struct, gc=False, rename="camel"):
    content: Contents | Said = None
    # Prompts and messages.
    prompt: object = None
    command_mode: str | None = None
    is_meta: bool | None = None
    origin: Origin | None = None
    messages: list[Mail | None] | None = None
    envelopes: list[Said] | None = None
    plugin: str | None = None
    # Hooks.
    hook_name: str | None = None
    hook_event: str | None = None
    tool_use_id: str | None = field(name="toolUseID", default=None)
    duration_ms: Number = None
    exit_code: Number = None
    stdout: Said = None
    stderr: Said = None
    command: Said = None
    blocking_error: Blocked | Said = None
    message: Said = None
    decision: str | None = None
    # Files.
    filename: str | None = None
    path: str | None = None
    display_path: str | None = None
    snippet: str | None = None
    plan_file_path: str | None = None
    plan_content: str | None = None
    files: list[Diagnosed | None] | None = None
    uri: str | None = None
    name: str | None = None
    # Tasks, goals and limits.
    task_id: str | None = None
    task_type: str | None = None
    description: str | None = None
    status: str | None = None
    delta_summary: str | None = None
    output_file_path: str | None = None
    condition: str | None = None
    met: bool | None = None
    reason: str | None = None
    max_turns: Number = None


class WithAttachment(Struct, gc=False):
    attachment: Attachment = field(default_factory=Attachment)


# Files next to the logs.


class Identity(Struct, gc=False, rename="camel"):
    session_id: str | None = None
    is_sidechain: bool | None = None
    agent_id: str | None = None


class AgentMeta(Struct, gc=False, rename="camel"):
    """The file next to the log of an agent."""

    label: str | None = None
    description: str | None = None
    agent_type: str | None = None
    tool_use_id: str | None = None


class JournalLine(Struct, gc=False, rename="camel"):
    """A line of the journal of a workflow: an agent began, or reports its result."""

    type: str | None = None
    agent_id: str | None = None
    label: str | None = None
    phase: str | None = None


class Phase(Struct, gc=False):
    title: str | None = None


class Workflow(Struct, gc=False):
    phases: list[Phase | None] | None = None


class JobState(Struct, gc=False, rename="camel"):
    session_id: str | None = None
    daemon_short: str | None = None
    name: str | None = None
    intent: str | None = None
    state: str | None = None
    tempo: str | None = None
    cwd: str | None = None
    needs: str | None = None
    detail: str | None = None
    tokens: Number = None
    children: list[object] | Number = None
    first_terminal_at: object = None
    created_at: Number = None
    updated_at: Number = None
