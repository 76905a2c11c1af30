"""Unpacks compressed files into files without names, which the system removes with their reader.

A compressed file cannot be read from the middle, so all of it is unpacked once; the last ones stay,
and when such a file has become longer, only the rest is unpacked.
A zstd frame in memory, such as a packed value of a database, is unpacked to bytes.
"""

import os
import stat
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import BinaryIO

from agentview.errors import Unreadable
from agentview.system import platforms

MAGIC = b"\x28\xb5\x2f\xfd"
"""How a zstd frame begins."""

LARGEST = 8 * 1024 * 1024 * 1024
_PIECE = 1024 * 1024
_ALWAYS = 64 * 1024 * 1024
"""Bytes that any file may hold."""
_RATIO = 200
"""Times its own size that a file may hold: logs are packed 5 to 50 times."""
_LEFT = 256 * 1024 * 1024
"""Bytes that unpacking leaves free on the disk of temporary files."""
_KEPT = 8
"""Unpacked files that stay open."""

_SAMPLE = 4096
"""Bytes at the end of a packed file by which it is known that it has only become longer."""

_unpacked: "OrderedDict[tuple[int, int], _Copy]" = OrderedDict()
_lock = threading.Lock()


def unpack_frame(fd: int, path: str, most: int | None = None) -> int:
    """A descriptor of what the open file holds, in its place: `fd` itself unless it is compressed.

    Of one that was cut it is what is there. Raises Unreadable when it is damaged, holds more than
    `most` bytes, by default far more than a log does, or does not fit on the disk of temporary
    files; `fd` is closed then.
    """
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode) or platforms.read_at(fd, len(MAGIC), 0) != MAGIC:
        return fd
    try:
        with _lock:
            # Another thread may have seen the file grow meanwhile.
            status = os.fstat(fd)
            place = (status.st_dev, status.st_ino)
            copy = _copy_of(place, fd, status)
            most = most_unpacked(status.st_size) if most is None else most
            try:
                copy.take(fd, status, path, most)
            except (OSError, Unreadable):
                copy.close()
                raise
            _unpacked[place] = copy
            while len(_unpacked) > _KEPT:
                _unpacked.popitem(last=False)[1].close()
            return own_descriptor(copy.fd)
    except OSError as error:
        raise Unreadable(f"Cannot unpack {path}: {error.strerror}.") from error
    finally:
        os.close(fd)


def _copy_of(place: tuple[int, int], fd: int, status: os.stat_result) -> "_Copy":
    """The copy of a packed file as far as it was unpacked, an empty one where there is none."""
    known = _unpacked.pop(place, None)
    if known is not None and known.begins(fd, status):
        return known
    if known is not None:
        known.close()
    return _Copy()


def most_unpacked(size: int, largest: int = LARGEST) -> int:
    """Bytes that so many packed ones may hold: far more than those of a log do."""
    return min(largest, max(_ALWAYS, _RATIO * size))


def own_descriptor(fd: int) -> int:
    """A descriptor of the same file with a position of its own, to be closed by the caller."""
    try:
        return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | platforms.CLOSE_ON_EXEC)
    except OSError:
        # Not on Linux: the position is shared, so readers that need theirs begin at the start.
        other = os.dup(fd)
        os.lseek(other, 0, os.SEEK_SET)
        return other


def pieces(file: BinaryIO, size: int, name: str) -> Iterator[bytes]:
    """Return the content of a compressed file, in pieces of `size`. Raises Unreadable at damage."""
    # Hardly any log is compressed, and importing this takes longer than reading a small one.
    from agentview.system import zstd

    return _known(zstd.unpacked_pieces(file.read, size), name)


class _Copy:
    """The unpacked content of a file, in a temporary file that grows with it."""

    def __init__(self) -> None:
        from agentview.system import zstd

        with tempfile.TemporaryFile(prefix="agentview-") as file:
            self.fd = os.dup(file.fileno())
        self._frames = zstd.Frames()
        self._size = 0
        self._stamp = 0, 0
        self._tail = b""
        self._process = os.getpid()

    def close(self) -> None:
        """Give up the copy: who reads it has a descriptor of its own."""
        os.close(self.fd)

    def begins(self, fd: int, status: os.stat_result) -> bool:
        """Return True if the packed file is as it was, or has only become longer."""
        if (status.st_size, status.st_mtime_ns) == self._stamp:
            return True
        # A process that was forked shares the copy.
        if status.st_size <= self._stamp[0] or self._process != os.getpid():
            return False
        tail = self._tail
        return platforms.read_at(fd, len(tail), self._stamp[0] - len(tail)) == tail

    def take(self, fd: int, status: os.stat_result, path: str, most: int) -> None:
        """Unpack what the packed file has more. Raises OSError and Unreadable."""
        at, end = self._stamp[0], status.st_size

        def read(length: int) -> bytes:
            nonlocal at
            given = platforms.read_at(fd, min(length, end - at), at)
            at += len(given)
            self._tail = (self._tail + given)[-_SAMPLE:]
            return given

        for piece in _known(self._frames.pieces(read, _PIECE), path):
            if self._size + len(piece) > most:
                raise Unreadable(
                    f"{path} holds more than {most >> 20:,} MiB.", "Unpack it to read it."
                )
            _leave_room(path)
            left = memoryview(piece)
            while left:
                written = platforms.write_at(self.fd, left, self._size)
                left, self._size = left[written:], self._size + written
        self._stamp = at, status.st_mtime_ns


def _known(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    """The same pieces. Raises Unreadable at damage."""
    from agentview.system import zstd

    try:
        yield from pieces
    except zstd.ZstdError as error:
        raise Unreadable(f"{name} is damaged or cut: {error}.") from error


def _leave_room(path: str) -> None:
    """Raise Unreadable when the disk of temporary files is nearly full."""
    if platforms.free_bytes(tempfile.gettempdir()) < _LEFT:
        raise Unreadable(
            f"Cannot unpack {path}: the disk of temporary files is nearly full.",
            "Free some space there, or set TMPDIR to another disk.",
        )


def unpacked_frame(data: bytes, most: int) -> bytes:
    """Return the content of a zstd frame in memory; of one that is cut, the part that is there.

    Raises ValueError where it is none, cannot be read, or holds more than so many bytes.
    """
    if not data.startswith(MAGIC):
        raise ValueError("not a zstd frame")
    from agentview.system import zstd

    try:
        whole = zstd.unpacked(data, most + 1)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error
    if len(whole) > most:
        raise ValueError(f"a frame of more than {most:,} bytes")
    return whole
