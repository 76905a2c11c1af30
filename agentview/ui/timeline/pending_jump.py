"""A place that was asked for and is not read yet: gone to as soon as it is."""

from collections.abc import Callable

from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.widgets.status_line import StatusLine

Arrive = Callable[[], bool]
"""Goes to the place; True when it did, or when it is known that there is none."""


class PendingJump:
    """At most one place at a time; given up as soon as the reader goes somewhere else."""

    def __init__(self, timeline: TimelineView, status: StatusLine) -> None:
        self._timeline = timeline
        self._status = status
        self._arrive: Arrive | None = None
        self._from: int | None = None

    def go(self, place: str, arrive: Arrive) -> None:
        """Go there now, or once it is read; `place` is said as in `to PLACE once it is read`."""
        self.give_up()
        if not arrive():
            # Rows that are added would take along a reader who follows, as if they had moved.
            self._timeline.follow = False
            self._arrive, self._from = arrive, self._timeline.selected
            self._status.show_jump(f"to {place} once it is read")

    def rows_changed(self) -> None:
        """Go there if it has been read now."""
        arrive = self._arrive
        if arrive is not None and not self.moved():
            self._arrive = None
            if arrive():
                self.give_up()
            else:
                self._arrive = arrive

    def moved(self) -> bool:
        """Give up if the reader went somewhere else meanwhile; True when so."""
        gone = self._arrive is not None and (
            self._timeline.follow or self._timeline.selected != self._from
        )
        return gone and self.give_up()

    def give_up(self) -> bool:
        """Stay; False when no place was awaited."""
        awaited = self._arrive is not None
        self._arrive = None
        self._status.show_jump(None)
        return awaited
