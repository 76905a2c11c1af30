"""A page file: numbered pages of bytes in a nameless file, for what memory is too dear for."""

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from weakref import finalize

_DIRECTORIES = ("/var/tmp", "/tmp")  # noqa: S108  (the file has no name there)


PAGE = 4096
"""Bytes of a page."""


class PageFile:
    """Pages of bytes; nobody else can open the file, and it goes with the process.

    Raises OSError when there is no room for it, at its making or at a write.
    """

    def __init__(self) -> None:
        self._fd = _nameless()
        self._count = 0
        self._free: list[int] = []
        finalize(self, os.close, self._fd)

    def take(self) -> int:
        """Number of a page that nobody uses."""
        if self._free:
            return self._free.pop()
        self._count += 1
        return self._count - 1

    def give_back(self, numbers: Iterable[int]) -> None:
        """Let others use these pages."""
        self._free.extend(numbers)

    def read(self, number: int) -> bytes:
        """The bytes of a page that was written."""
        return os.pread(self._fd, PAGE, number * PAGE)

    def write(self, number: int, data: bytes) -> None:
        """Write a page anew; fewer bytes than its size are filled up."""
        os.pwrite(self._fd, data.ljust(PAGE, b"\0"), number * PAGE)


@cache
def shared_pages() -> PageFile | None:
    """The page file of this process; None where none can be made."""
    try:
        return PageFile()
    except OSError:
        return None


def _nameless() -> int:
    places = (os.environ.get("TMPDIR"), *_DIRECTORIES)
    refused: OSError | None = None
    for place in filter(None, places):
        path = Path(place) / f"agentview-{os.urandom(8).hex()}"
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            refused = error
        else:
            path.unlink()
            return fd
    raise refused or OSError("no directory for temporary files")
