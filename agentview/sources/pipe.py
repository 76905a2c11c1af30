"""Reads whole lines from a pipe while they come, and spools the bytes to be read again."""

import os
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from agentview.errors import Unreadable
from agentview.sources.line_splitter import DEFAULT_LIMIT, Account, Line, LineSplitter
from agentview.sources.open_file import read_at
from agentview.system import platforms

_READ_SIZE = 256 * 1024


class PipeReader:
    """The lines of a pipe, socket, terminal or file that is open as `fd`.

    What was read is spooled to a private temporary file at `path`, in which the offsets of the
    lines hold; `close` deletes it, as does the end of the program. `tee` gets all bytes unchanged
    before their lines are given; it runs on the event loop. When it raises OSError, as on a closed
    pipe, it gets no more and `tee_error` says why. `fd` is never written to, closed, or made
    non-blocking. Raises Unreadable when `fd` is closed.
    """

    def __init__(
        self,
        fd: int = 0,
        *,
        limit: int = DEFAULT_LIMIT,
        tee: Callable[[bytes], None] | None = None,
        directory: Path | None = None,
    ) -> None:
        # Else the spool itself could be opened under the number of an input that is closed.
        _check_open(fd)
        self._fd = fd
        self._splitter = LineSplitter(0, limit)
        self._tee = tee
        self._spooled = 0
        self._spool_error: str | None = None
        self.tee_error: OSError | None = None
        self._spool = tempfile.NamedTemporaryFile(  # noqa: SIM115  (closed by close)
            prefix="agentview-", suffix=".jsonl", dir=directory, buffering=0
        )

    @property
    def path(self) -> Path:
        return Path(self._spool.name)

    @property
    def account(self) -> Account:
        return self._splitter.account

    async def batches(self) -> AsyncIterator[list[Line]]:
        """Give the lines as they come, those of one read together, until the other end closes.

        At the end the last line is given also without its newline, whatever it holds. Raises
        Unreadable when `fd` cannot be read.
        """
        while piece := await self._read():
            self._keep(piece)
            lines = self._splitter.feed(piece)
            if lines:
                yield lines
        last = self._splitter.finish()
        if last is not None:
            yield [last]

    def read_at(self, offset: int, length: int) -> bytes:
        """Read a record again by its place.

        Raises Unreadable when the spool could not be written that far, NotFound once closed.
        """
        if self._spool_error is not None and offset + length > self._spooled:
            raise Unreadable(f"These bytes were not saved: {self._spool_error}.")
        return read_at(self.path, offset, length)

    def close(self) -> None:
        """Delete the spool file."""
        self._spool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def _read(self) -> bytes:
        try:
            await platforms.wait_readable(self._fd)
            return os.read(self._fd, _READ_SIZE)
        except OSError as error:
            raise Unreadable(f"Cannot read the input: {error.strerror}.") from error

    def _keep(self, piece: bytes) -> None:
        if self._tee is not None:
            try:
                self._tee(piece)
            except OSError as error:
                self.tee_error = error
                self._tee = None
        if self._spool_error is not None:
            return
        try:
            view = memoryview(piece)
            while view:
                written = self._spool.write(view)
                self._spooled += written
                view = view[written:]
        except OSError as error:
            self._spool_error = error.strerror or str(error)


def _check_open(fd: int) -> None:
    try:
        os.fstat(fd)
    except OSError as error:
        raise Unreadable("The input is closed.", "Pipe something into it.") from error
