"""Steps of a trajectory, and what is around them (ATIF 1.0 to 1.7).

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import UNSET, Raw, Struct, UnsetType, field

Number = int | float | str | None


class Call(Struct, gc=False):
    """A call."""

    function_name: str | None = None
    tool_call_id: str | None = None
    arguments: Raw = Raw()


class RawResult(Struct, gc=False):
    """A result as the agent's own log has it."""

    content: object = None


class ResultMetadata(Struct, gc=False):
    """Details of a result in the log of the agent."""

    raw_tool_result: RawResult | None = None
    is_error: object = None
    tool_use_result: Raw = Raw()


class ResultExtra(Struct, gc=False):
    """Details that a converter adds to a result."""

    tool_result_is_error: object = UNSET
    is_error: object = None
    tool_result_metadata: ResultMetadata | None = None


class Result(Struct, gc=False):
    """A result of a call, or what was seen without one."""

    source_call_id: str | None = None
    content: Raw = Raw()
    subagent_trajectory_ref: Raw = Raw()
    extra: ResultExtra | None = None


class Observation(Struct, gc=False):
    """Results of the calls of a step."""

    results: list[Result | None] | None = None


class OutputDetails(Struct, gc=False):
    """Of the tokens of an answer those of thoughts."""

    thinking_tokens: Number = None


class Metrics(Struct, gc=False):
    """Tokens of a step, or of all steps under the longer names, and what they cost."""

    prompt_tokens: Number = None
    completion_tokens: Number = None
    cached_tokens: Number = None
    cost_usd: Number = None
    total_prompt_tokens: Number = None
    total_completion_tokens: Number = None
    total_cached_tokens: Number = None
    total_cost_usd: Number = None
    # In the object `extra` of one.
    cache_creation_input_tokens: Number | UnsetType = UNSET
    cache_write_tokens: Number = None
    total_cache_creation_input_tokens: Number | UnsetType = UNSET
    total_cache_write_tokens: Number = None
    output_tokens_details: OutputDetails | None = None
    extra: "Metrics | None" = None


class Extra(Struct, gc=False):
    """Details that a converter adds to a step."""

    agent_id: str | None = None
    is_sidechain: object = None
    cwd: str | None = None


class AgentExtra(Struct, gc=False):
    """Where the agent worked."""

    cwds: list[str | None] | None = None
    git_branches: list[str | None] | None = None


class Agent(Struct, gc=False):
    """Who took the steps."""

    name: str | None = None
    version: str | None = None
    model_name: str | None = None
    extra: AgentExtra | None = None


class Counts(Struct, gc=False):
    """Tokens of a step as Devin has them; what a cache gave or took is not part of the input."""

    input_tokens: Number = None
    output_tokens: Number = None
    cache_creation_tokens: Number = None
    cache_read_tokens: Number = None


class Metadata(Struct, gc=False):
    """Devin's details of a step, some of them in place of the members of the format."""

    created_at: Number = None
    is_user_input: object = None
    generation_model: str | None = None
    metrics: Counts | None = None


class Step(Struct, gc=False):
    """A step."""

    source: str | UnsetType | None = UNSET
    timestamp: Number = None
    message: Raw = Raw()
    reasoning_content: str | None = None
    model_name: str | None = None
    tool_calls: list[Call | None] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: object = None
    extra: Extra | None = None
    metadata: Metadata | None = None


class Record(Step, gc=False):
    """A step, a trajectory that is embedded in another, or what is around the steps."""

    schema_version: str | UnsetType | None = UNSET
    steps: list[Step | None] | UnsetType | None = UNSET
    agent: Agent | UnsetType | None = UNSET
    trajectory_id: str | None = None
    session_id: str | None = None
    final_metrics: Metrics | None = None
    notes: str | None = None
    continued: Raw = field(name="continued_trajectory_ref", default=Raw())
