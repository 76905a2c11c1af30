"""Logs that a client has compressed (zstd): read as what they hold."""

from io import BufferedReader
from pathlib import Path

from agentview.errors import Unreadable
from agentview.sources.files import open_regular
from agentview.sources.unpacking import MAGIC, pieces, unpack_frame

SUFFIXES = (".zst", ".zstd")
_PIECE = 1024 * 1024


def unpack(fd: int, path: Path) -> int:
    """A descriptor of what the open file holds, in its place: `fd` itself unless it is compressed.

    Of one that was cut it is what is there. Raises Unreadable when it is damaged, holds far more
    than a log does, or does not fit on the disk of temporary files; `fd` is closed then.
    """
    return unpack_frame(fd, str(path)) if path.suffix in SUFFIXES else fd


def unpacked_head(path: Path, length: int) -> bytes:
    """The first bytes of what a file holds, `length` at most; none when it cannot be read."""
    try:
        with BufferedReader(open_regular(path)) as file:
            if path.suffix not in SUFFIXES or not file.peek(len(MAGIC)).startswith(MAGIC):
                return file.read(length)
            found = b""
            # Each frame is a piece at least: a client may begin one whenever it writes.
            for piece in pieces(file, length, str(path)):
                found += piece
                if len(found) >= length:
                    break
            return found[:length]
    except (OSError, Unreadable):
        return b""


def is_cut(path: Path) -> bool:
    """True if a compressed file ends in the middle of what it held, so that less of it is read."""
    if path.suffix not in SUFFIXES:
        return False
    # Hardly any log is compressed.
    from agentview.system import zstd

    try:
        with BufferedReader(open_regular(path)) as file:
            if not file.peek(len(MAGIC)).startswith(MAGIC):
                return False
            return zstd.ends_in_frame(iter(lambda: file.read(_PIECE), b""))
    except (OSError, zstd.ZstdError):
        return False
