"""Follows one file that grows by lines, and says so when it did something else than grow."""

import json
import os
from pathlib import Path
from typing import Protocol

import orjson

from agentview.domain.value import Value
from agentview.errors import NotFound
from agentview.sources.line_splitter import DEFAULT_LIMIT, Account, Line, LineSplitter
from agentview.sources.open_file import open_file, read_span
from agentview.sources.resume_point import ResetReason, ResumePoint, take_mark

READ_SIZE = 1024 * 1024
"""Bytes read at a time, so that a burst does not hold the event loop."""


class Reset(Value):
    """All lines given before are void; what follows is read from the start of the file."""

    reason: ResetReason


Item = Line | Reset


class Chunk(Value):
    """Result of one poll.

    `more` is True when the file holds further bytes; `missing` when no file is there, in which case
    the lines given before stand until it comes back; `unsettled` when it looks half-written: poll
    again soon then, also when no change is reported.
    """

    items: list[Item]
    more: bool = False
    missing: bool = False
    unsettled: bool = False


class LogReader(Protocol):
    """Gives the records of one file, each once, as they come."""

    def move(self, path: Path) -> None: ...

    def poll(self, max_bytes: int = READ_SIZE) -> Chunk:
        """Read what is new. Raises Unreadable when the file is there but cannot be read."""
        ...

    def finish(self) -> list[Line]:
        """Give a last record that is whole, though nothing behind it says so."""
        ...

    def finish_torn(self) -> list[Line]:
        """Give a last record whatever it holds."""
        ...


class LineReader:
    """The lines of one file, each given once, in order, and only when whole.

    The file is opened for each poll and closed again: hundreds of sessions may be followed at once,
    and a descriptor that stays open would keep a deleted file on the disk. `mark` continues where
    `tail_lines` ended; records above `limit` bytes become stubs.
    """

    def __init__(
        self, path: Path, *, mark: ResumePoint | None = None, limit: int = DEFAULT_LIMIT
    ) -> None:
        self.path = path
        self._limit = limit
        self._mark = mark
        self._missing = False
        self._start = 0 if mark is None else mark.position
        self._splitter = LineSplitter(self._start, limit)

    def move(self, path: Path) -> None:
        """Continue at another path: without a reset where it is the same file."""
        self.path = path
        self._missing = False

    @property
    def position(self) -> int:
        """Offset behind the last byte read."""
        return 0 if self._mark is None else self._mark.position

    @property
    def start(self) -> int:
        """Offset at which reading began: where the mark was, 0 without one or after a reset."""
        return self._start

    @property
    def account(self) -> Account:
        """Where each byte from `start` to `position` went."""
        return self._splitter.account

    def poll(self, max_bytes: int = READ_SIZE) -> Chunk:
        """Read what was appended, `max_bytes` at most.

        Raises Unreadable when the file is there but cannot be read; polling may go on afterwards.
        """
        try:
            fd, status = open_file(self.path, start=0 if self._missing else self.position)
        except NotFound:
            self._missing = True
            return Chunk([], missing=True)
        try:
            items: list[Item] = []
            mark = self._continue(fd, status, items)
            piece = read_span(fd, mark.position, min(max_bytes, status.st_size - mark.position))
            # Bytes that were rewritten after the check above must not be glued to older ones.
            if (reason := mark.broken(fd, os.fstat(fd))) is not None:
                self._restart(reason, items)
                mark, piece = take_mark(fd, status, 0), b""
            self._mark = mark.advance(piece)
            items.extend(self._splitter.feed(piece))
            more = self._mark.position < os.fstat(fd).st_size
        finally:
            os.close(fd)
        return Chunk(items, more=more)

    def finish(self) -> list[Line]:
        """Give the last line without its newline, if it is a whole JSON object or array.

        For a caller that knows the writer to be done, or that opens a past session; poll to the end
        first. Reading may go on: a newline does not give the line again, and further text gives it
        again, at the same offset, with `replaces` set.
        """
        line = self._splitter.finish(is_json)
        return [] if line is None else [line]

    def finish_torn(self) -> list[Line]:
        """Give the last line without its newline whatever it holds, to be shown as torn."""
        line = self._splitter.finish()
        return [] if line is None else [line]

    def _continue(self, fd: int, status: os.stat_result, items: list[Item]) -> ResumePoint:
        mark, was_missing = self._mark, self._missing
        self._missing = False
        if mark is not None and mark.position > 0:
            reason = ResetReason.RECREATED if was_missing else mark.broken(fd, status)
            if reason is None:
                return mark
            self._restart(reason, items)
        return take_mark(fd, status, 0)

    def _restart(self, reason: ResetReason, items: list[Item]) -> None:
        items[:] = [Reset(reason)]
        self._start = 0
        self._splitter = LineSplitter(0, self._limit)


def is_json(data: bytes) -> bool:
    """Say whether the bytes are a whole JSON object or array, lone surrogates and all."""
    # A cut number is still a number, so a bare value never proves that the line is whole.
    if data.strip()[-1:] not in {b"}", b"]"}:
        return False
    try:
        orjson.loads(data)
    except ValueError:
        return _is_lenient_json(data)
    return True


def _is_lenient_json(data: bytes) -> bool:
    try:
        json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return True
