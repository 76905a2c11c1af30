"""Logs that a client has compressed (zstd): read as what they hold.

A compressed file cannot be read from the middle, so all of it is unpacked once into a file without
a name, which the system removes when nobody reads it any more.
"""

import os
import stat
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from agentview.errors import Unreadable
from agentview.sources.files import open_regular
from agentview.sources.zstd_frame import MAGIC

SUFFIX = ".zst"
_PIECE = 1024 * 1024
_LARGEST = 8 * 1024 * 1024 * 1024
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


def unpack(fd: int, path: Path) -> int:
    """A descriptor of what the open file holds, in its place: `fd` itself unless it is compressed.

    Of one that was cut it is what is there. Raises Unreadable when it is damaged, holds far more
    than a log does, or does not fit on the disk of temporary files; `fd` is closed then.
    """
    if path.suffix != SUFFIX or os.pread(fd, len(MAGIC), 0) != MAGIC:
        return fd
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        return fd
    key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    try:
        if key not in _unpacked:
            _unpacked[key] = _unpack(fd, path)
            while len(_unpacked) > _KEPT:
                os.close(_unpacked.popitem(last=False)[1])
        _unpacked.move_to_end(key)
        return os.dup(_unpacked[key])
    finally:
        os.close(fd)


def unpacked_head(path: Path, length: int) -> bytes:
    """The first bytes of what a file holds, `length` at most; none when it cannot be read."""
    try:
        with BufferedReader(open_regular(path)) as file:
            if path.suffix != SUFFIX or not file.peek(len(MAGIC)).startswith(MAGIC):
                return file.read(length)
            return next(_pieces(file, length), b"")
    except (OSError, Unreadable):
        return b""


def is_cut(path: Path) -> bool:
    """Whether a compressed file ends in the middle of what it held, so that less of it is read."""
    if path.suffix != SUFFIX:
        return False
    import zstandard

    frame = zstandard.ZstdDecompressor().decompressobj()
    try:
        with BufferedReader(open_regular(path)) as file:
            if not file.peek(len(MAGIC)).startswith(MAGIC):
                return False
            while piece := file.read(_PIECE):
                while piece:
                    if frame.eof:
                        frame = zstandard.ZstdDecompressor().decompressobj()
                    frame.decompress(piece)
                    piece = frame.unused_data if frame.eof else b""
    except (OSError, zstandard.ZstdError):
        return False
    return not frame.eof


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    """What a compressed file holds, in pieces of `size`. Raises Unreadable at damage."""
    # Hardly any log is compressed, and importing this takes longer than reading a small one.
    import zstandard

    decompressor = zstandard.ZstdDecompressor()
    try:
        with decompressor.stream_reader(file, read_across_frames=True) as plain:
            while piece := plain.read(size):
                yield piece
    except zstandard.ZstdError as error:
        raise Unreadable(f"{file.name} is damaged or cut: {error}.") from error


def _unpack(fd: int, path: Path) -> int:
    size = os.fstat(fd).st_size
    most = min(_LARGEST, max(_ALWAYS, _RATIO * size))
    try:
        with (
            tempfile.TemporaryFile(prefix="agentview-") as target,
            BufferedReader(open_regular(path)) as file,
        ):
            if os.fstat(file.fileno()).st_ino != os.fstat(fd).st_ino:
                raise Unreadable(f"{path} was replaced while it was opened.")
            for piece in _pieces(file, _PIECE):
                if target.tell() + len(piece) > most:
                    raise Unreadable(
                        f"{path} holds more than {most >> 20:,} MiB.", "Unpack it to read it."
                    )
                _leave_room(target.fileno(), path)
                target.write(piece)
            target.flush()
            return os.dup(target.fileno())
    except OSError as error:
        raise Unreadable(f"Cannot unpack {path}: {error.strerror}.") from error


def _leave_room(target: int, path: Path) -> None:
    """Raise Unreadable when the disk of an open file is nearly full."""
    disk = os.fstatvfs(target)
    if disk.f_bavail * disk.f_frsize < _LEFT:
        raise Unreadable(
            f"Cannot unpack {path}: the disk of temporary files is nearly full.",
            "Free some space there, or set TMPDIR to another disk.",
        )
