"""A page file: numbered pages of bytes in a nameless file, for what memory is too dear for."""

import os
from pathlib import Path
from weakref import finalize

_DIRECTORIES = ("/var/tmp", "/tmp")  # noqa: S108  (the file has no name there)


class PageFile:
    """Pages of `size` bytes; nobody else can open the file, and it goes with the process.

    Raises OSError when there is no room for it, at its making or at a write.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._fd = _nameless()
        finalize(self, os.close, self._fd)

    def read(self, number: int) -> bytes:
        """The bytes of a page that was written."""
        return os.pread(self._fd, self._size, number * self._size)

    def write(self, number: int, data: bytes) -> None:
        """Write a page anew; fewer bytes than its size are filled up."""
        os.pwrite(self._fd, data.ljust(self._size, b"\0"), number * self._size)


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
