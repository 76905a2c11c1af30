"""Records of iFlow: messages in the envelope of Claude Code.

The names are those of the format. What a record has besides is read from its `fields`.
"""

from msgspec import Raw, Struct

from agentview.providers.gemini.shared.usage import Number, PrintedTokens


class Source(Struct, gc=False):
    """The bytes of an image."""

    media_type: object = None
    data: str | None = None


class Block(Struct, gc=False, rename={"result_display": "resultDisplay"}):
    """A text, a thought, a call, a result or an image."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: object = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: object = None
    result_display: object = None
    source: object = None


class Answer(Struct, gc=False, rename="camel"):
    """The content of a result."""

    response_parts: object = None
    result_display: object = None


class Message(Struct, gc=False):
    """A message; its content is a text or blocks."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: Raw = Raw()
    usage: PrintedTokens | None = None


class Outcome(Struct, gc=False, rename="camel"):
    """Outcome of a call, next to the answer that the model got."""

    status: str | None = None
    tool_name: str | None = None


class Record(
    Struct,
    gc=False,
    rename={
        "session_id": "sessionId",
        "parent_uuid": "parentUuid",
        "git_branch": "gitBranch",
        "tool_use_result": "toolUseResult",
    },
):
    """The envelope, and what the two types of records say."""

    type: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | None = None
    timestamp: Number = None
    cwd: str | None = None
    git_branch: str | None = None
    message: Message | None = None
    tool_use_result: Outcome | None = None
