"""Records of Cursor's agent (to 2026.07): what it prints, its transcripts, messages of its SDK.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. What a
record has besides is read from its `fields` by the function of its type.
"""

from msgspec import UNSET, Raw, Struct, UnsetType

Number = int | float | str | None
"""Some writers of this format write numbers as texts."""


class Block(Struct, gc=False, rename={"sdk_id": "toolCallId", "sdk_name": "toolName"}):
    """A part of a message; a call has one of the names, of the ids, and of the arguments."""

    type: str | None = None
    text: object = None
    """A text, or an object that has it."""
    name: object = None
    sdk_name: object = None
    tool_name: object = None
    id: object = None
    sdk_id: object = None
    tool_call_id: object = None
    call_id: object = None
    input: Raw = Raw()
    args: Raw = Raw()
    arguments: Raw = Raw()

    @property
    def kind(self) -> str:
        return (self.type or "").replace("-", "_")


class Message(Struct, gc=False):
    """A message; its content is a text or blocks."""

    content: list[Block | str | None] | str | UnsetType | None = UNSET


class Call(Struct, gc=False):
    """A call as it was made, and what came of it."""

    name: str | None = None
    description: str | None = None
    args: Raw = Raw()
    arguments: Raw = Raw()
    input: Raw = Raw()
    result: Raw = Raw()


class Tokens(Struct, gc=False, rename="camel"):
    """Tokens of a turn."""

    input_tokens: Number = None
    cache_read_tokens: Number = None
    cache_write_tokens: Number = None
    output_tokens: Number = None
    reasoning_tokens: Number = None


class Query(Struct, gc=False, rename="camel"):
    """A question of the client to its host."""

    args: object = None
    tool_call_id: object = None


class Record(Call, gc=False, rename={"permission_mode": "permissionMode"}):
    """A line. Of a transcript it has a role, of what is printed a type.

    A call of the SDK is said in the record itself.
    """

    type: str | None = None
    subtype: str | None = None
    role: str | UnsetType | None = UNSET
    session_id: object = None
    agent_id: object = UNSET
    run_id: object = UNSET
    timestamp_ms: Number = None
    model_call_id: object = UNSET
    message: Message | str | None = None
    model: object = None
    text: str | None = None
    thinking_duration_ms: Number = None
    call_id: object = None
    id: object = None
    status: str | None = None
    tool_call: dict[str, Call | None] | None = None
    # The connection, questions to the host, the session and the end of a turn.
    attempt: Number = None
    query_type: str | None = None
    query: Raw = Raw()
    response: Raw = Raw()
    cwd: str | None = None
    permission_mode: str | None = None
    is_error: bool | None = None
    duration_ms: Number = None
    request_id: str | None = None
    usage: Tokens | None = None
