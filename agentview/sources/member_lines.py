"""Sessions that are no files of lines, read as lines: kept in files without names that grow."""

import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from threading import Lock
from typing import IO

from agentview.sources.line_splitter import Line

NEWEST = 1 << 40
"""Where the lines begin that are given before all records are read: no log has so many bytes."""


class MemberLines(ABC):
    """The lines of one session, in a file without a name that grows as records are written."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as this object)
        self.whole = False
        """Whether all records were read, at least once."""
        self.newest: IO[bytes] | None = None
        """The lines that were given before that, from the byte `NEWEST` on."""
        self._given: list[Line] = []
        self._reading_newest = Lock()
        self._size = 0

    @abstractmethod
    def refresh(self) -> bool:
        """Add what was written since; False when records are gone: all is to be read again."""

    @abstractmethod
    def last_lines(self, most: int, size: int) -> list[bytes]:
        """The last records alone, if finding them takes no longer than a screen may wait.

        Raises NotFound and Unreadable.
        """

    def early_line(self) -> bytes:
        """A record that says what kind of session it is, before all are read; empty where none is.

        Raises Unreadable.
        """
        return b""

    def ends(self, most: int, size: int) -> tuple[list[bytes], list[bytes]] | None:
        """The first records and the last ones; None where all are to be read for them.

        Raises NotFound and Unreadable.
        """
        _ = most, size
        return None

    def read_newest(self, most: int, size: int) -> list[Line]:
        """The last lines, with their places behind `NEWEST`."""
        with self._reading_newest:
            if self.newest is None:
                found = self.last_lines(most, size)
                newest = tempfile.TemporaryFile()  # noqa: SIM115
                at = NEWEST
                for line in found:
                    self._given.append(Line(at, len(line), line))
                    at += os.pwrite(newest.fileno(), line + b"\n", at)
                self.newest = newest
            return list(self._given)

    def write(self, piece: Sequence[bytes]) -> None:
        """Add bytes behind those that were written before."""
        data = memoryview(b"".join(piece))
        while data:
            written = os.pwrite(self.file.fileno(), data, self._size)
            self._size += written
            data = data[written:]
