"""Annotations of the open session, read and written in a thread, one step after another."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from agentview.domain.session import SessionRef
from agentview.sessions.annotations.session_file import AnnotationsNotSaved, Fields, SessionFile
from agentview.ui.on_loop import on_loop
from agentview.ui.widgets.status_line import StatusLine

Take = Callable[[Fields | None], None]
"""Takes what the file says; None when it could not be read or written."""


class AnnotationFile:
    """The file of one session. What it says goes to `takers` once all steps are done."""

    def __init__(self, ref: SessionRef, status: StatusLine) -> None:
        self.file = SessionFile(ref.provider, ref.session_id)
        self.takers: list[Take] = []
        self._status = status
        self._thread: ThreadPoolExecutor | None = None
        self._unfinished = 0

    def load(self) -> None:
        self.submit(self.file.read)

    def submit(self, step: Callable[[], Fields], *, quiet: bool = False) -> None:
        """Do a step after those before it; a failure is said, unless `quiet`."""

        def take(done: Future[Fields]) -> None:
            self._take(done, quiet)

        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "annotations")
        self._unfinished += 1
        self._thread.submit(step).add_done_callback(on_loop(take))

    def close(self) -> None:
        """Take no more steps; those that were asked for are still done."""
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None

    def _take(self, done: Future[Fields], quiet: bool) -> None:
        self._unfinished -= 1
        error = done.exception()
        if isinstance(error, AnnotationsNotSaved):
            if not quiet:
                self._status.say(f"not saved: {error.message}", lasting=True)
            self._notify(None)
            return
        if self.file.set_aside is not None:
            place = self.file.set_aside
            self._status.say(f"damaged bookmarks and notes were moved to {place}", lasting=True)
            self.file.set_aside = None
        if not self._unfinished:
            self._notify(done.result())

    def _notify(self, fields: Fields | None) -> None:
        for take in self.takers:
            take(fields)
