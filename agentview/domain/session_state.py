"""States of a session: the ten states, their evidence, and their changes."""

from enum import StrEnum

from msgspec.structs import replace

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
    """Neither the log nor anything else shows the state."""


class StateEvidence(StrEnum):
    """Evidence for a state, the strongest first."""

    REGISTRY = "registry"
    """The client's own list of its running sessions."""
    HOOKS = "hooks"
    """Reports of our commands, which the client runs at its events."""
    LOG = "log"
    PROCESS = "process"
    """The processes of this machine."""
    CLOCK = "clock"
    """Only the time since the last record: a guess."""


ABOUT_CHARS = 400
"""Characters after which what a state is about is cut."""


class SessionStatus(Value):
    """The state of a session and how it is known."""

    state: SessionState = SessionState.UNKNOWN
    since: float | None = None
    """When the session came into this state, epoch seconds; None where that is not known."""
    evidence: StateEvidence | None = None
    """None where nothing shows the state."""
    certain: bool = True
    about: str | None = None
    """The command to approve, the question, the error, or the call that has no result yet."""
    until: float | None = None
    """When a limit is reset, epoch seconds, where the log has it."""
    command: bool = False
    """True if the call without a result is a command of a shell, which runs as a process."""
    delegates: bool = False
    """True if the call without a result is to an agent, whose calls may wait for the person."""
    agent: str | None = None
    """The agent whose call this is about, by its name; None for one of the session itself."""
    brief: bool = False
    """True if the call without a result takes a moment, unless its client asks about it."""
    requests: int = 0
    """Requests that wait for the person, this one included, as far as is known; 0 for none."""
    call: str | None = None
    """Identity of the call without a result that this is about: its id, and the time of it."""
    may_last: bool = False
    """True if a `brief` call may also take long, which its log does not say."""

    @property
    def label(self) -> str:
        """The word for the state, with a question mark where it is not certain."""
        return self.state.value if self.certain else f"{self.state.value}?"

    @property
    def subject(self) -> str | None:
        """The subject of the state, after the name of the agent if it is about one."""
        if self.agent is None:
            return self.about
        return f"{self.agent}: {self.about}" if self.about else self.agent

    @property
    def queued_subject(self) -> str | None:
        """The subject after its place among the requests that wait, where these are several."""
        if not self.asks or self.requests < 2:
            return self.subject
        return f"1 of {self.requests}: {self.subject or 'a request'}"

    @property
    def needs_you(self) -> bool:
        """True if nothing happens in the session before its person acts."""
        return self.state in NEED_YOU

    @property
    def asks(self) -> bool:
        return self.state in _ASKING

    @property
    def may_wait(self) -> bool:
        """True if it may be a call that waits for approval what looks like work."""
        inferred = not self.certain and self.evidence is not StateEvidence.CLOCK
        return self.state is SessionState.WORKING and inferred


class LoopingLimits(Value):
    """From when on an agent is marked; 0 is never."""

    repeats: int = 5
    """The same call with the same result, or the same error, so often."""
    minutes: int = 20
    """Minutes of work without a change of a file, in a turn that has changed one."""


class Repeated(Value):
    """A property that calls share, and how many do."""

    count: int
    what: str


class Looping(Value):
    """Signs in the last calls of a turn that an agent goes round in circles."""

    calls: Repeated | None = None
    """The same call with the same result, as often as it was made."""
    errors: Repeated | None = None
    """The same error of calls, as often as it came."""
    unchanged: float | None = None
    """When the turn last changed a file, epoch seconds; None where it changed none, or lately."""
    since: int = 0
    """Calls since then."""
    turn: float | None = None
    """When the turn began, epoch seconds."""


class Group(StrEnum):
    """Group of a session by urgency for its person; the value is the heading."""

    NEEDS_YOU = "needs you"
    """It asks, or its turn failed."""
    WORKING = "working"
    DONE = "done, not read"
    IDLE = "idle"


class Activity(StrEnum):
    """Activity that a client reports."""

    BUSY = "busy"
    IN_TURN = "in-turn"
    """It has a turn under way, in which it may also wait for an answer."""
    IDLE = "idle"
    APPROVAL = "approval"
    QUESTION = "question"
    WAITING = "waiting"
    """It waits for its person, for a reason that is not known here."""


class AgentStatus(Value):
    """State of an agent by its log."""

    name: str | None
    status: SessionStatus


class ClientFacts(Value):
    """Facts on the client of a session from outside its log."""

    alive: bool
    """True if its process is there; False where it is known to be gone."""
    evidence: StateEvidence = StateEvidence.PROCESS
    certain: bool = True
    """False where this is concluded: nobody could look at its process, or it may be another's."""
    activity: Activity | None = None
    """Activity that the client states; None where it says nothing."""
    since: float | None = None
    """When it began to do so, or ended, epoch seconds."""
    runs_command: bool | None = None
    """True if the command of the call that waits runs, or, where the log has no command, something
    that it started since; None where nobody looked."""
    pid: int | None = None
    began: float | None = None
    """When its process began, or a little later, epoch seconds."""
    name: str | None = None
    """The name that the client gives the session."""
    about: str | None = None
    """The question to its person, as the client reports it."""
    asks_for: AgentStatus | None = None
    """The agent whose call waits for the person, where it is not one of the session itself."""
    agents_ask: int = 0
    """Agents of the session whose calls wait for the person."""


NEED_YOU = (
    SessionState.NEEDS_APPROVAL,
    SessionState.NEEDS_ANSWER,
    SessionState.FAILED,
    SessionState.YOUR_TURN,
    SessionState.INTERRUPTED,
)
"""States in which the person acts next, the most urgent first."""

QUIET = 120.0
"""Seconds without a record after which it is not certain that an agent is at work, where only the
log says so: a client that was ended writes no end."""
UNSEEN = 10.0
"""The same where no process is found that could be its client."""
IDLE_AFTER = 8 * 3600.0
"""Seconds without a record after which a session is idle whose client is not known to run, or whose
turn is over, unless the settings have another time."""
SILENT = 1800.0
"""Seconds without a record after which an agent no longer counts as working."""

ASKED_AFTER = 0.8
"""Seconds after which a call that would be over, or have begun a process, may wait for approval."""
_RESUMED = 2.0
"""Seconds after the log's last word from which on a process that begins is another one."""
_HOOK_LATE = 2.0
"""Seconds after a hook in which the client may still write what came before it."""

_RUNS, _WAITS = "running", "waiting for approval"
CALL_WORDS = (_RUNS, _WAITS, f"{_RUNS}, or {_WAITS}")
"""All values of `call_words`."""
_SAID = {
    Activity.BUSY: SessionState.WORKING,
    Activity.IN_TURN: SessionState.WORKING,
    Activity.IDLE: SessionState.YOUR_TURN,
    Activity.APPROVAL: SessionState.NEEDS_APPROVAL,
    Activity.QUESTION: SessionState.NEEDS_ANSWER,
}
_IDLE = (
    SessionState.YOUR_TURN, SessionState.FAILED, SessionState.LIMITED, SessionState.INTERRUPTED
)  # fmt: skip
"""States of the log in which an idle client may be."""
_STOPPED = (SessionState.LIMITED, SessionState.INTERRUPTED, SessionState.YOUR_TURN)
_ASKING = (SessionState.NEEDS_APPROVAL, SessionState.NEEDS_ANSWER)
_AT_WORK = (SessionState.STARTING, SessionState.WORKING)
_LEFT_OPEN = (SessionState.WORKING, *_ASKING)
"""States of the log that end with the process of the client."""
_OPEN = (SessionState.WORKING, SessionState.YOUR_TURN, SessionState.NEEDS_APPROVAL)
"""States that the log may leave open, and that a command which runs decides."""


def status_now(
    log: SessionStatus, last: float | None, now: float, client: ClientFacts | None = None
) -> SessionStatus:
    """The status of a session at the time `now`, from what its log says and what else is known.

    `last` is the time of the last record, None where it is not known; all times are epoch seconds.
    The client's own word counts most, then the log, then its processes, then the clock. Silence
    turns `working` into `unknown`. A session that waits for a person keeps waiting, and only a
    client that has exited makes it `ended`.
    """
    found = _status_now(log, last, now, client)
    agents = 0 if client is None else client.agents_ask
    by_agent = client is not None and client.asks_for is not None
    requests = agents + (0 if by_agent else max(1, log.requests)) if found.asks else 0
    return found if requests == found.requests else replace(found, requests=requests)


def _status_now(
    log: SessionStatus, last: float | None, now: float, client: ClientFacts | None
) -> SessionStatus:
    said = client is not None and (client.activity is not None or not client.alive)
    if client is not None and said and not _is_outdated(log, client, last):
        return _as_said(log, client)
    if client is not None and client.certain:
        return _while_running(log, client, now)
    found = log if client is None else _while_running(log, client, now)
    if found.until is not None and found.state is SessionState.LIMITED and now >= found.until:
        return SessionStatus(
            SessionState.YOUR_TURN, log.until, StateEvidence.CLOCK, certain=False, about=log.about
        )
    silent = last is not None and now - last >= SILENT
    if silent and found.state is SessionState.WORKING and found.evidence is StateEvidence.LOG:
        return SessionStatus(
            SessionState.UNKNOWN, last, StateEvidence.CLOCK, certain=False, about=log.about
        )
    quiet = last is not None and now - last >= (UNSEEN if client is None else QUIET)
    log_alone = found.certain and found.evidence is StateEvidence.LOG
    if quiet and found.state is SessionState.WORKING and log_alone:
        return replace(found, evidence=StateEvidence.CLOCK, certain=False)
    return found


def group_of(
    status: SessionStatus, silence: float, *, live: bool, read: bool, idle_after: float = IDLE_AFTER
) -> Group:
    """The group of a session that had its last record `silence` seconds ago.

    Whoever asks needs its person while its client runs; of a session whose client is not known to
    run, and of the end of a turn, that is over after `idle_after` seconds. `read` says that all of
    it was on a screen.
    """
    late = silence >= idle_after
    if status.state in _AT_WORK:
        return Group.WORKING if live or not late else Group.IDLE
    if status.asks:
        return Group.NEEDS_YOU if live or not late else Group.IDLE
    if late or status.state not in (*_STOPPED, SessionState.FAILED):
        return Group.IDLE
    if status.state is SessionState.FAILED:
        return Group.NEEDS_YOU
    return Group.IDLE if read else Group.DONE


def call_words(status: SessionStatus) -> str:
    """Return the state of a call without a result in words, by the status of its session."""
    if status.certain and status.state is SessionState.WORKING:
        return _RUNS
    if status.certain and status.state is SessionState.NEEDS_APPROVAL:
        return _WAITS
    return f"{_RUNS}, or {_WAITS}"


def is_followed(
    status: SessionStatus, last: float | None, now: float, client: ClientFacts | None = None
) -> bool:
    """True if more records are to be expected soon: its client runs, or it was written lately."""
    if client is not None and (client.certain or not client.alive):
        return client.alive
    if status.state in (SessionState.ENDED, SessionState.INTERRUPTED, SessionState.UNKNOWN):
        return False
    return last is None or now - last < SILENT


def _is_outdated(log: SessionStatus, client: ClientFacts, last: float | None) -> bool:
    """True if the log says something newer than a hook did: not all that happens has a hook."""
    since = client.since
    if client.evidence is not StateEvidence.HOOKS or not client.alive or since is None:
        return False
    if client.activity is Activity.BUSY:
        newer = log.certain and (log.since or 0.0) > since
        return log.state is not SessionState.WORKING and newer
    return last is not None and last > since + _HOOK_LATE


def may_have_asked(log: SessionStatus, now: float) -> bool:
    """Return True if a call that takes a moment has had no result for longer than that."""
    at_work = log.state is SessionState.WORKING and not log.certain
    return at_work and log.brief and log.since is not None and now - log.since >= ASKED_AFTER


def _while_running(log: SessionStatus, client: ClientFacts, now: float) -> SessionStatus:
    """The state of the log while the process of its client is there."""
    if log.state is SessionState.ENDED and client.certain:
        return replace(log, state=SessionState.YOUR_TURN, evidence=client.evidence, certain=False)
    if log.state is SessionState.UNKNOWN and log.evidence is None:
        return SessionStatus(
            SessionState.STARTING, client.since, client.evidence, certain=client.certain
        )
    if _is_resumed(log, client):
        return SessionStatus(SessionState.YOUR_TURN, client.began, client.evidence, certain=False)
    if client.asks_for is not None:
        return replace(
            _of_agent(client.asks_for, client, client.asks_for.status.since), certain=False
        )
    if may_have_asked(log, now):
        return replace(log, state=SessionState.NEEDS_APPROVAL, evidence=StateEvidence.CLOCK)
    return _by_command(log, client)


def _is_resumed(log: SessionStatus, client: ClientFacts) -> bool:
    """True if a client began after the turn that its log leaves open, which ended with another."""
    if not client.certain or client.began is None or log.since is None:
        return False
    return log.state in _LEFT_OPEN and client.began > log.since + _RESUMED


def _by_command(log: SessionStatus, client: ClientFacts) -> SessionStatus:
    """Return the state that the log leaves open, by whether its command runs.

    One that runs was allowed; that there is none may have other reasons. Another process that the
    client started says only that it may be at work.
    """
    if log.certain or log.state not in _OPEN:
        return log
    if client.runs_command and (log.command or log.state is SessionState.YOUR_TURN):
        return replace(
            log,
            state=SessionState.WORKING,
            evidence=StateEvidence.PROCESS,
            certain=client.certain and log.command,
        )
    if client.runs_command is False and log.command:
        return replace(log, state=SessionState.NEEDS_APPROVAL, evidence=StateEvidence.PROCESS)
    return log


def _as_said(log: SessionStatus, client: ClientFacts) -> SessionStatus:
    """The state that the client reports, or that it is gone, with what the log knows of it."""
    if not client.alive:
        if log.state is SessionState.ENDED:
            return log
        return SessionStatus(
            SessionState.ENDED, client.since, client.evidence, certain=client.certain
        )
    if client.activity is Activity.IDLE and log.state in _IDLE:
        return (
            log if log.certain else replace(log, evidence=client.evidence, certain=client.certain)
        )
    since = log.since if client.since is None else client.since
    if client.asks_for is not None:
        return _of_agent(client.asks_for, client, since)
    if client.activity is Activity.WAITING:
        return _waiting(log, client, since)
    if client.evidence is StateEvidence.HOOKS and client.activity is Activity.APPROVAL:
        return _asked(log, client)
    state = _SAID.get(client.activity or Activity.BUSY, SessionState.WORKING)
    may_ask = client.activity in (Activity.APPROVAL, Activity.IN_TURN)
    if may_ask and log.state is SessionState.NEEDS_ANSWER:
        state = log.state
    over = log.state in _IDLE or client.activity is Activity.IDLE
    return SessionStatus(
        state,
        since,
        client.evidence,
        certain=client.certain,
        about=(None if over else log.about) or client.about,
        call=None if over else log.call,
    )


def _of_agent(agent: AgentStatus, client: ClientFacts, since: float | None) -> SessionStatus:
    """The state of a session while the call of an agent waits for its person."""
    asks = agent.status.state is SessionState.NEEDS_ANSWER
    return SessionStatus(
        agent.status.state if asks else SessionState.NEEDS_APPROVAL,
        since,
        client.evidence,
        certain=client.certain and client.activity in (Activity.APPROVAL, Activity.QUESTION),
        about=agent.status.about,
        agent=agent.name,
        call=agent.status.call,
        may_last=agent.status.may_last,
    )


def _asked(log: SessionStatus, client: ClientFacts) -> SessionStatus:
    """The state after a hook reported a request for approval; none reports that it was granted."""
    if client.runs_command and log.command:
        return replace(
            log, state=SessionState.WORKING, evidence=StateEvidence.PROCESS, certain=client.certain
        )
    if log.state is SessionState.NEEDS_APPROVAL and log.certain:
        return log
    certain = client.certain and client.runs_command is False and log.command
    about = log.about or client.about
    return SessionStatus(
        SessionState.NEEDS_APPROVAL,
        client.since,
        client.evidence,
        certain=certain,
        about=about,
        call=log.call,
    )


def _waiting(log: SessionStatus, client: ClientFacts, since: float | None) -> SessionStatus:
    """The subject of a client's wait: the request of the log, else a call of the log."""
    if log.state in _IDLE or log.state is SessionState.ENDED:
        return replace(log, state=SessionState.YOUR_TURN, since=since, evidence=client.evidence)
    state = SessionState.NEEDS_APPROVAL
    if log.state is SessionState.NEEDS_ANSWER:
        state = log.state
    return SessionStatus(
        state, since, client.evidence, certain=False, about=log.about, call=log.call
    )
