"""Places in a session that a key goes to: turns, problems, the start.

What is not read yet is gone to once it is: reading goes backwards from the end, so that the turn or
problem before the first known row is what it comes to next.
"""

from collections.abc import Callable

from agentview.timeline.header import OpenSession
from agentview.ui.timeline.pending_jump import PendingJump
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.widgets.status_line import StatusLine


class Navigation:
    """Goes to places of the timeline of a session."""

    def __init__(
        self,
        session: OpenSession,
        timeline: TimelineView,
        status: StatusLine,
        awaited: PendingJump,
    ) -> None:
        self._session = session
        self._timeline = timeline
        self._status = status
        self._awaited = awaited

    def turn(self, step: int) -> None:
        """Go to the next turn (1), or the start of this one or the one before (-1)."""
        self._nearest("turn", self._timeline.next_turn, step)

    def problem(self, step: int) -> None:
        """Go to the next problem (1) or the one before (-1)."""
        self._nearest("problem", self._timeline.next_problem, step)

    def _nearest(self, what: str, advance: Callable[[int], bool], step: int) -> None:
        def arrive() -> bool:
            if advance(step):
                return True
            if step < 0 and not self._session.header().all_read:
                return False
            self._status.say(f"no next {what}" if step > 0 else f"no previous {what}")
            return True

        self._awaited.go(f"the {what} before", arrive)

    def start(self) -> None:
        """Go to the first activity that is known, and on to the first of all once that is read."""

        def arrive() -> bool:
            read = self._session.header().all_read
            if read:
                self._timeline.home()
            return read

        self._timeline.home()
        self._awaited.go("the start", arrive)
