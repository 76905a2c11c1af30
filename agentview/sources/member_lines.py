"""Sessions that are no files of lines, read as lines: kept in files without names that grow."""

import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from threading import Lock
from typing import IO

from agentview.sources.line_splitter import Line
from agentview.sources.row_places import RowPlaces
from agentview.system import platforms

NEWEST = 1 << 40
"""Where the lines begin that are given before all records are read: no log has so many bytes."""


class MemberLines(ABC):
    """The lines of one session, in a file without a name that grows as records are written."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as this object)
        self.whole = False
        """Whether it is known where all lines are, and what they are."""
        self.newest: IO[bytes] | None = None
        """The lines that were given before that, from the byte `NEWEST` on."""
        self.restored_end: int | None = None
        """The byte up to which the lines were restored."""
        self.digest = b""
        """That of all bytes up to there."""
        self._given: list[Line] = []
        self._reading_newest = Lock()
        self._size = 0

    @property
    def at_hand(self) -> bool:
        return self.whole

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

    def fill(self, start: int, length: int | None) -> bool:
        """Have bytes of the lines in the file, up to its end without a length.

        False when they can no longer be read: all is to be read again. Raises Unreadable.
        """
        _ = start, length
        return True

    def restore(self, places: RowPlaces, digest: bytes) -> None:
        """Have the lines that were at these places, without reading them, if they are there yet.

        `digest` is that of their bytes.
        """
        _ = places, digest

    def places(self, end: int) -> RowPlaces | None:
        """The places of the lines up to byte `end`, for `restore`; None where none can be kept."""
        _ = end
        return None

    def start_of_last(self, most: int, size: int) -> int:
        """A byte from which on the last lines are, at most so many and so many bytes.

        What comes before it need not be read for them.
        """
        _ = most, size
        return 0

    def read_newest(self, most: int, size: int) -> list[Line]:
        """The last lines, with their places behind `NEWEST`."""
        with self._reading_newest:
            if self.newest is None:
                found = self.last_lines(most, size)
                newest = tempfile.TemporaryFile()  # noqa: SIM115
                at = NEWEST
                for line in found:
                    self._given.append(Line(at, len(line), line))
                    at += platforms.write_at(newest.fileno(), line + b"\n", at)
                self.newest = newest
            return list(self._given)

    def write(self, piece: Sequence[bytes]) -> None:
        """Add bytes behind those that were written before."""
        data = b"".join(piece)
        self.write_at(data, self._size)
        self._size += len(data)

    def write_at(self, data: bytes, at: int) -> None:
        """Write bytes from the byte `at` on."""
        left = memoryview(data)
        while left:
            written = platforms.write_at(self.file.fileno(), left, at)
            left, at = left[written:], at + written
