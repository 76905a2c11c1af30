"""Opens and reads files that others write; never for writing, never waiting on a pipe."""

import os
from pathlib import Path

from agentview.errors import Unreadable
from agentview.sources.compressed import unpack
from agentview.sources.files import open_log
from agentview.sources.member import Part
from agentview.system import platforms


def open_file(
    path: Path, *, start: int = 0, length: int | None = None, again: bool = False
) -> tuple[int, os.stat_result]:
    """Open a regular file read-only; gives its descriptor, to be closed by the caller, and fstat.

    A compressed file is given as what it holds, a session in a database as lines. Of these, only
    `length` bytes from `start` on are sure to be there, or all where nothing is given. `again`: to
    read records again, lines that were read before will do.

    Raises NotFound when there is nothing at `path`, Unreadable when it may not be read, is damaged,
    or is not a regular file.
    """
    fd = open_log(path, Part(start, length, again))
    status = os.fstat(fd)
    plain = unpack(fd, path)
    return plain, status if plain == fd else os.fstat(plain)


def read_span(fd: int, offset: int, length: int) -> bytes:
    """Read `length` bytes from `offset` on, fewer only where the file ends before that.

    Raises Unreadable when the device or the network file system fails.
    """
    parts: list[bytes] = []
    while length > 0:
        try:
            part = platforms.read_at(fd, length, offset)
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
    data = read_block(path, offset, length)
    if len(data) < length:
        raise Unreadable(
            f"{path} ends before byte {offset + length}.", "It was cut after it was read."
        )
    return data


def read_block(path: Path, offset: int, length: int) -> bytes:
    """Read records again from byte `offset` on, fewer bytes only where the log ends before that.

    Raises NotFound and Unreadable as `open_file` does.
    """
    fd, _ = open_file(path, start=offset, length=length, again=True)
    try:
        return read_span(fd, offset, length)
    finally:
        os.close(fd)


def read_head(path: Path, length: int) -> bytes:
    """The first bytes of a file, `length` at most. Raises NotFound and Unreadable."""
    fd, _ = open_file(path, length=length)
    try:
        return read_span(fd, 0, length)
    finally:
        os.close(fd)
