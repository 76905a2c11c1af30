"""The records of a trajectory: actions, and what was observed of them."""

from msgspec import UNSET, Raw, Struct, UnsetType

from agentview.providers.openhands.shared.usage import Number, Tokens


class Metrics(Struct, gc=False):
    """Cost and tokens of all requests until now."""

    accumulated_cost: Number = None
    accumulated_token_usage: Tokens | None = None


class CallMetadata(Struct, gc=False):
    """How the model asked for an action."""

    function_name: str | None = None
    tool_call_id: str | None = None
    model_response: Raw = Raw()


class Model(Struct, gc=False):
    """The model."""

    model: str | None = None


class Evaluation(Struct, gc=False):
    """How tasks are given."""

    llm_config: Model | None = None
    llm: Model | None = None


class Task(Struct, gc=False):
    """Counts and outcome of a task of an evaluation."""

    instance_id: object = None
    metadata: Evaluation | None = None
    metrics: Metrics | None = None
    error: object = None


class Record(Struct, gc=False):
    """An event: an action with arguments, or an observation with its content."""

    id: Number = None
    timestamp: str | None = None
    source: str | None = None
    message: Raw = Raw()
    action: str | None = None
    observation: str | None = None
    cause: Number = None
    """The id of the action that an observation is of."""
    args: Raw = Raw()
    content: Raw = Raw()
    extras: Raw = Raw()
    success: bool | None = None
    tool_call_metadata: CallMetadata | None = None
    llm_metrics: Metrics | None = None
    kind: str | None = None
    """Of an event of the SDK, which later evaluations have."""
    task: Task | UnsetType | None = UNSET
