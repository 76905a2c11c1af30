"""The mark and the role of each state of a session: one table for headers, lists and panels."""

from enum import StrEnum

from agentview.domain.session_state import SessionState, SessionStatus
from agentview.domain.value import Value


class Role(StrEnum):
    """Meaning of a mark's colour; the end of the names of component classes."""

    WORKING = "working"
    ATTENTION = "attention"
    FAILED = "failed"
    QUIET = "quiet"


class StateMark(Value):
    """A mark of one cell, in Unicode and in ASCII, and its role."""

    sign: str
    ascii: str
    role: Role


_MARKS = {
    SessionState.STARTING: StateMark("◌", "~", Role.QUIET),
    SessionState.WORKING: StateMark("●", "*", Role.WORKING),
    SessionState.NEEDS_APPROVAL: StateMark("▲", "!", Role.ATTENTION),
    SessionState.NEEDS_ANSWER: StateMark("▲", "!", Role.ATTENTION),
    SessionState.YOUR_TURN: StateMark("○", "o", Role.QUIET),
    SessionState.LIMITED: StateMark("◷", "%", Role.FAILED),
    SessionState.FAILED: StateMark("✗", "x", Role.FAILED),
    SessionState.INTERRUPTED: StateMark("⊘", "-", Role.FAILED),
    SessionState.ENDED: StateMark("✓", "+", Role.QUIET),
    SessionState.UNKNOWN: StateMark("·", ".", Role.QUIET),
}
_MAY_WAIT = StateMark("◌", "~", Role.ATTENTION)
_UNCERTAIN = StateMark("◌", "~", Role.QUIET)


def mark_of_status(status: SessionStatus) -> StateMark:
    """The mark of a status; what is not certain has one of its own, in two roles."""
    if not status.certain and status.state is not SessionState.UNKNOWN:
        return _MAY_WAIT if status.asks or status.may_wait else _UNCERTAIN
    return _MARKS[status.state]
