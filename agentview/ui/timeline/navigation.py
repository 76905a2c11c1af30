"""Places in a session that a key goes to: turns, problems, the start.

What is not read yet is gone to once it is: reading goes backwards from the end, so that the turn or
problem before the first known row is what it comes to next.
"""

from agentview.timeline.view.header import OpenSession
from agentview.timeline.view.rows_protocol import FoldingRows, LogRows
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

    def show(self, row: int) -> bool:
        """Select the activity that shows a row; False, and said why, where none is shown."""
        rows = self._session.store
        if isinstance(rows, LogRows):
            shows = rows.joined_with(row)
            row = row if shows is None else shows
        if isinstance(rows, FoldingRows) and rows.is_folded(row):
            rows.open_fold(row)
        if self._timeline.select(row):
            return True
        why = "hidden by the filter" if rows.shown(row) else "a hidden record; R shows those"
        self._status.say(why)
        return False

    def turn(self, step: int) -> None:
        """Go to the next turn (1), or the start of this one or the one before (-1)."""

        def arrive() -> bool:
            if self._timeline.next_turn(step):
                return True
            if step < 0 and not self._session.header().all_read:
                return False
            self._status.say("no next turn" if step > 0 else "no previous turn")
            return True

        self._awaited.go("the turn before", arrive)

    def problem(self, step: int) -> None:
        """Go to the next problem (1) or the one before (-1), around the end."""
        place = "the next problem" if step > 0 else "the problem before"
        self._awaited.go(place, lambda: self._arrive_at_problem(step))

    def _arrive_at_problem(self, step: int) -> bool:
        if self._timeline.next_problem(step):
            return True
        header = self._session.header()
        if not header.all_read:
            return False
        if self._timeline.outer_problem(step):
            self._status.say(f"wrapped to the {'first' if step > 0 else 'last'} problem")
        elif header.problems:
            self._status.say("all problems are in folds or hidden by the filter")
        else:
            self._status.say("no problems")
        return True

    def contradiction(self) -> None:
        """Go to what contradicts the last words of this turn; from there, back to these."""
        row = self._timeline.selected
        claim = None if row is None else self._timeline.headings.claim(row)
        if claim is None:
            self._status.say("the last words of this turn are not contradicted")
            return
        shown = self.show(claim.message if row == claim.evidence else claim.evidence)
        if shown:
            self._status.say(f'"{claim.says}": {claim.fact}')

    def start(self) -> None:
        """Go to the first activity that is known, and on to the first of all once that is read."""

        def arrive() -> bool:
            read = self._session.header().all_read
            if read:
                self._timeline.home()
            return read

        self._timeline.home()
        self._awaited.go("the start", arrive)
