"""What a session is doing: the ten states, what each is known from, and what changes them."""

from dataclasses import replace
from enum import StrEnum

from agentview.domain.value import Value


class SessionState(StrEnum):
    """Who has to act next; the value is the word on every surface."""

    STARTING = "starting"
    """A process is there, its log has no record yet."""
    WORKING = "working"
    """The model or a tool runs."""
    NEEDS_APPROVAL = "needs-approval"
    """A person must allow or refuse something."""
    NEEDS_ANSWER = "needs-answer"
    """The agent asked a question."""
    YOUR_TURN = "your-turn"
    """The turn ended normally."""
    LIMITED = "limited"
    """A limit of the service is reached: nobody can continue before it is reset."""
    FAILED = "failed"
    """The turn ended in an error of the service or of the client."""
    INTERRUPTED = "interrupted"
    """A person stopped the agent."""
    ENDED = "ended"
    """The client is gone: it said so, or its process is."""
    UNKNOWN = "unknown"
    """The log does not tell, and nothing else does."""


class StateEvidence(StrEnum):
    """What a state is known from, the strongest first."""

    REGISTRY = "registry"
    """The client's own list of its running sessions."""
    LOG = "log"
    PROCESS = "process"
    """The processes of this machine."""
    CLOCK = "clock"
    """Only the time since the last record: a guess."""


class SessionStatus(Value):
    """The state of a session and how it is known."""

    state: SessionState = SessionState.UNKNOWN
    since: float | None = None
    """When the session came into this state, epoch seconds; None where that is not known."""
    evidence: StateEvidence | None = None
    """None where nothing tells the state."""
    certain: bool = True
    about: str | None = None
    """The command to approve, the question, the error, or the call that has no result yet."""
    until: float | None = None
    """When a limit is reset, epoch seconds, where the log has it."""

    @property
    def label(self) -> str:
        """The word for the state, with a question mark where it is not certain."""
        return self.state.value if self.certain else f"{self.state.value}?"

    @property
    def needs_you(self) -> bool:
        """Whether nothing happens in the session before its person acts."""
        return self.state in NEED_YOU


class Activity(StrEnum):
    """What a client says that it is doing."""

    BUSY = "busy"
    IDLE = "idle"
    APPROVAL = "approval"
    QUESTION = "question"


class ClientFacts(Value):
    """What is known of the client of a session from outside its log."""

    alive: bool
    """Whether its process is there; False where it is known to be gone."""
    evidence: StateEvidence = StateEvidence.PROCESS
    activity: Activity | None = None
    """What the client says that it is doing; None where it says nothing."""
    since: float | None = None
    """When it began to do so, or ended, epoch seconds."""
    runs_command: bool | None = None
    """Whether a process that it started since its last call is there; None where nobody looked."""
    pid: int | None = None
    name: str | None = None
    """The name that the client gives the session."""


NEED_YOU = (
    SessionState.NEEDS_APPROVAL,
    SessionState.NEEDS_ANSWER,
    SessionState.FAILED,
    SessionState.YOUR_TURN,
    SessionState.INTERRUPTED,
)
"""States in which the person acts next, the most urgent first."""

SILENT = 1800.0
"""Seconds without a record after which an agent is no longer taken to be at work."""

_SAID = {
    Activity.BUSY: SessionState.WORKING,
    Activity.IDLE: SessionState.YOUR_TURN,
    Activity.APPROVAL: SessionState.NEEDS_APPROVAL,
    Activity.QUESTION: SessionState.NEEDS_ANSWER,
}
_IDLE = (
    SessionState.YOUR_TURN, SessionState.FAILED, SessionState.LIMITED, SessionState.INTERRUPTED
)  # fmt: skip
"""States of the log in which an idle client may be."""


def status_now(
    log: SessionStatus, last: float | None, now: float, client: ClientFacts | None = None
) -> SessionStatus:
    """The status of a session at the time `now`, from what its log says and what else is known.

    `last` is the time of the last record, None where it is not known; all times are epoch seconds.
    The client's own word counts most, then the log, then its processes, then the clock. Silence
    turns work into `unknown`; whoever waits for a person goes on waiting, and only a client that
    is gone makes a session `ended`.
    """
    if log.state is SessionState.ENDED:
        return log
    if client is not None:
        return _with_client(log, client)
    if log.until is not None and log.state is SessionState.LIMITED and now >= log.until:
        return SessionStatus(
            SessionState.YOUR_TURN, log.until, StateEvidence.CLOCK, certain=False, about=log.about
        )
    if log.state is SessionState.WORKING and last is not None and now - last >= SILENT:
        return SessionStatus(
            SessionState.UNKNOWN, last, StateEvidence.CLOCK, certain=False, about=log.about
        )
    return log


def is_followed(
    status: SessionStatus, last: float | None, now: float, client: ClientFacts | None = None
) -> bool:
    """Whether more records are to be expected soon: its client runs, or it was written lately."""
    if client is not None:
        return client.alive
    if status.state in (SessionState.ENDED, SessionState.INTERRUPTED, SessionState.UNKNOWN):
        return False
    return last is None or now - last < SILENT


def _with_client(log: SessionStatus, client: ClientFacts) -> SessionStatus:
    if not client.alive:
        return SessionStatus(SessionState.ENDED, client.since, client.evidence)
    if client.activity is not None:
        return _as_said(log, client, _SAID[client.activity])
    if log.state is SessionState.WORKING and not log.certain:
        if client.runs_command:
            return replace(log, evidence=StateEvidence.PROCESS, certain=True)
        if client.runs_command is False:
            return replace(log, state=SessionState.NEEDS_APPROVAL, evidence=StateEvidence.PROCESS)
    if log.state is SessionState.UNKNOWN and log.evidence is None:
        return SessionStatus(SessionState.STARTING, client.since, client.evidence)
    return log


def _as_said(log: SessionStatus, client: ClientFacts, state: SessionState) -> SessionStatus:
    """The state that the client reports, with what the log knows of it."""
    idle = client.activity is Activity.IDLE
    if idle and log.state in _IDLE:
        return log
    about = None if idle else log.about
    return SessionStatus(state, client.since or log.since, client.evidence, about=about)
