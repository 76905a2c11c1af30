"""Bookmarks and notes of a session: where they are, marked and visited; by event id in a file.

A bookmark is looked for where its event was last seen; when the log was rewritten, among all its
rows once they are known.
"""

from bisect import bisect_right
from collections.abc import Generator

from msgspec.structs import replace

from agentview.domain.annotations import Bookmark
from agentview.sessions.annotations.bookmarks import bookmarks_in, remove_bookmark, set_bookmark
from agentview.sessions.annotations.notes import notes_in
from agentview.sessions.annotations.session_file import Fields
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.header import OpenSession
from agentview.ui.timeline.annotation_file import AnnotationFile
from agentview.ui.timeline.event_place import event_of, place_of, row_at
from agentview.ui.timeline.pending_jump import PendingJump
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.widgets.sliced_work import LatestWork
from agentview.ui.widgets.status_line import StatusLine


class Bookmarks:
    """The bookmarks of one timeline."""

    def __init__(
        self,
        session: OpenSession,
        timeline: TimelineView,
        status: StatusLine,
        awaited: PendingJump,
        file: AnnotationFile,
    ) -> None:
        self._session = session
        self._timeline = timeline
        self._status = status
        self._awaited = awaited
        self._stream = session.ref.stream.id
        self._file = file
        file.takers.append(self._take)
        self._loaded = False
        self._marks: dict[str, Bookmark] = {}
        """The places of bookmarks and notes, by event."""
        self._bookmarked: set[str] = set()
        self._rows: dict[str, int] = {}
        """Rows of the bookmarked events that were found."""
        self._moved: set[str] = set()
        """Events that are no longer at their place."""
        self._searched = False
        self._search = LatestWork(self._looked_up, self._take_found)

    def close(self) -> None:
        self._search.stop()

    def _take(self, fields: Fields | None) -> None:
        self._loaded = True
        if fields is not None:
            bookmarks = bookmarks_in(fields)
            self._bookmarked = set(bookmarks)
            noted = {event: note.mark for event, note in notes_in(fields).items()}
            found = noted | bookmarks
            here = {mark.event: mark for mark in found.values() if mark.stream == self._stream}
            # A place that was found since is better than the one that was written.
            self._marks = {event: self._marks.get(event, mark) for event, mark in here.items()}
            self._show()
        self._awaited.rows_changed()

    # Keys

    def toggle(self) -> None:
        """Bookmark the selected row, or remove its bookmark."""
        row = self._timeline.selected
        if row is None:
            return
        event = self._event(row)
        if event in self._bookmarked:
            self._bookmarked.discard(event)
            self._file.submit(lambda: remove_bookmark(self._file.file, event))
            self._status.say("bookmark removed")
        else:
            mark = self._marks[event] = self.place(row)
            self._bookmarked.add(event)
            self._file.submit(lambda: set_bookmark(self._file.file, mark))
            self._status.say("bookmark set; ' returns to it")
        self._show()

    def place(self, row: int) -> Bookmark:
        """The event of a row, and where it is."""
        offset, number = place_of(self._session.store, row)
        return Bookmark(self._event(row), self._stream, offset, number)

    def row_of(self, event: str) -> int | None:
        """The row of a bookmarked event, or of one with a note; None while that is not known."""
        return self._rows.get(event)

    def next(self) -> None:
        self._awaited.go("a bookmark", self._arrive)

    def _arrive(self) -> bool:
        if not self._marks:
            if self._loaded:
                self._status.say("no bookmark yet; b sets one, m writes a note")
            return self._loaded
        known = self._rows.values()
        rows = sorted(row for row in known if self._timeline.is_shown(row))
        if not rows:
            if known:
                self._status.say("all bookmarks are hidden by the filter")
            elif not self._searched or self._search.busy:
                return False
            else:
                self._status.say("the bookmarked events are not in this log")
            return True
        selected = self._timeline.selected
        at = 0 if selected is None else bisect_right(rows, selected)
        if at == len(rows) and len(rows) > 1:
            self._status.say("wrapped to the first bookmark")
        self._timeline.select(rows[at % len(rows)])
        return True

    # Rows

    def rows_changed(self, change: RowsChanged) -> None:
        """Look for bookmarked events in what has been read now."""
        if change.reset:
            self._rows.clear()
            self._moved.clear()
            self._search.stop()
            self._searched = False
        if self._marks:
            self._show()

    def _show(self) -> None:
        """Find the rows of events, and mark them."""
        for event in self._rows.keys() - self._marks.keys():
            del self._rows[event]
        for event, mark in self._marks.items():
            if event in self._rows or event in self._moved:
                continue
            row = row_at(self._session.store, mark.offset, mark.number)
            if row is None:
                continue
            if self._event(row) == event:
                self._rows[event] = row
            else:
                self._moved.add(event)
        rows = (row for event, row in self._rows.items() if event in self._bookmarked)
        self._timeline.show_bookmarks(frozenset(rows))
        if self._session.header().all_read and not self._searched:
            self._searched = True
            if self._marks.keys() - self._rows.keys():
                self._search.renew()

    def _looked_up(self) -> Generator[None, None, dict[str, int]]:
        missing = self._marks.keys() - self._rows.keys()
        found: dict[str, int] = {}
        row = self._session.store.first
        while row < self._session.store.end and len(found) < len(missing):
            event = self._event(row)
            if event in missing:
                found[event] = row
            row += 1
            yield
        return found

    def _take_found(self, found: dict[str, int]) -> None:
        for event, row in found.items():
            mark = self._marks.get(event)
            if mark is not None:
                offset, number = place_of(self._session.store, row)
                self._marks[event] = replace(mark, offset=offset, number=number)
                self._rows[event] = row
        self._show()
        self._awaited.rows_changed()

    def _event(self, row: int) -> str:
        return event_of(self._session.store, row)
