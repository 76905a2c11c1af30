"""Brings the index up to date: the newest logs first, of grown ones only what is new.

What was read is kept from time to time with the byte that was reached, so that a builder that was
killed continues there. Only one builder works at a time; others leave it to that one.
"""

import contextlib
import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.file_writing import make_private
from agentview.providers import load_provider
from agentview.search.document_builder import DocumentBuilder
from agentview.search.documents import Document
from agentview.search.fts_index import Log, SearchIndex, has_fts, is_damage, remove_index
from agentview.search.reading import before, records, sample_before
from agentview.sources.member import LogStatus, log_stat
from agentview.sources.open_file import open_file
from agentview.store.decode_line import decode_line

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


def _rebuild(
    path: Path, refs: Sequence[SessionRef], whole: Progress, stopped: Callable[[], bool]
) -> Iterator[Progress]:
    """Update the index; build it again if the file is not an index."""
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
    """Whether no other process builds; none can begin to as long as this lasts."""
    lock_file = Path(f"{path}.lock")
    make_private(lock_file)
    lock = os.open(lock_file, os.O_RDWR | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True
    finally:
        os.close(lock)


def _build(
    path: Path, refs: Sequence[SessionRef], whole: Progress, stopped: Callable[[], bool]
) -> Iterator[Progress]:
    index = SearchIndex.create(path)
    try:
        kept, given = index.counts()
        if given - kept > max(_LEAST_WASTED, given * _MOST_WASTE):
            index.close()
            remove_index(path)
            index = SearchIndex.create(path)
        known = index.logs()
        writer = _Writer(index, stopped)
        done = 0
        for number, ref in enumerate(refs, 1):
            if stopped():
                break
            for reached in writer.update(ref, known.get(ref.path)):
                yield Progress(number - 1, len(refs), done + reached, whole.all_bytes)
            done += ref.size or 0
            yield Progress(number, len(refs), done, whole.all_bytes)
        writer.keep()
    finally:
        index.close()


class _Writer:
    """Puts logs into the index, several small ones at a time."""

    def __init__(self, index: SearchIndex, stopped: Callable[[], bool]) -> None:
        self._index = index
        self._stopped = stopped
        self._due = 0.0

    def update(self, ref: SessionRef, known: Log | None) -> Iterator[int]:
        """Put what is new of a log into the index; gives from time to time the byte reached."""
        try:
            status = log_stat(ref.path)
            settled = time.time() - status.st_mtime > SETTLED
            if known is not None and _is_current(known, status, settled=settled):
                return
            fd, content = open_file(Path(ref.path))
        except (OSError, AgentViewError):
            return
        try:
            self._begin()
            if known is not None and not continues(known, fd, content.st_size):
                self._index.forget(known.id)
                known = None
            log = self._index.put_log(_log(ref, status, content.st_size, known))
            yield from self._read(ref, fd, log, settled=settled)
            if time.monotonic() > self._due:
                self.keep()
        except AgentViewError:
            # What was read before the file was cut, or became unreadable, stands.
            return
        finally:
            os.close(fd)

    def keep(self) -> None:
        """Keep what was read so far."""
        if self._index.writing:
            self._index.commit()

    def _begin(self) -> None:
        if not self._index.writing:
            self._index.begin()
            self._due = time.monotonic() + _COMMIT_SECONDS

    def _read(self, ref: SessionRef, fd: int, log: Log, *, settled: bool) -> Iterator[int]:
        provider = load_provider(ref.provider)
        gathering, ready = DocumentBuilder(provider, log.done), list[Document]()
        at = log.done
        for item in records(provider, fd, before(fd, at), log.reached, torn=settled):
            if isinstance(item, int):
                at = max(at, item)
                if self._stopped() or time.monotonic() > self._due or at - log.done > _COMMIT_BYTES:
                    log = self._put(log, fd, at, gathering, ready)
                    self.keep()
                    yield at
                    if self._stopped():
                        return
                    self._begin()
                continue
            if item.data is None and item.offset >= log.done:
                log = log._replace(unread=log.unread + 1)
            events = decode_line(provider, ref, item)
            ready += gathering.feed(events, item.offset, item.length)
        if settled:
            at = log.reached
            ready += gathering.give_up(at + 1)
        # What is yet to come may take the place of what can be replaced.
        young = [] if settled else [each.place[0] for each in ready if each.key is not None]
        keep = next((place for place in sorted(young) if place > at - _HELD_BYTES), at)
        self._put(log, fd, at, gathering, ready, keep)

    def _put(
        self,
        log: Log,
        fd: int,
        at: int,
        gathering: DocumentBuilder,
        ready: list[Document],
        keep: int | None = None,
    ) -> Log:
        """Put what is complete into the index, up to a byte across which nothing is joined.

        What begins at byte `keep` or behind it is left for the next time.
        """
        ready += gathering.give_up(at - _HELD_BYTES)
        cut = min([at if keep is None else keep, *(held.place[0] for held in gathering.held())])
        while crossing := [each.place[0] for each in ready if each.place[0] < cut <= each.last]:
            cut = min(crossing)
        self._index.put(log.id, [each for each in ready if each.place[0] < cut])
        ready[:] = [each for each in ready if each.place[0] >= cut]
        if cut <= log.done:
            return log
        return self._index.put_log(log._replace(done=cut, sample=sample_before(fd, cut)))


def _log(ref: SessionRef, status: LogStatus, end: int, known: Log | None) -> Log:
    log = known or Log(0, ref.path, 0, 0, 0, 0, 0, 0, b"", 0)
    return log._replace(
        device=status.st_dev,
        inode=status.st_ino,
        size=status.st_size,
        modified=status.st_mtime_ns,
        reached=end,
    )


def _is_current(log: Log, status: LogStatus, *, settled: bool) -> bool:
    """Whether nothing is to be read: it is as it was, and what was held back is still young."""
    return is_unchanged(log, status) and (log.done == log.reached or not settled)


def is_unchanged(log: Log, status: LogStatus) -> bool:
    """Whether a log is the file that it was when the index last saw it."""
    now = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    return now == (log.device, log.inode, log.size, log.modified)


def continues(log: Log, fd: int, end: int) -> bool:
    """Whether what the index holds of a log still stands at its beginning."""
    if log.done == 0:
        return True
    return end >= log.done and sample_before(fd, log.done) == log.sample
