"""Whether somebody is at work in a session or waits in it, by its state and the time since."""

from agentview.clients.running import WRITING, SessionFacts, client_of
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.session_state import (
    QUIET,
    SILENT,
    UNSEEN,
    ClientFacts,
    SessionState,
    SessionStatus,
    StateEvidence,
    status_now,
)

RECENT = 300.0
"""Seconds after its last activity for which a session whose turn is over counts as active."""

KEPT = 7 * 86_400.0
"""Seconds after its last activity for which a session that may wait for a person is kept in sight,
unless its client is known to be gone."""

_BUSY = (
    SessionState.STARTING,
    SessionState.WORKING,
    SessionState.NEEDS_APPROVAL,
    SessionState.NEEDS_ANSWER,
)


def activity_time(info: SessionInfo) -> float:
    """When something last happened: the log's own time, else that of its file."""
    return info.last_activity or info.ref.modified or 0.0


def status_and_client(info: SessionInfo, now: float) -> tuple[SessionStatus, ClientFacts | None]:
    """The status of a session at the time `now`, epoch seconds, and what is known of its client."""
    last = activity_time(info)
    log = SessionFacts(info.client_version, info.project, info.status, last)
    client = client_of(info.ref, log, now)
    return status_now(info.status, last, now, client), client


def current_status(info: SessionInfo, now: float) -> SessionStatus:
    """The status of a session at the time `now`, epoch seconds."""
    return status_and_client(info, now)[0]


def is_active(info: SessionInfo, now: float) -> bool:
    """True if its client runs, or somebody is at work in it, asks something, or just finished."""
    return _is_active(info, now, *status_and_client(info, now))


def _is_active(
    info: SessionInfo, now: float, status: SessionStatus, client: ClientFacts | None
) -> bool:
    if client is not None and (client.certain or not client.alive):
        return client.alive
    silence, state = now - activity_time(info), status.state
    if state in _BUSY:
        return silence < KEPT
    return state not in (SessionState.ENDED, SessionState.UNKNOWN) and silence < RECENT


def is_live(info: SessionInfo, now: float) -> bool:
    """True if its person should see it: it is active, or it waits, or nothing denies that it does.

    Silence alone takes nobody out of sight before a week has passed.
    """
    status, client = status_and_client(info, now)
    if _is_active(info, now, status, client):
        return True
    if now - activity_time(info) >= KEPT:
        return False
    if status.state is SessionState.UNKNOWN:
        return status.evidence is StateEvidence.CLOCK
    return status.state is not SessionState.ENDED


def may_be_live(ref: SessionRef, now: float) -> bool:
    """True if a look into the log could show that somebody waits: it was written in a week."""
    return now - (ref.modified or 0.0) < KEPT


def changes_at(info: SessionInfo, now: float) -> float:
    """The first time after `now`, epoch seconds, at which time alone may change its state."""
    last = activity_time(info)
    times = [last + passed for passed in (WRITING, UNSEEN, QUIET, RECENT, SILENT, KEPT)]
    if info.status.until is not None:
        times.append(info.status.until)
    return min((moment for moment in times if moment > now), default=float("inf"))
