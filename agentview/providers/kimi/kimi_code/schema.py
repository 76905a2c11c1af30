"""Records of a journal of Kimi Code (2.1, protocols 1.4 and 1.5), and its printed messages."""

from msgspec import UNSET, Raw, Struct, UnsetType, field

from agentview.providers.kimi.shared.schema import Call, Chat, Content, Number, Part, Tokens


class Origin(Struct, gc=False, rename="camel"):
    """Who put a message into the context."""

    kind: str | None = None
    name: str | None = None
    variant: str | None = None
    skill_name: str | None = None
    skill_args: str | None = None
    skill_path: str | None = None
    command_name: str | None = None
    command_args: str | None = None


class Message(Struct, gc=False, rename="camel"):
    """A message that came into the context."""

    role: str | None = None
    content: Content = None
    tool_calls: list[Call | None] | None = None
    tool_call_id: str | None = None
    is_error: bool | None = None
    origin: Origin | None = None


class Result(Struct, gc=False, rename="camel"):
    """Outcome of a call, or of a question to the person."""

    is_error: bool | None = None
    output: Raw | UnsetType = UNSET
    decision: str | None = None
    feedback: str | None = None


class Piece(Struct, gc=False, rename="camel"):
    """A piece of the agent's work."""

    type: str | None = None
    uuid: str | None = None
    step_uuid: str | None = None
    part: Part | None = None
    tool_call_id: str | None = None
    name: str | None = None
    args: Raw = Raw()
    description: str | None = None
    result: Result | None = None


class Details(Struct, gc=False, rename="camel"):
    """More of an error."""

    status_code: Number = None


class Failure(Struct, gc=False):
    """Why a turn or an agent failed."""

    message: str | None = None
    code: str | None = None
    details: Details | None = None


class Task(Struct, gc=False, rename="camel"):
    """A task that ran in the background."""

    status: str | None = None
    exit_code: Number = None
    description: str | None = None
    task_id: str | None = None
    started_at: Number = None
    ended_at: Number = None
    parent_tool_call_id: str | None = None


class Environment(Struct, gc=False):
    """Where the agent works."""

    cwd: str | None = None


class Request(Struct, gc=False, rename="camel"):
    """A decision that a person is asked for."""

    action: str | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None


class Record(Chat, gc=False, rename="camel"):
    """A record of a journal, or a message that is printed."""

    time: Number = None
    created_at: Number = field(name="created_at", default=None)
    kind: str | None = None
    message: Message | str | None = None
    event: Piece | None = None
    # Requests to the model, and their tokens.
    usage: Tokens | None = None
    model: str | None = None
    # How the agent is set up.
    environment_disclosure: Environment | None = None
    cwd: str | None = None
    model_alias: str | None = None
    mode: str | None = None
    # Turns.
    turn_id: Number = None
    reason: str | None = None
    duration_ms: Number = None
    error: Failure | str | None = None
    words: str | None = field(name="errorMessage", default=None)
    http_status: Number = field(name="statusCode", default=None)
    next_attempt: Number = None
    max_attempts: Number = None
    # The context.
    trigger: str | None = None
    source: str | None = None
    tokens_before: Number = None
    tokens_after: Number = None
    summary: str | None = None
    context_summary: str | None = None
    count: Number = None
    turns: Number = None
    # Agents and tasks.
    subagent_id: str | None = None
    subagent_name: str | None = None
    parent_tool_call_id: str | None = None
    info: Task | None = None
    output_tail: str | None = None
    # Requests to the person, and what was decided.
    id: str | None = None
    interaction_id: str | None = None
    payload: Request | None = None
    request: Request | None = None
    """The same in version 2.1."""
    response: Result | None = None
    result: Result | None = None
    action: str | None = None
    tool_name: str | None = None


# The metadata next to the journals of a session.


class Labels(Struct, gc=False, rename="camel"):
    """Labels of an agent."""

    profile_name: str | None = None


class Agent(Struct, rename="camel"):
    """An agent of a session."""

    swarm_item: str | None = None
    labels: Labels = field(default_factory=Labels)


class About(Struct, rename="camel"):
    """A session."""

    title: str | None = None
    title_kind: str | None = None
    is_custom_title: bool | None = None
    cwd: str | None = None
    work_dir: str | None = None
    agents: dict[str, Agent | None] = {}
