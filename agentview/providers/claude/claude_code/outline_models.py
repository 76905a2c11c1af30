"""The fields of a record that join it with others, read without the rest of it.

A record with a field of another type than the one stated here is refused, and so is invalid JSON.
The names are those of the format.
"""

from typing import Annotated, Any

from msgspec import Meta, Raw, Struct, field
from msgspec.json import Decoder

_LAUNCHED = b'_launched"'
Count = Annotated[int, Meta(ge=1 - 2**63, le=2**63 - 1)]
"""Whole numbers beyond are none that anybody counted."""


class OutputDetails(Struct, gc=False):
    """What the output tokens were spent on."""

    thinking_tokens: Count | None = None


class UsageHeader(Struct, gc=False):
    """Tokens of a response."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation: dict[str, Count] | None = None
    output_tokens_details: OutputDetails | None = None


class Given(Struct, gc=False):
    """Arguments of a call."""

    unparsed: Raw = field(name="__unparsedToolInput", default=Raw())


class Block(Struct, gc=False):
    """A block of a message."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Given | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None


class Message(Struct, gc=False):
    """A message in the form of the vendor's API."""

    id: str | None = None
    model: str | None = None
    content: list[Block] | str | None = None
    stop_reason: str | None = None
    usage: UsageHeader | None = None


class Structured(Struct, gc=False):
    """The structured form of a result."""

    agent_id: str | None = field(name="agentId", default=None)
    is_error: bool | None = None
    status: Raw = Raw()
    command: Raw = field(name="backgroundTaskId", default=Raw())
    monitor: Raw = field(name="taskId", default=Raw())

    @property
    def may_be_launch(self) -> bool:
        """Return whether work may only have begun; decoding shows it."""
        started = bytes(self.command) or bytes(self.monitor)
        return bool(started) or bytes(self.status).endswith(_LAUNCHED)


class Progress(Struct, gc=False):
    """What a running call has done so far."""

    type: str | None = None


class Attached(Struct, gc=False):
    """Something that the client attached."""

    type: str | None = None
    tool_use_id: str | None = field(name="toolUseID", default=None)
    content: Raw = Raw()
    stdout: Raw = Raw()
    stderr: Raw = Raw()


class Origin(Struct, gc=False):
    """Who wrote a prompt."""

    kind: str | None = None


class Header(Struct, gc=False, rename="camel"):
    """The envelope of a record, and what its type says in fields of its own."""

    type: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    timestamp: str | None = None
    is_sidechain: bool | None = None
    agent_id: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    permission_mode: str | None = None
    message: Message | None = None
    tool_use_result: Structured | str | list[Any] | None = None
    request_id: str | None = None
    is_meta: bool | None = None
    origin: Origin | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    data: Progress | None = None
    attachment: Attached | None = None
    tool_use_id: str | None = field(name="toolUseID", default=None)
    parent_tool_use_id: str | None = field(name="parentToolUseID", default=None)
    subtype: str | None = None
    level: str | None = None
    hook_errors: list[Any] | None = None
    hook_additional_context: list[Any] | None = None
    prevented_continuation: bool | None = None
    stop_reason: str | None = None
    mode: str | None = None
    cost_usd: float | None = field(name="costUSD", default=None)
    total_cost_usd: float | None = field(name="totalCostUSD", default=None)
    has_unknown_model_cost: bool | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    leaf_uuid: str | None = None
    rewound: bool | None = None
    operation: str | None = None


read_header = Decoder(Header).decode
"""The header of a record. Raises `MsgspecError`, `ValueError` or `RecursionError`."""
