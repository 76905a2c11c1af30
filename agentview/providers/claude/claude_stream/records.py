"""What a printed record looks like: for each type the keys that decoding reads."""

from collections.abc import Mapping, Sequence

import orjson
from pydantic import Field

from agentview.normalize.json_values import Fields, text_of
from agentview.providers._kit.json_recovery import read_pieces
from agentview.providers.claude.shared.event_builder import RECORD_START, is_record
from agentview.providers.claude.shared.messages import Message, Sender, Usage
from agentview.providers.claude.shared.read_keys import CamelShape, Shape, unread
from agentview.providers.claude.shared.tool_use_result import StructuredResult

# Keys of the events of the vendor's own stream, which the client passes on.


class Delta(Shape):
    """What is added to a block."""

    kind: object = Field(None, alias="type")
    text: object = None
    thinking: object = None
    partial_json: object = None


class StartedBlock(Shape):
    """A block that begins: of a call its name, of all others its type."""

    kind: object = Field(None, alias="type")
    id: object = None
    name: object = None
    server_name: object = None


class StartedMessage(Shape):
    """A response that begins."""

    model: object = None


class StreamError(Shape):
    """An error in the place of a response."""

    kind: object = Field(None, alias="type")
    message: object = None


class VendorEvent(Shape):
    """An event of the vendor's own stream."""

    kind: object = Field(None, alias="type")
    index: object = None
    message: StartedMessage | None = None
    content_block: StartedBlock | None = None
    delta: Delta | None = None
    usage: Usage | None = None
    error: StreamError | None = None


class Record(Shape):
    """The envelope that every record has."""

    kind: object = Field(None, alias="type")
    subtype: object = None
    uuid: object = None
    session_id: object = None
    parent_tool_use_id: object = None
    agent_id_camel: object = Field(None, alias="agentId")
    timestamp: object = None
    cwd: object = None
    git_branch: object = Field(None, alias="gitBranch")
    version: object = None
    permission_mode: object = Field(None, alias="permissionMode")

    @classmethod
    def narrow(cls, value: Fields) -> type[Shape]:
        """The shape of a record by its type, and of a report by its subtype."""
        kind = text_of(value.get("type")) or ""
        if kind == "system":
            return SYSTEM.get(text_of(value.get("subtype")) or "", Record)
        return RECORDS.get(kind, Record)


class EndedMessage(Message):
    """A message of the model, which says whether its response has ended."""

    stop_reason: object = None


class AssistantRecord(Record):
    """A part of a model's response."""

    message: EndedMessage | None = None
    agent_id: object = None
    request_id: object = None
    error: object = None
    thinking_duration_ms: object = None
    supersedes: object = None


class PermissionDecision(Shape):
    """Who allowed or refused a call."""

    decision: object = None
    source: object = None


class ResultMeta(Shape):
    """What became of a call, beside its result."""

    permission_decision: PermissionDecision | None = None
    non_execution_kind: object = None


class UserRecord(Record):
    """A prompt, a result, or what the client wrote in their place."""

    message: Message | None = None
    agent_id: object = None
    is_synthetic: object = Field(None, alias="isSynthetic")
    origin: Sender | None = None
    tool_use_result: StructuredResult | None = None
    tool_result_meta: list[ResultMeta] | None = None

    @classmethod
    def parts(cls, value: Fields) -> Mapping[str, type[Shape] | None]:
        """The keys of the record; what a server of tools brought back has no known shape."""
        parts = {**super().parts(value)}
        if isinstance(value.get("tool_use_result"), list):
            parts["tool_use_result"] = Shape
        return parts


class StreamRecord(Record):
    """A piece of a response while it is written."""

    event: VendorEvent | None = None
    api_message_id: object = None


class ModelCounts(CamelShape):
    """What a model was used for."""

    input_tokens: object = None
    cache_read_input_tokens: object = None
    cache_creation_input_tokens: object = None
    output_tokens: object = None
    thinking_tokens: object = None


class Models(Shape):
    """Counts by the name of the model."""

    @classmethod
    def parts(cls, value: Fields) -> Mapping[str, type[Shape] | None]:
        """Every name is one of a model."""
        return dict.fromkeys(value, ModelCounts)


class Refused(Shape):
    """A call that was refused."""

    tool_name: object = None


class ResultRecord(Record):
    """The end of a run."""

    is_error: object = None
    result: object = None
    errors: object = None
    num_turns: object = None
    duration_ms: object = None
    total_cost_usd: object = None
    terminal_reason: object = None
    local_command: object = None
    permission_denials: list[Refused] | None = None
    model_usage: Models | None = Field(None, alias="modelUsage")
    usage: Usage | None = None


class Server(Shape):
    """A server of tools."""

    name: object = None
    status: object = None


class InitRecord(Record):
    """The client begins."""

    model: object = None
    claude_code_version: object = None
    mcp_servers: list[Server] | None = None


class StatusRecord(Record):
    """What the client is doing."""

    compact_error: object = None


class CompactMetadata(Shape):
    """What a compaction did."""

    trigger: object = None
    pre_tokens: object = None
    post_tokens: object = None


class CompactRecord(Record):
    """The history was replaced by a summary."""

    compact_metadata: CompactMetadata | None = None


class RetryRecord(Record):
    """A request is tried again."""

    attempt: object = None
    max_retries: object = None
    retry_delay_ms: object = None
    error_status: object = None
    error: object = None


class TaskUsage(Shape):
    """What a task took."""

    duration_ms: object = None


class TaskRecord(Record):
    """How far a task has come, or its outcome."""

    tool_use_id: object = None
    status: object = None
    summary: object = None
    description: object = None
    output_file: object = None
    usage: TaskUsage | None = None


class HookRecord(Record):
    """What a hook said."""

    hook_name: object = None
    hook_event: object = None
    outcome: object = None
    output: object = None
    stdout: object = None
    stderr: object = None
    exit_code: object = None


class NoteRecord(Record):
    """Something that the client says in words."""

    content: object = None
    level: object = None
    text: object = None
    priority: object = None
    reason: object = None
    name: object = None
    status: object = None
    error: object = None
    error_code: object = None
    lost: object = None


class FailedFile(Shape):
    """A file that could not be kept."""

    filename: object = None
    error: object = None


class FilesRecord(Record):
    """Files that were kept, or not."""

    failed: list[FailedFile] | None = None


class Memory(Shape):
    """Something that was remembered."""

    path: object = None


class MemoryRecord(Record):
    """What was remembered."""

    memories: list[Memory] | None = None


class RefusalRecord(Record):
    """The vendor refused to answer."""

    content: object = None
    original_model: object = None
    fallback_model: object = None
    api_refusal_category: object = None
    api_refusal_explanation: object = None


class PublishedRecord(Record):
    """The pull request that the session works on."""

    repo: object = None
    identifier: object = None
    url: object = None


class LifecycleRecord(Record):
    """What became of a prompt."""

    state: object = None


class ErrorRecord(Record):
    """An error of the vendor's API."""

    error: StreamError | None = None


class ProgressRecord(Record):
    """How long a call has run."""

    tool_use_id: object = None
    elapsed_time_seconds: object = None


class SummaryRecord(Record):
    """What the calls before it did, or why a conversation began anew."""

    summary: object = None
    trigger: object = None


class AuthRecord(Record):
    """How far the sign-in has come."""

    is_authenticating: object = Field(None, alias="isAuthenticating")
    output: object = None
    error: object = None


class RateLimit(CamelShape):
    """How much of a rate limit is used."""

    status: object = None
    rate_limit_type: object = None
    utilization: object = None
    resets_at: object = None


class RateLimitRecord(Record):
    """A rate limit changed."""

    rate_limit_info: RateLimit | None = None


SYSTEM: dict[str, type[Record]] = {
    "api_retry": RetryRecord,
    "code_change_published": PublishedRecord,
    "compact_boundary": CompactRecord,
    "files_persisted": FilesRecord,
    "hook_response": HookRecord,
    "init": InitRecord,
    "memory_recall": MemoryRecord,
    "model_refusal_fallback": RefusalRecord,
    "model_refusal_no_fallback": RefusalRecord,
    "status": StatusRecord,
    "task_notification": TaskRecord,
    "task_progress": TaskRecord,
    **dict.fromkeys(
        (
            "informational",
            "local_command_output",
            "mirror_error",
            "notification",
            "plugin_install",
            "session_writes_lost",
            "worker_shutting_down",
        ),
        NoteRecord,
    ),
}
"""Shapes of reports by their subtype; of others only the envelope is read."""

RECORDS: dict[str, type[Record]] = {
    "assistant": AssistantRecord,
    "auth_status": AuthRecord,
    "command_lifecycle": LifecycleRecord,
    "conversation_reset": SummaryRecord,
    "error": ErrorRecord,
    "rate_limit_event": RateLimitRecord,
    "result": ResultRecord,
    "stream_event": StreamRecord,
    "tool_progress": ProgressRecord,
    "tool_use_summary": SummaryRecord,
    "user": UserRecord,
}
"""Shapes of records by their type."""


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
