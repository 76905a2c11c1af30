"""Records of Qwen Code (to 0.24): nodes of a tree, and lines of what it prints.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. What a
record has besides is read from its `fields` by the function of its type.
"""

from msgspec import UNSET, Raw, Struct

from agentview.providers.gemini.shared.usage import InterfaceTokens, Number


class Message(Struct, gc=False):
    """A message: parts as the vendor's interface has them, or printed blocks as another's has."""

    parts: Raw = Raw()
    # What is printed.
    id: str | None = None
    model: str | None = None
    content: Raw = Raw()
    usage: Raw = Raw()


class Measured(Struct, gc=False, rename={"name": "event.name"}):
    """An event that was measured."""

    name: str | None = None


class Payload(Struct, gc=False, rename="camel"):
    """Content of a record of the type `system`; on a prompt, how it was typed."""

    ui_event: Measured | None = None
    display_text: Raw = Raw()
    hook_context: str | None = None


class Shown(Struct, gc=False):
    """Result as shown to the person."""

    type: str | None = None


class Outcome(Struct, gc=False, rename="camel"):
    """Outcome of a call, next to the answer that the model got."""

    call_id: str | None = None
    status: str | None = None
    error_type: str | None = None
    result_display: Shown | str | list[Raw] | float | bool | None = None


class Block(Struct, gc=False):
    """The block that a piece begins."""

    type: str | None = None


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
    # What is printed.
    parent_tool_use_id: str | None = None
    event: StreamEvent | None = None
