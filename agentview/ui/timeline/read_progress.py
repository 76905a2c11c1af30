"""How far the reader has come in a session: the line above what is new since, and what is kept.

The last row that was in view while the terminal had the focus counts as seen. What is new when the
session is opened, or when the terminal gets the focus again, stands below a line.
"""

import time
from collections.abc import Callable, Generator

from agentview.domain.session import SessionRef
from agentview.domain.unread import SeenPlace
from agentview.sessions.annotations.seen import seen_in, set_seen
from agentview.sessions.annotations.session_file import Fields
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.header import OpenSession
from agentview.ui.timeline.annotation_file import AnnotationFile
from agentview.ui.timeline.event_place import event_of, place_of, row_at
from agentview.ui.timeline.pending_jump import PendingJump
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.widgets.sliced_work import LatestWork
from agentview.ui.widgets.status_line import StatusLine

KeepSeen = Callable[[SessionRef, SeenPlace], None]
"""Takes how far a session was read now."""


class ReadProgress:
    """How far one timeline was read."""

    def __init__(
        self,
        session: OpenSession,
        timeline: TimelineView,
        status: StatusLine,
        awaited: PendingJump,
        file: AnnotationFile,
        clock: Callable[[], float],
        keep: KeepSeen,
    ) -> None:
        self._session = session
        self._timeline = timeline
        self._status = status
        self._awaited = awaited
        self._file = file
        file.takers.append(self._take)
        self._clock = clock
        self._keep = keep
        self._loaded = False
        self._focused = True
        self._furthest: int | None = None
        """The last row that was seen."""
        self._kept: int | None = None
        """The same when it was written last."""
        self._since: SeenPlace | None = None
        """Up to where it was read before; None where no line is wanted."""
        self._since_row: int | None = None
        self._moved = False
        self._searched = False
        self._search = LatestWork(self._looked_up, self._take_found)

    # What was read

    def viewed(self, last: int | None) -> None:
        if last is not None and self._focused and (self._furthest or last) <= last:
            self._furthest = last

    def focus(self, focused: bool) -> None:
        """Take whether the terminal has the focus: what comes without it is new."""
        if focused == self._focused:
            return
        self._focused = focused
        row = self._furthest
        if not focused:
            self.keep()
        elif row is not None and self._session.store.first <= row < self._session.store.end:
            if self._timeline.shown_after(row) is not None:
                self._since, self._since_row = self._place(row), row
                self._draw()
            self.viewed(self._timeline.last_visible)

    def keep(self) -> None:
        """Write how far it was read, unless that is kept already."""
        row, session = self._furthest, self._session
        if row is None or row == self._kept:
            return
        if not session.store.first <= row < session.store.end:
            return
        self._kept = row
        seen, ref = self._place(row), session.ref
        self._keep(ref, seen)
        step = set_seen(self._file.file, ref.stream.id, seen, size=ref.size)
        self._file.submit(step, quiet=True)

    def close(self) -> None:
        """Keep what was read, and look for nothing any more."""
        self._search.stop()
        self.keep()

    def _place(self, row: int) -> SeenPlace:
        rows = self._session.store
        offset, number = place_of(rows, row)
        first = rows.activity(row).first
        return SeenPlace(event_of(rows, row), offset, number, self._clock(), first.time)

    # What is new

    def go(self) -> None:
        self._awaited.go("what is new", self._arrive)

    def _arrive(self) -> bool:
        if self._since_row is not None:
            row = self._timeline.shown_after(self._since_row)
            if row is None:
                self._status.say("nothing is new here")
            else:
                self._timeline.select(row)
            return True
        sought = self._since is not None and (not self._searched or self._search.busy)
        if sought or not self._loaded:
            return False
        self._status.say("nothing is new here")
        return True

    def rows_changed(self, change: RowsChanged) -> None:
        """Look for the place in what has been read now."""
        if change.reset:
            self._furthest = self._kept = self._since_row = None
            self._moved = self._searched = False
            self._search.stop()
        self.show()

    def show(self) -> None:
        """Draw the line where it belongs now."""
        if self._since is None:
            return
        if self._since_row is None:
            self._locate(self._since)
        if self._since_row is not None:
            self._draw()

    def _take(self, fields: Fields | None) -> None:
        if self._loaded:
            return
        self._loaded = True
        if fields is not None:
            self._since = seen_in(fields, self._session.ref.stream.id)
        self.show()
        self._awaited.rows_changed()

    def _locate(self, since: SeenPlace) -> None:
        if not self._moved:
            row = row_at(self._session.store, since.offset, since.number)
            if row is not None and event_of(self._session.store, row) == since.event:
                self._found(row)
                return
            self._moved = row is not None
        if self._session.header().all_read and not self._searched:
            self._searched = True
            self._search.renew()

    def _found(self, row: int) -> None:
        if self._timeline.shown_after(row) is None:
            # All of it was read before: what comes now is seen as it comes.
            self._since = None
        else:
            self._since_row = row

    def _looked_up(self) -> Generator[None, None, int | None]:
        row = self._session.store.end
        while row > self._session.store.first:
            row -= 1
            if self._since is not None and event_of(self._session.store, row) == self._since.event:
                return row
            yield
        return None

    def _take_found(self, row: int | None) -> None:
        if row is None:
            self._since = None
        else:
            self._found(row)
            self.show()
        self._awaited.rows_changed()

    def _draw(self) -> None:
        if self._since is None or self._since_row is None:
            return
        row = self._timeline.shown_after(self._since_row)
        self._timeline.show_new_since(
            row, f"new since {_moment_text(self._since.at, self._clock())}"
        )


def _moment_text(at: float | None, now: float) -> str:
    """Return a moment as shown on the day of `now`, or on another one."""
    if at is None:
        return "the last time"
    form = "%H:%M" if time.localtime(at)[:3] == time.localtime(now)[:3] else "%m-%d %H:%M"
    return time.strftime(form, time.localtime(at))
