"""Events of a conversation, and its state (OpenHands SDK 1.58.0).

The names are those of the SDK's types. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import UNSET, Raw, Struct, UnsetType

from agentview.providers.openhands.shared.usage import Number, Tokens

Words = object
"""A text; any other value is shown as JSON."""


class Metrics(Struct, gc=False):
    """Usage of one use of a model, such as that by an agent."""

    model_name: str | None = None
    accumulated_cost: Number = None
    accumulated_token_usage: Tokens | None = None


class Stats(Struct, gc=False):
    """Usage of each use of a model."""

    usage_to_metrics: dict[str, Metrics | None] | None = None


class Model(Struct, gc=False):
    """The model."""

    model: str | None = None


class Agent(Struct, gc=False):
    """Who works."""

    llm: Model | None = None


class Workspace(Struct, gc=False):
    """Where it works."""

    working_dir: str | None = None


class State(Struct, gc=False):
    """The state of a conversation."""

    agent: Agent | UnsetType | None = UNSET
    execution_status: str | UnsetType | None = UNSET
    workspace: Workspace | None = None
    stats: Stats | None = None


class Thought(Struct, gc=False):
    """A thought, or one that is withheld."""

    thinking: str | None = None


class Message(Struct, gc=False):
    """Words to a model or of one."""

    role: str | None = None
    content: Raw = Raw()
    reasoning_content: str | None = None
    thinking_blocks: list[Thought | None] | None = None


class Function(Struct, gc=False):
    """The name of a tool, and its arguments as the model wrote them."""

    name: str | None = None
    arguments: Words = None


class Call(Function, gc=False):
    """A call as the model made it; older versions have an object in it."""

    function: Function | None = None


class Terminal(Struct, gc=False):
    """Words of the client around the output of a command."""

    prefix: str | None = None
    suffix: str | None = None


class Observation(Struct, gc=False):
    """The outcome of a call: each tool has some of these keys."""

    kind: str | None = None
    content: object = None
    output: str | None = None
    is_error: object = None
    error: object = None
    # A command.
    exit_code: Number | UnsetType = UNSET
    timeout: bool | None = None
    metadata: Terminal | None = None
    # A file.
    path: str | None = None
    file_path: str | None = None
    old_content: str | None = None
    new_content: str | None = None
    prev_exist: bool | None = None
    # A search, a list of tasks.
    matches: list[object] | UnsetType | None = UNSET
    files: list[object] | UnsetType | None = UNSET
    truncated: bool | None = None
    task_list: list[object] | UnsetType | None = UNSET


class Record(State, gc=False):
    """An event, or the state."""

    id: str | None = None
    kind: str | None = None
    timestamp: Number = None
    source: str | None = None
    llm_response_id: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    # Messages.
    llm_message: Message | None = None
    extended_content: list[Raw] | None = None
    sender: str | None = None
    # Calls and what came of them; `content` is that of a call by protocol.
    reasoning_content: str | None = None
    thinking_blocks: list[Thought | None] | None = None
    thought: Raw = Raw()
    content: Raw = Raw()
    action: Raw = Raw()
    tool_call: Call | None = None
    summary: str | None = None
    observation: Raw = Raw()
    rejection_reason: str | None = None
    rejection_source: str | None = None
    tool_kind: str | None = None
    title: str | None = None
    raw_input: Raw = Raw()
    raw_output: Raw = Raw()
    status: str | None = None
    is_error: object = None
    # What went wrong.
    error: Words = None
    code: str | None = None
    detail: Words = None
    # A value of the state.
    key: str | None = None
    value: Raw = Raw()
    # Hooks.
    hook_event_type: str | None = None
    hook_command: str | None = None
    success: object = None
    blocked: object = None
    reason: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    additional_context: str | None = None
