"""Exchanges of a session of Auggie, and what is around them.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. Nodes
have a number for their type, and a member with what they are.
"""

from msgspec import UNSET, Raw, Struct, UnsetType

Number = int | float | str | None


class TextNode(Struct, gc=False):
    """A text of the request."""

    content: str | None = None


class ResultNode(Struct, gc=False):
    """The result of a call of the exchange before."""

    tool_use_id: str | None = None
    content: str | None = None
    content_nodes: Raw = Raw()
    is_error: bool | None = None


class ImageNode(Struct, gc=False):
    """A picture."""

    image_data: str | None = None
    format: Number = None


class Folder(Struct, gc=False):
    """A folder that is open."""

    repository_root: str | None = None
    folder_root: str | None = None


class Terminal(Struct, gc=False):
    """Where commands run."""

    current_working_directory: str | None = None


class StateNode(Struct, gc=False):
    """The state of the editor or the terminal."""

    workspace_folders: list[Folder | None] | None = None
    current_terminal: Terminal | None = None


class RequestNode(Struct, gc=False):
    """A part of a request."""

    type: Number = None
    text_node: TextNode | None = None
    tool_result_node: ResultNode | None = None
    image_node: ImageNode | None = None
    ide_state_node: StateNode | None = None


class ToolUse(Struct, gc=False):
    """A call; its arguments are JSON in a text, or an object."""

    tool_use_id: str | None = None
    tool_name: str | None = None
    input_json: Raw = Raw()
    input: Raw = Raw()


class Thinking(Struct, gc=False):
    """A thought."""

    summary: str | None = None
    content: str | None = None


class Tokens(Struct, gc=False):
    """Tokens of a request to the model."""

    input_tokens: Number = None
    output_tokens: Number = None
    cache_read_input_tokens: Number = None
    cache_creation_input_tokens: Number = None


class ResponseNode(Struct, gc=False):
    """A part of a response."""

    id: Number = None
    type: Number = None
    content: str | None = None
    tool_use: ToolUse | None = None
    thinking: Thinking | None = None
    token_usage: Tokens | None = None
    timestamp_ms: Number = None


class Exchange(Struct, gc=False):
    """A request, and what the model answered."""

    request_id: str | None = None
    request_message: str | None = None
    response_text: str | None = None
    request_nodes: list[RequestNode | None] | None = None
    response_nodes: list[ResponseNode | None] | None = None


class AgentState(Struct, gc=False, rename="camel"):
    """The state of the agent, as the client keeps it."""

    model_id: str | None = None


class Turn(Struct, gc=False, rename="camel"):
    """An item of the history, or what is around the history."""

    exchange: Exchange | UnsetType | None = UNSET
    completed: object = None
    finished_at: Number = None
    # Around the history.
    session_id: str | UnsetType | None = UNSET
    created: Number = None
    modified: Number = None
    name: str | None = None
    custom_title: str | None = None
    agent_state: AgentState | None = None
