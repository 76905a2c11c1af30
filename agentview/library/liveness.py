"""Whether somebody is at work in a session, judged by its log and the time since."""

from agentview.domain.session import SILENT, LiveState, SessionInfo, SessionRef, state_after

RECENT = 300.0
"""Seconds after its last activity for which a session that waits for a person counts as live."""

_AT_WORK = (LiveState.WORKING, LiveState.WAITING_APPROVAL)
_OVER = (LiveState.ENDED, LiveState.STALE, LiveState.INTERRUPTED)


def activity_time(info: SessionInfo) -> float:
    """When something last happened: the log's own time, else that of its file."""
    return info.last_activity or info.ref.modified or 0.0


def is_live(info: SessionInfo, now: float) -> bool:
    """Whether somebody is at work in the session, or was just now."""
    silence = now - activity_time(info)
    if info.state in _OVER:
        return False
    return silence < (SILENT if info.state in _AT_WORK else RECENT)


def may_be_live(ref: SessionRef, now: float) -> bool:
    """Whether a look into the log could show that somebody is at work: it was written lately."""
    return now - (ref.modified or 0.0) < SILENT


def current_state(info: SessionInfo, now: float) -> LiveState:
    """The state of a session at the time `now`, epoch seconds."""
    return state_after(info.state, now - activity_time(info))


def is_over(state: LiveState, silence: float | None) -> bool:
    """Whether nothing more is to be expected after some seconds of silence."""
    return state_after(state, silence) in _OVER
