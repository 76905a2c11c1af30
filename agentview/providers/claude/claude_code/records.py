"""What a record looks like: for each type the keys that decoding reads."""

from collections.abc import Mapping, Sequence

import orjson
from pydantic import Field

from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.json_recovery import read_pieces
from agentview.providers.claude.shared.event_builder import RECORD_START, is_record
from agentview.providers.claude.shared.messages import Block, Message, NestedContent, Sender
from agentview.providers.claude.shared.read_keys import CamelShape, Shape, unread
from agentview.providers.claude.shared.tool_use_result import StructuredResult

# Keys of attachments, by their type.


class Origin(Shape):
    """Where a queued prompt came from."""

    kind: object = None


class BlockingError(CamelShape):
    """Why a hook refused."""

    blocking_error: object = None
    command: object = None


class AttachedFile(Shape):
    """A file's text."""

    content: object = None


class AttachedContent(Shape):
    """A file as it was attached."""

    content: object = None
    file: AttachedFile | None = None


class Diagnostic(Shape):
    """One finding of an editor."""

    message: object = None


class DiagnosedFile(Shape):
    """A file with findings."""

    uri: object = None
    diagnostics: list[Diagnostic] | None = None


class Attachment(CamelShape):
    """An attachment of any type."""

    kind: object = Field(None, alias="type")


class HookAttachment(Attachment):
    """What a hook did."""

    hook_name: object = None
    hook_event: object = None
    tool_use_id: object = Field(None, alias="toolUseID")
    content: object = None
    command: object = None
    duration_ms: object = None
    exit_code: object = None
    stdout: object = None
    stderr: object = None
    message: object = None
    blocking_error: BlockingError | None = None


class FileAttachment(Attachment):
    """A file, a directory, a selection or a memory."""

    filename: object = None
    path: object = None
    display_path: object = None
    content: AttachedContent | None = None
    snippet: object = None
    plan_file_path: object = None
    plan_content: object = None
    files: list[DiagnosedFile] | None = None


class TaskAttachment(Attachment):
    """The state of a task or of a goal."""

    task_id: object = None
    task_type: object = None
    description: object = None
    status: object = None
    delta_summary: object = None
    output_file_path: object = None
    condition: object = None
    met: object = None
    reason: object = None
    duration_ms: object = None


class ResourcePart(Shape):
    """A part of a resource."""

    text: object = None


class ResourceContent(Shape):
    """What a resource holds."""

    contents: list[ResourcePart] | None = None


class ResourceAttachment(Attachment):
    """A resource of an MCP server."""

    uri: object = None
    name: object = None
    content: ResourceContent | None = None


class DecisionAttachment(HookAttachment):
    """What a hook decided about a call."""

    decision: object = None


class LimitAttachment(Attachment):
    """The limit of turns that ended a run."""

    max_turns: object = None


class MailboxMessage(Shape):
    """What another agent of the team has written."""

    sender: object = Field(None, alias="from")
    text: object = None


class MailboxAttachment(Attachment):
    """What other agents of the team have written."""

    messages: list[MailboxMessage] | None = None


class QueuedAttachment(Attachment):
    """A prompt that was sent while the agent worked."""

    prompt: list[Block] | None = None
    command_mode: object = None
    is_meta: object = None
    origin: Origin | None = None


ATTACHMENTS: dict[str, type[Attachment]] = {
    **dict.fromkeys(
        (
            "already_read_file",
            "compact_file_reference",
            "diagnostics",
            "directory",
            "edited_image_file",
            "edited_text_file",
            "file",
            "nested_memory",
            "pdf_reference",
            "plan_file_reference",
            "selected_lines_in_diff",
            "selected_lines_in_ide",
        ),
        FileAttachment,
    ),
    "goal_status": TaskAttachment,
    "hook_permission_decision": DecisionAttachment,
    "max_turns_reached": LimitAttachment,
    "mcp_resource": ResourceAttachment,
    "queued_command": QueuedAttachment,
    "task_status": TaskAttachment,
    "teammate_mailbox": MailboxAttachment,
}


class Code(Shape):
    """The code of an error."""

    code: object = None


class ErrorText(Shape):
    """The innermost text of an error."""

    message: object = None


class InnerError(Shape):
    """An error as the vendor reported it."""

    message: object = None
    error: ErrorText | None = None


class ApiError(Shape):
    """An error of a request."""

    message: object = None
    formatted: object = None
    status: object = None
    error: InnerError | None = None


class PermissionDecision(Shape):
    """Who allowed or refused a call."""

    decision: object = None
    source: object = None


class CompactMetadata(CamelShape):
    """What a compaction did, or a clearing of old results."""

    trigger: object = None
    pre_tokens: object = None
    post_tokens: object = None
    tokens_saved: object = None


class HookInfo(CamelShape):
    """One hook that ran."""

    command: object = None
    duration_ms: object = None


class HookMessage(Shape):
    """What a hook said."""

    message: object = None


class NestedMessage(CamelShape):
    """A record of another agent inside a progress record."""

    kind: object = Field(None, alias="type")
    uuid: object = None
    timestamp: object = None
    session_id: object = None
    parent_uuid: object = None
    cwd: object = None
    git_branch: object = None
    version: object = None
    permission_mode: object = None
    is_meta: object = None
    is_compact_summary: object = None
    tool_use_result: StructuredResult | None = None
    message: NestedContent | None = None


class ProgressData(CamelShape):
    """How far a call has come."""

    kind: object = Field(None, alias="type")
    output: object = None
    full_output: object = None
    elapsed_time_seconds: object = None
    elapsed_time_ms: object = None
    total_lines: object = None
    agent_id: object = None
    message: NestedMessage | None = None
    hook_name: object = None
    hook_event: object = None
    command: object = None
    status: object = None
    progress_message: object = None
    server_name: object = None
    tool_name: object = None
    query: object = None
    result_count: object = None
    task_description: object = None


class Worktree(CamelShape):
    """The worktree a session is in."""

    worktree_path: object = None
    worktree_branch: object = None
    worktree_name: object = None


class Record(CamelShape):
    """The envelope that every record of the conversation has."""

    kind: object = Field(None, alias="type")
    uuid: object = None
    parent_uuid: object = None
    timestamp: object = None
    session_id: object = None
    is_sidechain: object = None
    agent_id: object = None
    cwd: object = None
    git_branch: object = None
    version: object = None
    permission_mode: object = None

    @classmethod
    def narrow(cls, value: Fields) -> type[Shape]:
        """The shape of a record by its type."""
        return RECORDS.get(text_of(value.get("type")) or "", Record)

    @classmethod
    def parts(cls, value: Fields) -> Mapping[str, type[Shape] | None]:
        """The keys of the record; the agent names the stream of a sidechain only."""
        parts = {**super().parts(value)}
        if value.get("isSidechain") is not True:
            parts.pop("agentId", None)
        if isinstance(value.get("toolUseResult"), list):
            parts["toolUseResult"] = Shape
        return parts


class UserRecord(Record):
    """A prompt, a result, or what the client wrote in their place."""

    message: Message | None = None
    is_meta: object = None
    is_compact_summary: object = None
    prompt_source: object = None
    scheduled_task_id: object = None
    origin: Sender | None = None
    tool_use_result: StructuredResult | None = None
    tool_denial_kind: object = None
    permission_decision: PermissionDecision | None = None
    interrupted_by_shutdown: object = None


class AssistantRecord(Record):
    """A part of a model's response."""

    message: Message | None = None
    request_id: object = None
    is_api_error_message: object = None
    api_error_status: object = None
    error: object = None
    error_details: Code | None = None
    thinking_duration_ms: object = None
    cost_usd: object = Field(None, alias="costUSD")


class SystemRecord(Record):
    """A report of the client."""

    subtype: object = None
    content: object = None
    level: object = None
    tool_use_id: object = Field(None, alias="toolUseID")
    compact_metadata: CompactMetadata | None = None
    microcompact_metadata: CompactMetadata | None = None
    hook_errors: list[HookMessage] | None = None
    hook_additional_context: list[HookMessage] | None = None
    hook_infos: list[HookInfo] | None = None
    prevented_continuation: object = None
    stop_reason: object = None
    duration_ms: object = None
    pending_background_agent_count: object = None
    pending_workflow_count: object = None
    error: ApiError | None = None
    retry_attempt: object = None
    max_retries: object = None
    retry_in_ms: object = None
    original_model: object = None
    fallback_model: object = None
    api_refusal_category: object = None
    api_refusal_explanation: object = None
    trigger: object = None
    url: object = None
    written_paths: object = None
    commands: object = None


class ProgressRecord(Record):
    """How far a call has come (2.1.12 to 2.1.81)."""

    data: ProgressData | None = None
    parent_tool_use_id: object = Field(None, alias="parentToolUseID")
    tool_use_id: object = Field(None, alias="toolUseID")


class AttachmentRecord(Record):
    """Something put into the conversation that nobody typed."""

    attachment: Attachment | None = None

    @classmethod
    def parts(cls, value: Fields) -> Mapping[str, type[Shape] | None]:
        """The keys of the record, with the shape of its attachment by type."""
        kind = text_of(fields_of(value.get("attachment")).get("type")) or ""
        shape = ATTACHMENTS.get(kind, HookAttachment if "hook" in kind else Attachment)
        return {**super().parts(value), "attachment": shape}


class StateRecord(Record):
    """A small record outside the conversation."""

    operation: object = None
    content: list[Block] | None = None
    reason: object = None
    summary: object = None
    leaf_uuid: object = None
    message: Message | None = None
    ai_title: object = None
    custom_title: object = None
    mode: object = None
    total_cost_usd: object = Field(None, alias="totalCostUSD")
    has_unknown_model_cost: object = None
    pr_number: object = None
    pr_url: object = None
    pr_repository: object = None
    frame_url: object = None
    continued_in_session_id: object = None
    path: object = None
    title: object = None
    relocated_cwd: object = None
    worktree_session: Worktree | None = None


class PlaceRecord(Record):
    """A mark of where the conversation stands."""

    leaf_uuid: object = None
    rewound: object = None


_STATES = (
    "ai-title",
    "continued-in",
    "cost-state",
    "custom-title",
    "frame-link",
    "mode",
    "pr-link",
    "queue-operation",
    "relocated",
    "summary",
    "worktree-state",
)

RECORDS: dict[str, type[Record]] = {
    "assistant": AssistantRecord,
    "attachment": AttachmentRecord,
    "last-prompt": PlaceRecord,
    "progress": ProgressRecord,
    "system": SystemRecord,
    "user": UserRecord,
    **dict.fromkeys(_STATES, StateRecord),
}
"""Shapes of records by their type; of other types only the envelope is read."""


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a record that nothing reads."""
    try:
        values: list[object] = [orjson.loads(record)]
    except ValueError:
        values = [
            piece.value
            for piece in read_pieces(record, RECORD_START, is_record)
            if piece.error is None
        ]
    return [pointer for value in values for pointer in unread(value, Record)]
