"""Messages and steps of a trajectory, and what is around them (SWE-agent, mini-swe-agent).

The names are those of the formats. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import UNSET, Raw, Struct, UnsetType

Number = int | float | str | None


class Function(Struct, gc=False):
    """The tool of a call, and its arguments."""

    name: str | None = None
    arguments: Raw = Raw()


class Call(Struct, gc=False):
    """A call that is not text."""

    id: str | None = None
    function: Function | None = None


class InputDetails(Struct, gc=False):
    """Input tokens by origin."""

    cached_tokens: Number = None


class OutputDetails(Struct, gc=False):
    """Output tokens by use."""

    reasoning_tokens: Number = None


class Counts(Struct, gc=False):
    """Tokens of a response."""

    prompt_tokens: Number = None
    completion_tokens: Number = None
    prompt_tokens_details: InputDetails | None = None
    completion_tokens_details: OutputDetails | None = None


class Choice(Struct, gc=False):
    """A message of a response."""

    message: "Record | None" = None


class Response(Struct, gc=False):
    """The response of the API."""

    id: str | None = None
    model: str | None = None
    usage: Counts | None = None
    choices: list[Choice | None] | None = None


class Action(Struct, gc=False):
    """A command that was found in a text."""

    command: str | None = None


class Extra(Struct, gc=False):
    """Fields that mini-swe-agent adds to a message."""

    timestamp: Number = None
    response: Response | None = None
    cost: Number = None
    actions: list[Action | None] | None = None
    raw_output: object = UNSET
    returncode: Number | UnsetType = UNSET
    exception_info: str | None = None
    interrupt_type: str | UnsetType | None = UNSET
    exit_status: str | None = None
    submission: str | None = None


class ModelStats(Struct, gc=False):
    """Totals of all requests."""

    instance_cost: Number = None
    tokens_sent: Number = None
    tokens_received: Number = None


class Settings(Struct, gc=False):
    """The model, or where the agent works."""

    model_name: str | None = None
    cwd: str | None = None


class Config(Struct, gc=False):
    """How the client was started."""

    model: Settings | None = None
    environment: Settings | None = None


class Info(Struct, gc=False):
    """The run."""

    model_stats: ModelStats | None = None
    config: Config | None = None
    mini_version: str | UnsetType | None = UNSET
    exit_status: str | UnsetType | None = UNSET
    submission: str | None = None


class Record(Struct, gc=False):
    """A message, a step, or what is around the messages."""

    role: str | UnsetType | None = UNSET
    content: Raw = Raw()
    extra: Extra | None = None
    is_demo: object = None
    thought: str | UnsetType | None = UNSET
    action: str | UnsetType | None = UNSET
    tool_calls: list[Call | None] | None = None
    tool_call_id: str | None = None
    tool_call_ids: list[str | None] | None = None
    # Steps.
    observation: Raw | UnsetType = UNSET
    response: Raw = Raw()
    state: Raw = Raw()
    # What is around the messages.
    info: Info | UnsetType | None = UNSET
    trajectory: Raw | UnsetType = UNSET
    replay_config: Raw = Raw()
    trajectory_format: object = None
    environment: object = None
