"""Facts of an open session as a whole, for the header and status lines."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from msgspec import field

from agentview.domain.session import Continuation, SessionRef
from agentview.domain.session_state import Looping, LoopingLimits, SessionState, SessionStatus
from agentview.domain.usage import Usage
from agentview.domain.usage_limit import UsageLimits
from agentview.domain.value import Value
from agentview.timeline.rows.token_totals import Spent
from agentview.timeline.view.format_numbers import counted, span
from agentview.timeline.view.rows_protocol import Rows
from agentview.timeline.view.sanitize import one_line


class LogPresence(StrEnum):
    """Where the file of a session is now."""

    PRESENT = "present"
    """It is where it was."""
    AWAITED = "awaited"
    """It has not been written yet."""
    REMOVED = "removed"
    """It was there and is gone; what was read of it is still shown."""
    UNREADABLE = "unreadable"
    """It is there and cannot be read, as while it is locked; what was read is still shown."""
    MOVED = "moved"
    """It is in another place now, and is read on there."""
    REPLACED = "replaced"
    """Another file took its place; what is shown is of the new one."""


ABSENT = (LogPresence.AWAITED, LogPresence.REMOVED, LogPresence.UNREADABLE)
"""Nothing more can be read of such a log now."""

PRESENCE_WORDS: Mapping[LogPresence, str] = {
    LogPresence.REMOVED: "the log was removed; the timeline shows what was read",
    LogPresence.UNREADABLE: "the log cannot be read; the timeline shows what was read",
    LogPresence.MOVED: "the log was moved; agentview follows it",
    LogPresence.REPLACED: "the log was replaced; this is the new one",
}
"""Words for a log that is not where it was."""


_ID_CHARS = 8

LOOPING = "looping?"
"""The mark of a session whose agent goes round in circles."""


def continuation_words(continued: Continuation) -> str:
    """Which session a client continued with: `continued in 3f2a0c41`."""
    word = "probably continued in" if continued.inferred else "continued in"
    return f"{word} {one_line(continued.ref.session_id[:_ID_CHARS])}"


def looping_words(found: Looping | None, now: float, limits: LoopingLimits) -> str:
    """Return the evidence in words; empty where there is less than the settings want."""
    if found is None:
        return ""
    repeats, minutes = limits.repeats, limits.minutes
    if found.errors is not None and 0 < repeats <= found.errors.count:
        return f"the same error {found.errors.count} times: {found.errors.what}"
    if found.calls is not None and 0 < repeats <= found.calls.count:
        return f"{found.calls.count} times with the same result: {found.calls.what}"
    if found.unchanged is not None and 0 < 60 * minutes <= now - found.unchanged:
        passed = span(now - found.unchanged)
        return f"no file changed for {passed}, {counted(found.since, 'call')}"
    return ""


class HeaderFacts(Value):
    """One moment of a session: None is "not known" and is never shown as 0.

    Times are epoch seconds UTC, tokens are counts, `cost` is in US dollars.
    """

    provider: str
    """Label of the provider, as people call it."""
    title: str | None = None
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    status: SessionStatus = SessionStatus()
    """The state now, and how it is known."""
    followed: bool = False
    """True if more records are to be expected soon."""
    last_activity: float | None = None
    context_tokens: int | None = None
    """Tokens in the model's context after its last response."""
    context_window: int | None = None
    """Tokens that the model holds."""
    usage: Usage = field(default_factory=Usage)
    """Totals of the session and the agents it started, each response counted once."""
    cost: float | None = None
    """As the client counted it."""
    limits: UsageLimits = ()
    """Limits of the account as the log stated them last."""
    spent: tuple[Spent, ...] = ()
    """The tokens of the session and of each agent, by what their price depends on."""
    problems: int = 0
    edits: int = 0
    shells: int = 0
    looping: Looping | None = None
    """Evidence that the agent repeats itself, while it works."""
    running: int = 0
    """Commands and agents in the background that have not ended, as far as was read."""
    rows: int = 0
    """Rows known so far, hidden ones included."""
    hidden_rows: int = 0
    indexed: float = 1.0
    """Part of the log that has been read, 0 to 1; counts are of that part."""
    presence: LogPresence = LogPresence.PRESENT
    resumed: bool = False
    """The process that read the log in the background died, and another one has taken its place."""
    trouble: str | None = None
    """Why reading stopped before its end; None while all is well."""
    damage: str | None = None
    """The fault of the session's database, so that rows may be missing."""
    continued: Continuation | None = None
    """The session with which its client continued, as after `/clear`."""

    @property
    def state(self) -> SessionState:
        return self.status.state

    @property
    def all_read(self) -> bool:
        """True if the whole log is read, so that nothing comes before the first activity."""
        return self.indexed >= 1.0

    @property
    def context_fill(self) -> float | None:
        """Part of the model's context that is full, 0 to 1; None when it is not known."""
        if self.context_tokens is None or not self.context_window:
            return None
        return min(1.0, self.context_tokens / self.context_window)


class OpenSession(Protocol):
    """A session that a screen can show: its rows, and what is known about it as a whole."""

    @property
    def store(self) -> Rows: ...

    @property
    def ref(self) -> SessionRef: ...

    def header(self) -> HeaderFacts:
        """The facts as they are now; cheap enough to be asked for after each change."""
        ...

    def start(self) -> None:
        """Continue reading in the background, and follow what is written."""
        ...

    def close(self) -> None:
        """Stop reading and watching; what was read stays usable."""
        ...
