"""Activities: the rows of a timeline, as a call with its result, a message, a thought."""

from enum import StrEnum

from agentview.domain.events import (
    Attachment,
    Body,
    Branch,
    Compaction,
    Event,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    ToolResult,
    Unparsed,
    User,
)
from agentview.domain.session import Stream
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import ApprovalPayload, Payload, TodoItem, TopicPayload
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.value import Value


class RowKind(StrEnum):
    """Kinds of rows that are not tool calls."""

    USER = "user"
    MESSAGE = "message"
    REASONING = "reasoning"
    COMMAND = "command"
    NOTICE = "notice"
    COMPACTION = "compaction"
    ATTACHMENT = "attachment"
    RESULT = "result"
    """A result whose call is not in the log."""
    HIDDEN = "hidden"
    UNPARSED = "unparsed"
    BRANCH = "branch"
    """An abandoned branch of the conversation."""
    REQUEST = "request"
    """A request for permission whose call is not in the log."""
    TOPIC = "topic"
    """A heading that the agent gave to what follows, with a tool for that: not a call."""


Kind = ToolKind | RowKind

_KINDS: dict[type, RowKind] = {
    User: RowKind.USER,
    Message: RowKind.MESSAGE,
    Reasoning: RowKind.REASONING,
    SlashCommand: RowKind.COMMAND,
    Notification: RowKind.NOTICE,
    Compaction: RowKind.COMPACTION,
    Attachment: RowKind.ATTACHMENT,
    ToolResult: RowKind.RESULT,
    Unparsed: RowKind.UNPARSED,
    Branch: RowKind.BRANCH,
}


_KINDS_OF_CALLS: dict[type, RowKind] = {
    ApprovalPayload: RowKind.REQUEST,
    TopicPayload: RowKind.TOPIC,
}


def kind_of_payload(payload: Payload, kind: ToolKind) -> Kind:
    """Kind of the row of a call of a kind: that of a few payloads is not a call."""
    return _KINDS_OF_CALLS.get(type(payload), kind)


def row_kind(body: Body) -> Kind:
    """Kind of the row that shows `body`; HIDDEN for what has no row of its own."""
    if isinstance(body, ToolCall):
        return kind_of_payload(body.payload, body.kind)
    return _KINDS.get(type(body), RowKind.HIDDEN)


class ChildSummary(Value):
    """Progress of the agent that a call started; None is unknown."""

    state: SessionState
    call_count: int
    problem_count: int
    total_tokens: int | None = None
    model: str | None = None
    latest: tuple["Activity", ...] = ()
    """Its newest activities, oldest first."""
    duration: float | None = None
    """Seconds from its first record to its last."""
    cost: float | None = None
    """US dollars, as its client counted them."""
    estimate: float | None = None
    """US dollars by list prices, where the client counted none and the prices are known."""
    estimate_whole: bool = True
    """False where some tokens have no known price: it was at least this."""
    agent_count: int = 1
    """How many agents the call started."""


class TodoLists(Value):
    """The running todo list around a call that works on it; what a call does not name is in both.

    What was done to the list in records that are not known is not in them.
    """

    before: tuple[TodoItem, ...]
    after: tuple[TodoItem, ...]


class Activity(Value):
    """A fact joined with all that later records say about it.

    `body` is the joined fact (a ToolCall carries its result); `events` are the events it was made
    of, in file order, whose sources lead to the raw bytes.
    """

    body: Body
    events: tuple[Event, ...]
    started: float | None = None
    """Epoch seconds UTC."""
    ended: float | None = None
    """Epoch seconds UTC; None while it runs, or where nothing ends."""
    progress: str | None = None
    """Output so far of a call that has no result yet."""
    outcome: Notification | None = None
    """The later report of a background task or agent that this call started."""
    child: Stream | None = None
    """Stream of the agent that this call started."""
    child_summary: ChildSummary | None = None
    live: bool = False
    """True while more may come."""
    pending: str | None = None
    """The state of a call that has no result, where more is known than that it was made."""
    todos: TodoLists | None = None
    """The running list before and after a call that works on it."""
    cwd: str | None = None
    """Working directory of the session, for events that do not state one."""
    abandoned: bool = False
    """It is on an abandoned branch of the conversation."""

    @property
    def reported(self) -> str | None:
        """The words of the outcome: a summary, then what the task or agent brought back."""
        if self.outcome is None:
            return None
        return "\n".join(part for part in (self.outcome.text, self.outcome.detail) if part)

    @property
    def first(self) -> Event:
        return self.events[0]

    @property
    def duration(self) -> float | None:
        """Seconds from start to end, None when either is unknown."""
        if self.started is None or self.ended is None:
            return None
        return max(0.0, self.ended - self.started)
