"""Brings the index up to date: the newest logs first, of grown ones only what is new.

What was read is kept from time to time with the byte that was reached, so that a builder that was
killed continues there. Only one builder works at a time; others leave it to that one.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from agentview.domain.events import Event
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.facts.kept.indexed_log import IndexedLog
from agentview.facts.search.document_builder import DocumentBuilder
from agentview.facts.search.documents import Document
from agentview.facts.search.fts_index import Log, SearchIndex, has_fts, is_damage, remove_index
from agentview.facts.search.reading import before, records, sample_before
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.sources.line_splitter import Line
from agentview.sources.member import LogStatus, last_write, log_stat
from agentview.sources.open_file import open_file
from agentview.system import platforms
from agentview.system.file_writing import make_private
from agentview.timeline.rows.reading import decode_line

WriteFailed = sqlite3.Error
"""Raised where the file of the index does not do as it should."""

SETTLED = 600.0
"""Seconds without a change after which nothing more is expected of a log."""

_COMMIT_BYTES = 16 * 1024 * 1024
_COMMIT_SECONDS = 2.0
_HELD_BYTES = 1024 * 1024
"""How far behind what was read something may be held back that is not complete."""

_MOST_WASTE = 0.5
_LEAST_WASTED = 50_000


class Progress(Value):
    """How far the index is: logs and bytes that are in it, of all that there are."""

    logs: int
    all_logs: int
    bytes: int
    all_bytes: int
    trouble: str | None = None
    """Why it cannot be brought further, in a sentence; the last one."""


def build_index(
    path: Path, refs: Sequence[SessionRef], stopped: Callable[[], bool] = lambda: False
) -> Iterator[Progress]:
    """Bring the index at `path` up to date for logs given newest first; ends soon after `stopped`.

    Never raises for a damaged or unwritable index: the last progress reports it. It yields nothing
    when another process is building.
    """
    whole = Progress(0, len(refs), 0, sum(ref.size or 0 for ref in refs))
    if not has_fts():
        yield _troubled(whole, "this SQLite has no full-text search")
        return
    try:
        with _alone(path) as alone:
            if alone:
                yield from _rebuild(path, refs, whole, stopped)
    except sqlite3.Error as error:
        yield _troubled(whole, str(error))
    except OSError as error:
        yield _troubled(whole, error.strerror or str(error))


@contextlib.contextmanager
def writing_alone(path: Path, stopped: Callable[[], bool]) -> Generator["IndexWriter | None"]:
    """A writer of the index at `path`; None where another process builds, or nothing can be kept.

    What it raises while it is used is raised by this, too.
    """
    with contextlib.ExitStack() as stack:
        writer = None
        with contextlib.suppress(sqlite3.Error, OSError):
            if has_fts() and stack.enter_context(_alone(path)):
                writer = stack.enter_context(_writer(path, stopped))
        yield writer


def _writer(path: Path, stopped: Callable[[], bool]) -> "IndexWriter":
    """A writer, of a new index where the file is none. Raises sqlite3.Error and OSError."""
    try:
        return IndexWriter(path, stopped)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
    remove_index(path)
    return IndexWriter(path, stopped)


def _rebuild(
    path: Path, refs: Sequence[SessionRef], whole: Progress, stopped: Callable[[], bool]
) -> Iterator[Progress]:
    try:
        yield from _build(path, refs, whole, stopped)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        remove_index(path)
        yield from _build(path, refs, whole, stopped)


def discard_index(path: Path) -> None:
    """Remove an index that turned out not to be one, unless another process works on it."""
    with contextlib.suppress(OSError), _alone(path) as alone:
        if alone:
            remove_index(path)


def _troubled(progress: Progress, reason: str) -> Progress:
    sentence = f"the index cannot be brought up to date: {reason}"
    return Progress(progress.logs, progress.all_logs, progress.bytes, progress.all_bytes, sentence)


@contextlib.contextmanager
def _alone(path: Path) -> Generator[bool]:
    """Return True if no other process builds; none can begin to as long as this lasts."""
    lock_file = Path(f"{path}.lock")
    make_private(lock_file)
    lock = os.open(lock_file, os.O_RDWR | platforms.CLOSE_ON_EXEC)
    try:
        try:
            platforms.lock(lock)
        except OSError:
            yield False
            return
        yield True
    finally:
        os.close(lock)


def _build(
    path: Path, refs: Sequence[SessionRef], whole: Progress, stopped: Callable[[], bool]
) -> Iterator[Progress]:
    with IndexWriter(path, stopped) as writer:
        writer.forget_gone()
        done = 0
        for number, ref in enumerate(refs, 1):
            if stopped():
                break
            for reached in writer.update(ref):
                yield Progress(number - 1, len(refs), done + reached, whole.all_bytes)
            done += ref.size or 0
            yield Progress(number, len(refs), done, whole.all_bytes)


class IndexWriter:
    """Puts logs into an index, several small ones at a time. One process may do it at a time.

    All methods raise `sqlite3.Error` where the file does not do as it should.
    """

    def __init__(self, path: Path, stopped: Callable[[], bool]) -> None:
        """Raises OSError too, when the file cannot be written."""
        self.stopped = stopped
        self._index = SearchIndex.create(path)
        try:
            kept, given = self._index.counts()
            if given - kept > max(_LEAST_WASTED, given * _MOST_WASTE):
                self._index.close()
                remove_index(path)
                self._index = SearchIndex.create(path)
            self._known = dict(self._index.logs())
        except sqlite3.Error:
            self._index.close()
            raise
        self._due = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None or kind is GeneratorExit:
                self.keep()
        finally:
            self._index.close()

    def forget_gone(self) -> None:
        """Forget logs that are there no longer, until it is to stop."""
        gone = (log for log in tuple(self._known.values()) if last_write(log.path) is None)
        for log in gone:
            if self.stopped():
                return
            self._begin()
            self._index.forget(log.id)
            del self._known[log.path]

    def update(self, ref: SessionRef) -> Iterator[int]:
        """Put what is new of a log into the index; gives from time to time the byte reached."""
        documents = self.documents(ref)
        if documents is None:
            return
        with documents, contextlib.suppress(AgentViewError), reading(ref, WriteFailed):
            # What was read before the file was cut, or became unreadable, stands.
            with IndexedLog(ref, documents) as log:
                log.skip_kept()
                more = True
                while more and not self.stopped():
                    more = log.poll().more
                    if documents.keep_from_time_to_time():
                        yield documents.at
                if more:
                    documents.keep()
                    return
                log.finish()
                log.finish_torn()
            documents.finish()

    def documents(self, ref: SessionRef) -> "LogDocuments | None":
        """The consumer of a log's records; None where the index has them, or it is not there."""
        known = self._known.get(ref.path)
        status = _status_if_read(ref.path, known)
        if status is None:
            return None
        try:
            fd, content = open_file(Path(ref.path))
        except (OSError, AgentViewError):
            return None
        try:
            self._begin()
            if known is not None and not continues(known, fd, content.st_size):
                self._index.forget(known.id)
                del self._known[ref.path]
                known = None
            log = self._index.put_log(_log(ref, status, content.st_size, known))
        except BaseException:
            os.close(fd)
            raise
        return LogDocuments(self, ref, fd, log, settled=_is_settled(status))

    def put(self, log: Log, documents: Sequence[Document]) -> Log:
        """Put documents of a log into the index, and what is known of it."""
        self._begin()
        self._index.put(log.id, documents)
        put = self._known[log.path] = self._index.put_log(log)
        return put

    @property
    def is_due(self) -> bool:
        return self._index.writing and time.monotonic() > self._due

    def keep(self) -> None:
        if self._index.writing:
            self._index.commit()

    def _begin(self) -> None:
        if not self._index.writing:
            self._index.begin()
            self._due = time.monotonic() + _COMMIT_SECONDS


class LogDocuments:
    """Makes documents of the records of one log, which somebody reads, and puts them into an index.

    What lies before the first record that is given is read here. `at` is the byte that was reached.
    """

    def __init__(
        self, writer: IndexWriter, ref: SessionRef, fd: int, log: Log, *, settled: bool
    ) -> None:
        """`fd` is the open log, which is closed by `close`; `settled`: nobody writes any more."""
        self._writer, self._ref, self._fd, self._log = writer, ref, fd, log
        self._settled = settled
        self._provider = load_provider(ref.provider)
        self._builder = DocumentBuilder(self._provider, log.done)
        self._ready: list[Document] = []
        self._begun = self._is_void = False
        self._first = before(fd, log.done)
        """Records before this byte say nothing that is needed."""
        self._put_at = self.at = log.done

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def begin(self, at: int | None) -> None:
        """Read what comes before byte `at`, or all. What was taken of another log is dropped."""
        if self._begun:
            self._is_void = self._is_void or self.at > 0
            return
        self._begun = True
        end = self._log.reached if at is None else at
        if end <= self._first:
            return
        for item in records(self._provider, self._fd, self._first, end, torn=False):
            if isinstance(item, int):
                self.reached(item)
                self.keep_from_time_to_time()
                if self._writer.stopped():
                    self.keep()
                    self._is_void = True
                    return
            elif item.offset < end:
                self.take(item, decode_line(self._provider, self._ref, item))

    def take(self, line: Line, events: Sequence[Event]) -> None:
        """Take the events of a record."""
        if self._is_void or line.offset < self._first:
            return
        if line.data is None and line.offset >= self._log.done:
            self._log = replace(self._log, unread=self._log.unread + 1)
        self._ready += self._builder.feed(events, line.offset, line.length)

    def take_torn(self, line: Line, events: Sequence[Event]) -> None:
        if self._settled:
            self.take(line, events)

    def reached(self, at: int | None) -> None:
        """All records up to a byte were given; None: all of a log that is read as a whole."""
        self.at = max(self.at, self._log.reached if at is None else at)

    def keep_from_time_to_time(self) -> bool:
        """Keep what was taken, if it is much or long ago; whether it is kept."""
        if self._is_void or not (self._writer.is_due or self.at - self._put_at > _COMMIT_BYTES):
            return False
        self.keep()
        return True

    def keep(self) -> None:
        if not self._is_void:
            self._put(self.at)
            self._writer.keep()

    def finish(self) -> None:
        """Put what is left into the index: the log was read to its end."""
        if not self._begun:
            self.begin(None)
        if self._is_void:
            return
        if self._settled:
            self.at = max(self.at, self._log.reached)
            self._log = replace(self._log, reached=self.at)
            self._ready += self._builder.give_up(self.at + 1)
        # What is yet to come may take the place of what can be replaced.
        again = [] if self._settled else [each for each in self._ready if each.key is not None]
        young = [each.place[0] for each in again]
        keep = next((place for place in sorted(young) if place > self.at - _HELD_BYTES), self.at)
        self._put(keep)
        if self._writer.is_due:
            self._writer.keep()

    def _put(self, keep: int) -> None:
        """Put what is complete into the index, up to a byte across which nothing is joined.

        What begins at byte `keep` or behind it is left for the next time.
        """
        ready = self._ready
        ready += self._builder.give_up(self.at - _HELD_BYTES)
        cut = min([keep, *(held.place[0] for held in self._builder.held())])
        while crossing := [each.place[0] for each in ready if each.place[0] < cut <= each.last]:
            cut = min(crossing)
        whole = [each for each in ready if each.place[0] < cut]
        ready[:] = [each for each in ready if each.place[0] >= cut]
        if cut > self._log.done:
            sample = sample_before(self._fd, cut)
            self._log = replace(self._log, done=cut, sample=sample)
        self._log = self._writer.put(self._log, whole)
        self._put_at = self.at


def _log(ref: SessionRef, status: LogStatus, end: int, known: Log | None) -> Log:
    log = known or Log(0, ref.path, 0, 0, 0, 0, 0, 0, b"", 0)
    return replace(
        log,
        device=status.st_dev,
        inode=status.st_ino,
        size=status.st_size,
        modified=status.st_mtime_ns,
        reached=end,
    )


def _status_if_read(path: str, known: Log | None) -> LogStatus | None:
    """Return the stat of a log; None where it is not there, or is known as it is."""
    try:
        status = log_stat(path)
    except OSError:
        return None
    current = known is not None and _is_current(known, status, settled=_is_settled(status))
    return None if current else status


def _is_settled(status: LogStatus) -> bool:
    return time.time() - status.st_mtime > SETTLED


def _is_current(log: Log, status: LogStatus, *, settled: bool) -> bool:
    return is_unchanged(log, status) and (log.done == log.reached or not settled)


def is_unchanged(log: Log, status: LogStatus) -> bool:
    """Return True if a log is the file that it was when the index last saw it."""
    now = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    return now == (log.device, log.inode, log.size, log.modified)


def continues(log: Log, fd: int, end: int) -> bool:
    """Return True if what the index holds of a log still stands at its beginning."""
    if log.done == 0:
        return True
    return end >= log.done and sample_before(fd, log.done) == log.sample
