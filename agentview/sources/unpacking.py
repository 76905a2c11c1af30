"""Unpacks compressed files into files without names, which the system removes with their reader.

A compressed file cannot be read from the middle, so all of it is unpacked once; the last ones stay.
A zstd frame in memory, such as a packed value of a database, is unpacked to bytes.
"""

import os
import stat
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from io import BufferedReader, FileIO
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
_KEPT = 4
"""Unpacked files that stay open."""

_Key = tuple[int, int, int, int]
_unpacked: OrderedDict[_Key, int] = OrderedDict()


def unpack_frame(fd: int, path: str, most: int | None = None) -> int:
    """A descriptor of what the open file holds, in its place: `fd` itself unless it is compressed.

    Of one that was cut it is what is there. Raises Unreadable when it is damaged, holds more than
    `most` bytes, by default far more than a log does, or does not fit on the disk of temporary
    files; `fd` is closed then.
    """
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode) or platforms.read_at(fd, len(MAGIC), 0) != MAGIC:
        return fd
    key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    if most is None:
        most = most_unpacked(status.st_size)
    try:
        if key not in _unpacked:
            _unpacked[key] = _unpack(fd, path, most)
            while len(_unpacked) > _KEPT:
                os.close(_unpacked.popitem(last=False)[1])
        _unpacked.move_to_end(key)
        return own_descriptor(_unpacked[key])
    finally:
        os.close(fd)


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

    try:
        yield from zstd.unpacked_pieces(file.read, size)
    except zstd.ZstdError as error:
        raise Unreadable(f"{name} is damaged or cut: {error}.") from error


def _unpack(fd: int, path: str, most: int) -> int:
    try:
        with (
            tempfile.TemporaryFile(prefix="agentview-") as target,
            BufferedReader(FileIO(os.dup(fd))) as file,
        ):
            file.seek(0)
            for piece in pieces(file, _PIECE, path):
                if target.tell() + len(piece) > most:
                    raise Unreadable(
                        f"{path} holds more than {most >> 20:,} MiB.", "Unpack it to read it."
                    )
                _leave_room(path)
                target.write(piece)
            target.flush()
            return os.dup(target.fileno())
    except OSError as error:
        raise Unreadable(f"Cannot unpack {path}: {error.strerror}.") from error


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
