"""Messages of the protocol, of both its versions, and the frame that a client logs them in.

The names are those of the protocol. A `Raw` is a body: it is read when somebody looks at it. What
rare messages say is read from the values of the message by the function of its method.
"""

from msgspec import UNSET, Raw, Struct, UnsetType, field

Number = int | float | str | None
"""Some agents write numbers as texts."""


class Call(Struct, gc=False, rename="camel"):
    """A call in an update, or in a request for permission of the call that it names."""

    session_update: str | None = None
    tool_call_id: str | int | None = None
    title: str | None = None
    kind: str | None = None
    status: str | None = None
    content: Raw = Raw()
    locations: Raw = Raw()
    raw_input: Raw = Raw()
    raw_output: Raw = Raw()
    name: str | None = None
    tool_name: str | None = None
    meta: dict[str, object] | None = field(name="_meta", default=None)
    """Details that an agent adds for clients that know it."""

    @property
    def call_id(self) -> str:
        """The id of the call; empty where there is none."""
        return "" if self.tool_call_id is None else str(self.tool_call_id)


class Update(Call, gc=False, rename="camel"):
    """An update: of a call, a piece of a message, or something rare."""

    message_id: str | int | None = None


class Params(Struct, gc=False, rename="camel"):
    """Parameters of a request or a notification."""

    session_id: Raw = Raw()
    update: Update | None = None
    tool_call: Call | None = None


class Result(Struct, gc=False, rename="camel"):
    """Result of an answer: a client gives all but the id of a new session."""

    outcome: dict[str, object] | UnsetType | None = UNSET
    """Of a request for permission."""
    content: Raw = Raw()
    terminal_id: Raw = Raw()
    output: Raw = Raw()
    exit_code: Raw = Raw()
    signal: Raw = Raw()
    action: Raw = Raw()
    session_id: Raw = Raw()


class Failure(Struct, gc=False):
    """Why a request failed."""

    code: Number = None
    message: str | None = None
    data: Raw = Raw()


class Message(Struct, gc=False):
    """A message of JSON-RPC: a request, a notification, or an answer."""

    jsonrpc: object = UNSET
    id: object = UNSET
    method: str | None = None
    params: Params | UnsetType | None = UNSET
    result: Result | list[Raw] | str | float | bool | UnsetType | None = UNSET
    error: Failure | UnsetType | None = UNSET


class Record(Message, gc=False, rename={"written_by": "from"}):
    """A message to which a client added keys of its own, or a frame that has it as its `msg`."""

    msg: Message | str | None = None
    # When.
    t: object = None
    ts: object = None
    time: object = None
    timestamp: object = None
    created_at: object = None
    # Who.
    dir: object = None
    direction: object = None
    written_by: object = None
    sender: object = None
    source: object = None
    side: object = None
    type: object = None


# The end of a turn, and what it cost: agents add their own words to the protocol's.


class ModelUsed(Struct, gc=False):
    """Tokens of one model."""

    model: object = None
    token_count: object = None


class Quota(Struct, gc=False):
    """Tokens of a turn, also by model."""

    model_usage: list[ModelUsed | None] | None = None
    token_count: object = None


class Added(Struct, gc=False, rename={"prompt_id": "promptId", "model_id": "modelId"}):
    """Details of an agent on a turn or a response."""

    prompt_id: object = None
    model_id: object = None
    model: object = None
    quota: Quota | None = None
    usage: object = None


class ByModel(Struct, gc=False, rename="camel"):
    """Counts by model."""

    model_usage: dict[str, object] | None = None


class Answered(Struct, gc=False, rename={"stop_reason": "stopReason", "meta": "_meta"}):
    """The answer to a prompt."""

    stop_reason: object = None
    usage: object = None
    meta: object = None


class Current(Struct, gc=False, rename="camel"):
    """The model or the mode of a session."""

    current_model_id: object = None
    current_mode_id: object = None


class AgentAnswer(Struct, gc=False, rename="camel"):
    """Other answers of an agent: its name, or its session."""

    agent_info: object = None
    models: Current | None = None
    modes: Current | None = None
    config_options: list[object] | None = None
