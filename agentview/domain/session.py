"""Sessions, their streams, and what one row of a timeline shows."""

from enum import StrEnum

from msgspec.structs import replace

from agentview.domain.session_state import SessionState, SessionStatus
from agentview.domain.usage_limit import UsageLimits
from agentview.domain.value import Value

SSH = "ssh://"
"""Begins the path of a log on another machine."""
HERE = "@here"
"""Name of this machine among others."""
EVERY = "@all"
"""Name of this machine and all of the settings."""


class StreamKind(StrEnum):
    """Which chain of a conversation an event belongs to."""

    MAIN = "main"
    """The conversation with the person."""
    SIDECHAIN = "sidechain"
    """A side conversation written into the same file."""
    SUBAGENT = "subagent"
    """The conversation of an agent that another agent started."""
    RUN = "run"
    """All agents that one call started together."""


class Stream(Value):
    """One parent chain of a session; `id` is empty for the main one."""

    kind: StreamKind = StreamKind.MAIN
    id: str = ""


MAIN_STREAM = Stream()


class SessionRef(Value):
    """A session log that can be opened: who wrote it, where it lies, which stream it holds.

    `session_id` is the id under which the person knows the session; a sub-agent's file has its own
    `stream` and names the session that started it in `parent_id`.
    """

    provider: str
    session_id: str
    path: str
    stream: Stream = MAIN_STREAM
    parent_id: str | None = None
    parent_call: str | None = None
    """Id of the call that started this agent, where it is recorded next to the file."""
    label: str | None = None
    """Type or description of the agent, where it is recorded next to the file."""
    modified: float | None = None
    """File modification time, epoch seconds."""
    size: int | None = None
    """File size in bytes when it was found."""
    shared: bool = False
    """The log holds other streams as well; only what is of `stream` counts."""
    records: frozenset[int] = frozenset()
    """Byte offsets of the records of the stream, where others in the log have the same name, or of
    an abandoned branch of the log's own stream."""
    own_from: int = 0
    """Byte offset of the stream's first own record: those before it repeat another stream's log."""
    spent_before: str = ""
    """Id of the last response in such records: its tokens belong to the other stream."""
    parts: tuple[tuple[int, str], ...] = ()
    """Byte offset at which each session begins, and its id, in a log that holds several."""
    run: str | None = None
    """Id of the run that the agent is a part of, where one call starts several."""
    fault: str | None = None
    """Why the log could not be read when it was found."""
    host: str | None = None
    """Name of the machine that it is on; None for this one."""

    @property
    def is_remote(self) -> bool:
        """True if only its machine can read it; its path begins with the name of that."""
        return self.path.startswith(SSH)

    @property
    def own_id(self) -> str:
        """The id that commands take: of an agent its own, not that of its session."""
        return self.stream.id or self.session_id

    @property
    def log(self) -> "SessionRef":
        return replace(self, stream=MAIN_STREAM, shared=False) if self.shared else self


class ClientElsewhere(Value):
    """The client of a session on another machine, as that machine knows it."""

    live: bool
    """The session is live there."""
    pid: int | None = None


class SessionInfo(Value):
    """Facts about a session from the head and the tail of its log, without reading its body."""

    ref: SessionRef
    title: str | None = None
    project: str | None = None
    """Working directory of the session, as the log has it."""
    branch: str | None = None
    model: str | None = None
    client_version: str | None = None
    started: float | None = None
    """Time of the first record, epoch seconds UTC."""
    last_activity: float | None = None
    """Time of the last real record, epoch seconds UTC."""
    status: SessionStatus = SessionStatus()
    """Its state by the log alone; `status_now` adds the time and running clients."""
    limits: UsageLimits = ()
    """Limits of the account as the log stated them last; see `usage_limit.current`."""
    elsewhere: ClientElsewhere | None = None
    """Of a session on another machine that answers, whose `status` is final then."""

    @property
    def state(self) -> SessionState:
        return self.status.state


class Continuation(Value):
    """The session with which the client of another one continued, as after `/clear`."""

    ref: SessionRef
    """Its log need not exist yet."""
    inferred: bool = False
    """Neither the client nor its process shows it: it is the next one in the directory."""
