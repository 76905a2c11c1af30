"""Opens and reads files that others write; never for writing, never waiting on a pipe."""

import os
import stat
from pathlib import Path

from agentview.errors import NotFound, Unreadable
from agentview.sources.compressed import unpack
from agentview.sources.member import OPEN_FLAGS


def open_file(path: Path, *, known: bool = False) -> tuple[int, os.stat_result]:
    """Open a regular file read-only; gives its descriptor, to be closed by the caller, and fstat.

    A compressed file is given as what it holds, a session in a database as lines; with `known`
    those that were read before will do. Raises NotFound when there is nothing at `path`,
    Unreadable when it may not be read, is damaged, or is not a regular file.
    """
    try:
        # Without O_NONBLOCK the open itself would wait for the writer of a named pipe.
        fd = os.open(path, OPEN_FLAGS)
    except NotADirectoryError as error:
        fd = _member(path, known=known)
        if fd is None:
            raise NotFound(f"There is no file {path}.") from error
        return fd, os.fstat(fd)
    except (FileNotFoundError, ValueError) as error:
        raise NotFound(f"There is no file {path}.") from error
    except OSError as error:
        raise Unreadable(f"Cannot read {path}: {error.strerror}.") from error
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise Unreadable(f"{path} is not a regular file.")
    plain = unpack(fd, path)
    return plain, status if plain == fd else os.fstat(plain)


def _member(path: Path, *, known: bool) -> int | None:
    # Imported here: most logs are files, and a database takes longer to open than to import this.
    from agentview.sources.database import open_member

    return open_member(path, known=known)


def read_span(fd: int, offset: int, length: int) -> bytes:
    """Read `length` bytes from `offset` on, fewer only where the file ends before that.

    Raises Unreadable when the device or the network file system fails.
    """
    parts: list[bytes] = []
    while length > 0:
        try:
            part = os.pread(fd, length, offset)
        except OSError as error:
            raise Unreadable(f"Reading failed at byte {offset}: {error.strerror}.") from error
        if not part:
            break
        parts.append(part)
        offset += len(part)
        length -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read_at(path: Path, offset: int, length: int) -> bytes:
    """Read a record again by the place that its `Line` gave.

    Raises NotFound and Unreadable as `open_file` does, and Unreadable when the file has become too
    short to hold it.
    """
    fd, _ = open_file(path, known=True)
    try:
        data = read_span(fd, offset, length)
    finally:
        os.close(fd)
    if len(data) < length:
        raise Unreadable(
            f"{path} ends before byte {offset + length}.", "It was cut after it was read."
        )
    return data


def read_head(path: Path, length: int) -> bytes:
    """The first bytes of a file, `length` at most. Raises NotFound and Unreadable."""
    fd, _ = open_file(path)
    try:
        return read_span(fd, 0, length)
    finally:
        os.close(fd)
