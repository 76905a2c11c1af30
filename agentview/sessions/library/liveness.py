"""Whether somebody is at work in a session or waits in it, by its state and the time since."""

from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.session_state import (
    QUIET,
    SILENT,
    UNSEEN,
    ClientFacts,
    Group,
    SessionState,
    SessionStatus,
    StateEvidence,
    group_of,
    status_now,
)
from agentview.domain.value import Value
from agentview.sessions.clients.running import WRITING, SessionFacts, client_of

RECENT = 300.0
"""Seconds after its last activity for which a session is live without a client that is known."""

KEPT = 7 * 86_400.0
"""Seconds after its last activity for which a session that has not ended is kept in sight."""


class Standing(Value):
    """A session as it is at a time."""

    status: SessionStatus
    client: ClientFacts | None
    live: bool
    in_sight: bool
    """True if its person should find it on the board: it is live, or has not ended in a week."""

    silence: float
    """Seconds since its last record."""

    def group(self, *, read: bool, idle_after: float) -> Group:
        return group_of(self.status, self.silence, live=self.live, read=read, idle_after=idle_after)


def activity_time(info: SessionInfo) -> float:
    """When something last happened: the log's own time, else that of its file."""
    return info.last_activity or info.ref.modified or 0.0


def status_and_client(info: SessionInfo, now: float) -> tuple[SessionStatus, ClientFacts | None]:
    """The status of a session at the time `now`, epoch seconds, and what is known of its client."""
    last = activity_time(info)
    if info.elsewhere is not None:
        return info.status, ClientFacts(info.elsewhere.live, pid=info.elsewhere.pid)
    if info.ref.host is not None:
        # Processes here say nothing of clients there.
        return status_now(info.status, last, now, None), None
    log = SessionFacts(info.client_version, info.project, info.status, last)
    client = client_of(info.ref, log, now)
    return status_now(info.status, last, now, client), client


def current_status(info: SessionInfo, now: float) -> SessionStatus:
    """The status of a session at the time `now`, epoch seconds."""
    return status_and_client(info, now)[0]


def is_live(info: SessionInfo, now: float) -> bool:
    """True if its client runs, or a record came within the last minutes and it has not ended."""
    return _is_live(info, now, *status_and_client(info, now))


def _is_live(
    info: SessionInfo, now: float, status: SessionStatus, client: ClientFacts | None
) -> bool:
    if client is not None and (client.certain or not client.alive):
        return client.alive
    return _continues(status) and now - activity_time(info) < RECENT


def _continues(status: SessionStatus) -> bool:
    """True if it has not ended, and something shows its state: a log may be that of no client."""
    if status.state is SessionState.UNKNOWN:
        return status.evidence is StateEvidence.CLOCK
    return status.state is not SessionState.ENDED


def standing(info: SessionInfo, now: float) -> Standing:
    """State of a session at the time `now`, epoch seconds."""
    status, client = status_and_client(info, now)
    live = _is_live(info, now, status, client)
    silence = now - activity_time(info)
    in_sight = live or (_continues(status) and silence < KEPT)
    return Standing(status, client, live, in_sight, silence)


def may_be_live(ref: SessionRef, now: float) -> bool:
    """True if it may be in sight: it was written in a week."""
    return now - (ref.modified or 0.0) < KEPT


def changes_at(info: SessionInfo, now: float) -> float:
    """The first time after `now`, epoch seconds, at which time alone may change its state."""
    last = activity_time(info)
    times = [last + passed for passed in (WRITING, UNSEEN, QUIET, RECENT, SILENT, KEPT)]
    if info.status.until is not None:
        times.append(info.status.until)
    return min((moment for moment in times if moment > now), default=float("inf"))
