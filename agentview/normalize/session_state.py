"""The state of a session by its log: what an event says, and which event decides."""

from collections.abc import Callable, Sequence

from agentview.domain.activity import RowKind, row_kind
from agentview.domain.events import (
    Attachment,
    Body,
    Event,
    Message,
    Notification,
    SlashCommand,
    ToolResult,
    Topic,
)
from agentview.domain.index_entry import FAILURES, Signal
from agentview.domain.session_state import ABOUT_CHARS, SessionState, SessionStatus, StateEvidence
from agentview.domain.tool_inputs import (
    ApprovalPayload,
    AskPayload,
    EditPayload,
    PlanAction,
    PlanPayload,
    ShellAction,
    ShellPayload,
    SubagentPayload,
)
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.value import Value

_OVER = {Topic.TURN_END: Signal.OVER, Topic.INTERRUPT: Signal.INTERRUPTED}
_STATES = {
    Signal.AGENT: SessionState.WORKING,
    Signal.PERSON: SessionState.YOUR_TURN,
    Signal.DONE: SessionState.YOUR_TURN,
    Signal.QUESTION: SessionState.NEEDS_ANSWER,
    Signal.APPROVAL: SessionState.NEEDS_APPROVAL,
    Signal.FAILED: SessionState.FAILED,
    Signal.LIMITED: SessionState.LIMITED,
    Signal.INTERRUPTED: SessionState.INTERRUPTED,
    Signal.ENDED: SessionState.ENDED,
    Signal.COMMAND: SessionState.YOUR_TURN,
    Signal.OVER: SessionState.YOUR_TURN,
    Signal.PROPOSED: SessionState.NEEDS_APPROVAL,
}
_OPEN = (Signal.AGENT, Signal.QUESTION, Signal.APPROVAL)
_REQUESTS = (Signal.QUESTION, Signal.APPROVAL)
_UNSURE = (Signal.COMMAND, Signal.PERSON)
"""Signals after which the agent may be at work."""
SAID = {True: Signal.DONE, False: Signal.AGENT, None: Signal.PERSON}
"""Signals of a message by whether the turn ends with it."""
_LEFT_OPEN = (SessionState.WORKING, SessionState.YOUR_TURN)
"""States of a log that has calls late in which one may wait."""
_EDITS = (ToolKind.EDIT, ToolKind.WRITE, ToolKind.DELETE, ToolKind.NOTEBOOK_EDIT)
_SUBJECTS = ("command", "path", "pattern", "query", "url", "description", "prompt")
"""Fields of the arguments of a call that say what it is about, the first that it has."""


def signal_of(event: Event) -> int:
    """The `Signal` of an event, with the bit OUTCOME_UNKNOWN for a result without an outcome."""
    body = event.body
    if event.facts is not None and event.facts.ended:
        return Signal.ENDED
    if isinstance(body, Notification):
        if body.failed:
            return Signal.LIMITED if body.topic is Topic.LIMIT else Signal.FAILED
        return _OVER.get(body.topic, Signal.NONE)
    if isinstance(body, Message):
        return SAID[body.ends_turn]
    if isinstance(body, SlashCommand):
        return Signal.COMMAND
    if isinstance(body, ToolCall):
        return _of_call(body)
    if isinstance(body, ToolResult):
        unknown = body.ok is None and body.denial is None
        return Signal.AGENT | Signal.OUTCOME_UNKNOWN if unknown else Signal.AGENT
    if isinstance(body, Attachment) and body.kind == "agent-message":
        return Signal.AGENT
    return Signal.AGENT if row_kind(body) in (RowKind.USER, RowKind.REASONING) else Signal.NONE


def _of_call(call: ToolCall) -> int:
    if call.kind is ToolKind.ASK:
        return Signal.APPROVAL if isinstance(call.payload, ApprovalPayload) else Signal.QUESTION
    if isinstance(call.payload, PlanPayload) and call.payload.action is PlanAction.PROPOSE:
        return Signal.APPROVAL
    return Signal.AGENT


def deciding_call(signal: int, waiting: Sequence[int]) -> int | None:
    """Which of the calls without a result decides the state; None where the last event does.

    `signal` is the last one of the main stream, `waiting` those of the calls, in order. A request
    counts before a call that may just run: the first one, as a client asks one after another. Once
    a turn is over, no answer is waited for.
    """
    if signal not in _OPEN or not waiting:
        return None
    asks = (at for at, each in enumerate(waiting) if each != Signal.AGENT)
    return next(asks, len(waiting) - 1)


def is_request(signal: int) -> bool:
    """Return True for the signal of a call that asks the person, whichever agent makes it."""
    return signal & ~Signal.OUTCOME_UNKNOWN in _REQUESTS


def agent_name(call: Body | None, agent: str) -> str:
    """The name of an agent by the call that started it; its id `agent` where that has none."""
    payload = call.payload if isinstance(call, ToolCall) else None
    if not isinstance(payload, SubagentPayload):
        return agent
    return payload.description or payload.agent_name or payload.agent_type or agent


def is_edit(call: ToolCall, mode: str | None) -> bool:
    """Return True for a call that changes files, whatever the mode."""
    del mode
    return call.kind in _EDITS


class LogHabits(Value, gc=True):
    """Habits of a client that its log leaves open."""

    late_calls: bool = False
    """It has a call only once the call has ended: what it shows as the end of a turn, or as work,
    may be a call that runs or waits for approval."""
    says_each_end: bool = False
    """It says of each turn that it is over, and writes messages while they stream: the agent is at
    work until then."""
    prompts_wait: bool = False
    """It writes a prompt when it is typed, also while a call runs or waits for approval: only the
    next response shows that the call is over."""
    may_retry: Callable[[Notification], bool] = lambda _: False
    """True if another attempt may follow a request that failed: it has each, and not the last."""
    asks_first: Callable[[ToolCall], bool] = lambda _: False
    """True if the client asks its person before it makes a call, by what the call itself says."""
    brief: Callable[[ToolCall, str | None], bool] = is_edit
    """True if a call takes a moment unless its person is asked about it, in a mode of the session
    by its log; or if it mostly does, and its client mostly asks."""
    wrapped: Callable[[ToolCall], ToolCall] = lambda call: call
    """The call within a call that only wraps it, such as a script that calls tools; else itself."""


NO_HABITS = LogHabits()


def log_status(
    signal: int,
    event: Event | None,
    *,
    habits: LogHabits = NO_HABITS,
    waiting: bool = False,
    running: bool = False,
    turn: float | None = None,
    subagent: bool = False,
    mode: str | None = None,
) -> SessionStatus:
    """The status that a log shows, from the event that decides and its signal.

    `waiting` says that the event is a call without a result, `running` that the call has reported
    progress; `turn` is the time of the newest prompt. After the answer to a question the agent is
    working. After a message that may not be the last of its turn the state is not certain. A
    subagent waits for nobody: its last message is its result. A command at the start of
    a log, such as `/clear`, does not count as work, unless the client made a prompt of it.
    `habits` are those of the client, `mode` is that of the session.
    """
    if signal in (Signal.QUESTION, Signal.APPROVAL) and not waiting:
        signal = Signal.AGENT
    if habits.says_each_end and signal == Signal.PERSON:
        signal = Signal.AGENT
    state = _STATES.get(signal)
    if state is None:
        return SessionStatus()
    if subagent and state is SessionState.YOUR_TURN:
        state = SessionState.ENDED
    at_work = state is SessionState.WORKING
    time = None if event is None else event.time
    decides = waiting or signal in (*FAILURES, Signal.PROPOSED)
    body = event.body if event is not None and decides else None
    if isinstance(body, ToolCall):
        body = habits.wrapped(body)
    certain = signal not in _UNSURE and (not at_work or not waiting or running)
    certain = certain and not _leaves_open(state, event, habits)
    if not certain and isinstance(body, ToolCall) and habits.asks_first(body):
        state = SessionState.NEEDS_APPROVAL
    brief = waiting and _is_brief(body, habits, mode)
    return SessionStatus(
        state,
        turn if at_work and not waiting else time,
        StateEvidence.LOG,
        certain=certain,
        about=about(body) if body is not None else None,
        until=_until(body, time) if state is SessionState.LIMITED else None,
        command=waiting and _runs_command(body),
        delegates=waiting and isinstance(body, ToolCall) and body.kind is ToolKind.SUBAGENT_TASK,
        brief=brief,
        call=_identity(event) if waiting and event is not None else None,
        may_last=brief and isinstance(body, ToolCall) and not is_edit(body, mode),
    )


def _identity(event: Event) -> str | None:
    """The id and time of a call, since clients use an id again; None for no call."""
    call = event.body
    return f"{call.call_id}@{event.time}" if isinstance(call, ToolCall) else None


def _runs_command(body: Body | None) -> bool:
    """True for a call that starts a command, rather than asks for the output of one that runs."""
    payload = body.payload if isinstance(body, ToolCall) else None
    if not isinstance(payload, ShellPayload) or not payload.command:
        return False
    return payload.action is ShellAction.RUN


def _is_brief(body: Body | None, habits: LogHabits, mode: str | None) -> bool:
    if not isinstance(body, ToolCall) or body.state is not ToolState.INPUT_AVAILABLE:
        return False
    return habits.brief(body, mode)


def _until(body: Body | None, time: float | None) -> float | None:
    if not isinstance(body, Notification):
        return None
    # Imported here: few sessions are limited, and zones of time take longer than all else here.
    from agentview.normalize.limit_reset import reset_time

    return reset_time(f"{body.text}\n{body.detail or ''}", time)


def _leaves_open(state: SessionState, event: Event | None, habits: LogHabits) -> bool:
    """Return True if the client may be in another state than the one that its log shows."""
    if event is not None and isinstance(event.body, Notification):
        return event.body.failed and habits.may_retry(event.body)
    return habits.late_calls and state in _LEFT_OPEN


def about(body: Body) -> str | None:
    """Subject of a call or report, in the words of the log: a command, a question, an error.

    The text is cut after 400 characters and is otherwise as the log has it.
    """
    text = _about_call(body) if isinstance(body, ToolCall) else None
    if isinstance(body, Notification):
        text = body.text
    return text[:ABOUT_CHARS] if text else None


def _about_call(call: ToolCall) -> str:
    payload = call.payload
    if isinstance(payload, AskPayload) and payload.questions:
        return payload.questions[0].text
    if isinstance(payload, PlanPayload):
        text = payload.text or "; ".join(step.text for step in payload.steps)
        # The first line of a plan is mostly a heading of Markdown.
        return text.strip().partition("\n")[0].lstrip("# ") or call.canonical_name
    texts = (getattr(payload, name, None) for name in _SUBJECTS)
    subject = next((text for text in texts if isinstance(text, str) and text), None)
    if subject is None and isinstance(payload, EditPayload) and payload.files:
        subject = payload.files[0].path
    if subject is None:
        # A question that is still streamed has no words yet.
        return "" if isinstance(payload, AskPayload) else call.canonical_name
    return subject if call.kind is ToolKind.SHELL else f"{call.canonical_name} {subject}"
