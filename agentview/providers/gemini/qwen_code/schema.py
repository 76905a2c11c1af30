"""Records of Qwen Code (to 0.24): nodes of a tree, and lines of what it prints.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. What a
record has besides is read from its `fields` by the function of its type.
"""

from msgspec import UNSET, Raw, Struct

from agentview.providers.gemini.shared.schema import ContentPart
from agentview.providers.gemini.shared.usage import InterfaceTokens, Number, PrintedTokens


class Message(Struct, gc=False):
    """A message: parts as the vendor's interface has them, or printed blocks as another's has."""

    parts: Raw = Raw()
    # What is printed.
    id: str | None = None
    model: str | None = None
    content: Raw = Raw()
    usage: PrintedTokens | None = None


class Measured(Struct, gc=False, rename={"name": "event.name"}):
    """An event that was measured."""

    name: str | None = None
    error_message: object = None
    error: object = None
    error_type: object = None


class Compression(Struct, gc=False, rename="camel"):
    """The outcome of a compression."""

    trigger: object = None
    compression_status: Number = None
    original_token_count: Number = None
    new_token_count: Number = None


class ScreenItem(Struct, gc=False):
    """An item of the screen."""

    text: str | None = None
    message: str | None = None
    compression: Compression | None = None


class Failure(Struct, gc=False):
    """Why a turn or a session failed."""

    message: str | None = None
    code: object = None


class Payload(Struct, gc=False, rename="camel"):
    """Content of a record of the type `system`; on a prompt, how it was typed."""

    ui_event: Measured | None = None
    display_text: Raw = Raw()
    hook_context: str | None = None
    message: str | None = None
    status: str | None = None
    # A history that a summary replaced.
    trigger: object = None
    info: Compression | None = None
    compressed_history: Raw = Raw()
    # A command, or its output.
    raw_command: str | None = None
    phase: str | None = None
    hidden_invocation: bool | None = None
    output_history_items: Raw = Raw()
    # A title, settings, other sessions, the end of a turn.
    custom_title: str | None = None
    title_source: str | None = None
    model_id: str | None = None
    mode: str | None = None
    parent_session_id: str | None = None
    target_uuid: str | None = None
    error: Raw = Raw()
    duration_ms: Number = None


class Shown(Struct, gc=False):
    """Result as shown to the person."""

    type: str | None = None


class Outcome(Struct, gc=False, rename="camel"):
    """Outcome of a call, next to the answer that the model got."""

    call_id: str | None = None
    status: str | None = None
    error_type: str | None = None
    result_display: Shown | str | list[Raw] | float | bool | None = None


class RecordedOutcome(Struct, gc=False, rename="camel"):
    """The same, all of it."""

    call_id: str | None = None
    status: str | None = None
    error_type: str | None = None
    result_display: object = None
    response_parts: list[ContentPart | None] | None = None


class Block(Struct, gc=False):
    """A text, a thought, a call or a result of what is printed, or the beginning of one."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: object = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: object = None


class Report(Struct, gc=False):
    """A report of the client on itself."""

    status: str | None = None
    tool_use_id: str | None = None
    message: object = None
    text: object = None
    error: object = None
    detail: object = None
    trigger: str | None = None
    pre_tokens: Number = None


class Delta(Struct, gc=False):
    """A piece of a response."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None


class StreamEvent(Struct, gc=False):
    """How a response is written, in the words of another vendor's interface."""

    type: str | None = None
    index: object = None
    content_block: Block | None = None
    delta: Delta | None = None


class Place(Struct, gc=False):
    """A file that a call is about."""

    path: str | None = None


class ExportedCall(Struct, gc=False, rename="camel"):
    """A call with its outcome, in the words of the agents' protocol."""

    tool_call_id: str | None = None
    kind: str | None = None
    title: str | None = None
    status: str | None = None
    raw_input: object = None
    content: object = None
    locations: list[Place | None] | None = None


class Record(
    Struct,
    gc=False,
    rename={
        "log_of": "sessionId",
        "printed_of": "session_id",
        "parent_uuid": "parentUuid",
        "is_sidechain": "isSidechain",
        "agent_id": "agentId",
        "git_branch": "gitBranch",
        "system_payload": "systemPayload",
        "usage_metadata": "usageMetadata",
        "tool_call_result": "toolCallResult",
        "tool_call": "toolCall",
    },
):
    """The envelope of a record, and what the frequent types say in fields of their own."""

    type: str | None = None
    uuid: str | None = None
    log_of: object = UNSET
    """The session; what is printed names it in another way."""
    printed_of: object = UNSET
    parent_uuid: str | None = None
    timestamp: Number = None
    subtype: str | None = None
    cwd: str | None = None
    version: str | None = None
    git_branch: str | None = None
    model: str | None = None
    provenance: str | None = None
    is_sidechain: bool | None = None
    agent_id: str | None = None
    message: Message | None = None
    system_payload: Payload | None = None
    usage_metadata: InterfaceTokens | None = None
    tool_call_result: Outcome | None = None
    tool_call: Raw = Raw()
    # What is printed.
    parent_tool_use_id: str | None = None
    event: StreamEvent | None = None
    permission_mode: str | None = None
    qwen_code_version: str | None = None
    data: Report | None = None
    compact_metadata: Report | None = None
    is_error: bool | None = None
    error: Raw = Raw()
    duration_ms: Number = None
    usage: PrintedTokens | None = None


# Where a session belongs.


class First(Struct, gc=False, rename={
    "session_id": "sessionId", "printed_id": "session_id", "agent_id": "agentId",
    "is_sidechain": "isSidechain",
}):  # fmt: skip
    """The first record of a log."""

    session_id: str | None = None
    printed_id: str | None = None
    agent_id: str | None = None
    is_sidechain: bool | None = None


class Started(Struct, gc=False, rename="camel"):
    """The file next to the log of an agent."""

    parent_agent_id: str | None = None
    tool_use_id: str | None = None
    description: str | None = None
    agent_type: str | None = None


class Runtime(Struct, gc=False):
    """The file of a session that runs."""

    session_id: str | None = None
    pid: int | None = None
    hostname: str | None = None
    work_dir: str | None = None
