"""Whether somebody is at work in a session, judged by its log and the time since."""

from agentview.domain.session import LiveState, SessionInfo, SessionRef

RECENT = 300.0
"""Seconds after its last activity for which a session that waits for a person counts as live."""

SILENT = 1800.0
"""Seconds without activity after which an agent is no longer taken to be at work."""

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


def state_now(state: LiveState, silence: float | None) -> LiveState:
    """What a state means after some seconds of silence: nobody works or waits for ever."""
    if silence is None:
        return state
    if state in _AT_WORK and silence >= SILENT:
        return LiveState.STALE
    if state in (LiveState.WAITING_INPUT, LiveState.LIMITED) and silence >= SILENT:
        return LiveState.ENDED
    return state


def is_over(state: LiveState, silence: float | None) -> bool:
    """Whether nothing more is to be expected after some seconds of silence."""
    return state_now(state, silence) in _OVER
