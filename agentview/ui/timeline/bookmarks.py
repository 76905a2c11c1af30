"""Bookmarks of a session on the screen: shown, set and visited; kept by event id in a file.

The file is read and written in a thread, one step after the other. A bookmark is looked for where
its event was last seen; when the log was rewritten, among all its rows once they are known.
"""

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace

from agentview.annotations.bookmarks import (
    Bookmark,
    bookmarks_in,
    remove_bookmark,
    set_bookmark,
)
from agentview.annotations.session_file import AnnotationsNotSaved, Fields, SessionFile
from agentview.store.changes import RowsChanged
from agentview.timeline.header import OpenSession
from agentview.timeline.rows_protocol import LogRows
from agentview.ui.timeline.pending_jump import PendingJump
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.widgets.sliced_work import LatestWork
from agentview.ui.widgets.status_line import StatusLine


class Bookmarks:
    """The bookmarks of one timeline."""

    def __init__(
        self, session: OpenSession, timeline: TimelineView, status: StatusLine, awaited: PendingJump
    ) -> None:
        self._session = session
        self._timeline = timeline
        self._status = status
        self._awaited = awaited
        ref = session.ref
        self._stream = ref.stream.id
        self._file = SessionFile(ref.provider, ref.session_id)
        self._thread: ThreadPoolExecutor | None = None
        self._unfinished = 0
        self._loaded = False
        self._marks: dict[str, Bookmark] = {}
        self._rows: dict[str, int] = {}
        """Rows of the bookmarked events that were found."""
        self._moved: set[str] = set()
        """Events that are no longer at their place."""
        self._searched = False
        self._search = LatestWork(self._looked_up, self._take_found)

    # The file

    def load(self) -> None:
        """Read the bookmarks of earlier runs; they are shown as soon as they are there."""
        self._submit(self._file.read)

    def close(self) -> None:
        """Stop looking for rows; what is to be written still is."""
        self._search.stop()
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None

    def _submit(self, step: Callable[[], Fields]) -> None:
        loop = asyncio.get_running_loop()
        # A thread has no context of its own, in which a timer of a widget finds the application.
        context = copy_context()

        def report(done: Future[Fields]) -> None:
            # The loop may be closed by now: the program ends.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._take, done, context=context)

        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "bookmarks")
        self._unfinished += 1
        self._thread.submit(step).add_done_callback(report)

    def _take(self, done: Future[Fields]) -> None:
        self._unfinished -= 1
        self._loaded = True
        error = done.exception()
        if isinstance(error, AnnotationsNotSaved):
            self._status.say(f"bookmarks are not saved: {error.message}", lasting=True)
            self._awaited.rows_changed()
            return
        if self._file.set_aside is not None:
            place = self._file.set_aside
            self._status.say(f"damaged bookmarks were moved to {place}", lasting=True)
            self._file.set_aside = None
        if not self._unfinished:
            found = bookmarks_in(done.result())
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
        if event in self._marks:
            del self._marks[event]
            self._submit(lambda: remove_bookmark(self._file, event))
            self._status.say("bookmark removed")
        else:
            offset, number = self._place(row)
            mark = self._marks[event] = Bookmark(event, self._stream, offset, number)
            self._submit(lambda: set_bookmark(self._file, mark))
            self._status.say("bookmark set; ' returns to it")
        self._show()

    def next(self) -> None:
        """Select the next bookmarked row, around the end."""
        self._awaited.go("a bookmark", self._arrive)

    def _arrive(self) -> bool:
        if not self._marks:
            if self._loaded:
                self._status.say("no bookmark yet; b sets one")
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
            row = self._row_at(mark)
            if row is None:
                continue
            if self._event(row) == event:
                self._rows[event] = row
            else:
                self._moved.add(event)
        self._timeline.show_bookmarks(frozenset(self._rows.values()))
        if self._session.header().indexed >= 1.0 and not self._searched:
            self._searched = True
            if self._marks.keys() - self._rows.keys():
                self._search.renew()

    def _looked_up(self) -> Generator[None, None, dict[str, int]]:
        missing = self._marks.keys() - self._rows.keys()
        found: dict[str, int] = {}
        row = self._session.first
        while row < self._session.end and len(found) < len(missing):
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
                offset, number = self._place(row)
                self._marks[event] = replace(mark, offset=offset, number=number)
                self._rows[event] = row
        self._show()
        self._awaited.rows_changed()

    def _event(self, row: int) -> str:
        return str(self._session.activity(row).first.id)

    def _place(self, row: int) -> tuple[int, int]:
        session = self._session
        if not isinstance(session, LogRows):
            return row, 0
        offset = session.source(row).offset
        first = row
        while first > session.first and session.source(first - 1).offset == offset:
            first -= 1
        return offset, row - first

    def _row_at(self, mark: Bookmark) -> int | None:
        """Give the row at the place of a bookmark; None when it is not known yet."""
        session = self._session
        if not isinstance(session, LogRows):
            row = mark.offset
        else:
            first = first_of_record(session, mark.offset)
            row = None if first is None else first + mark.number
        return row if row is not None and session.first <= row < session.end else None


def first_of_record(rows: LogRows, byte: int) -> int | None:
    """Give the first row of the record that holds a byte; None when it is not known yet."""
    row = rows.row_at_offset(byte)
    if row is None:
        return None
    offset = rows.source(row).offset
    while row > rows.first and rows.source(row - 1).offset == offset:
        row -= 1
    return row
