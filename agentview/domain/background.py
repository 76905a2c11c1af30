"""What a client does in the background of a session, as its own files say."""

from agentview.domain.value import Value


class WorkflowPhase(Value):
    """A phase of a workflow, by the agents that work in it."""

    title: str
    done: int = 0
    """Agents that have reported their result."""
    begun: int = 0
    over: bool = False
    """The workflow has ended: no other agent begins."""


class BackgroundSession(Value):
    """A session that a client runs without a terminal; times are epoch seconds."""

    session_id: str
    name: str
    """As its person named it, else what it was asked."""
    state: str
    """In the client's word."""
    cwd: str | None = None
    log: str | None = None
    """Where its log is, or will be."""
    needs: str | None = None
    """The action of a person that it waits for."""
    detail: str | None = None
    """Its current work, or its outcome."""
    tokens: int | None = None
    children: int | None = None
    """Sessions that it began itself."""
    blocked: bool = False
    """It waits for a person."""
    over: bool = False
    began: float | None = None
    updated: float | None = None
    open_command: tuple[str, ...] = ()
    """The client's own command that opens it in a terminal."""
