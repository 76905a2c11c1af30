"""Remembers a file up to a position, to notice later that the file was replaced."""

import os
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from agentview.domain.value import Value
from agentview.sources.open_file import open_file, read_span

_SAMPLE = 4096
_PIECE = 1024 * 1024
_DIGEST = 16


class ResetReason(StrEnum):
    """Why what was read of a file no longer stands."""

    TRUNCATED = "truncated"
    """The file is shorter than what was read of it."""
    REPLACED = "replaced"
    """Another file has taken the name, as an atomic save does."""
    REWRITTEN = "rewritten"
    """It is the same file, but bytes that were read before have changed."""
    RECREATED = "recreated"
    """The file was gone for a while."""


class ResumePoint(Value):
    """State of a file when it had been read up to `position` bytes.

    `head` and `tail` are its first bytes and the last ones before `position`, 4096 at most of each.
    """

    device: int
    inode: int
    position: int
    head: bytes
    tail: bytes

    def broken(self, fd: int, status: os.stat_result) -> ResetReason | None:
        """Say how the open file contradicts the mark; None while all that is known still holds.

        A change between the first and the last 4096 bytes that moves neither is not seen: to see
        it, all of the file would have to be read each time.
        """
        if self.position == 0:
            return None
        if (status.st_dev, status.st_ino) != (self.device, self.inode):
            return ResetReason.REPLACED
        if status.st_size < self.position:
            return ResetReason.TRUNCATED
        if read_span(fd, 0, len(self.head)) != self.head:
            return ResetReason.REWRITTEN
        if read_span(fd, self.position - len(self.tail), len(self.tail)) != self.tail:
            return ResetReason.REWRITTEN
        return None

    def advance(self, piece: bytes) -> "ResumePoint":
        """Give the mark after `piece` was read behind it."""
        return ResumePoint(
            self.device,
            self.inode,
            self.position + len(piece),
            self.head + piece[: _SAMPLE - len(self.head)],
            (self.tail + piece[-_SAMPLE:])[-_SAMPLE:],
        )


def digest_of(fd: int, start: int, end: int) -> bytes:
    """16 bytes that stand for all from byte `start` to byte `end` of an open file.

    For logs whose records are written again in place, of which a sample shows nothing. Raises
    Unreadable.
    """
    # Twice as fast as BLAKE2 where the processor has instructions for it, as most have.
    digest = sha256()
    while start < end:
        piece = read_span(fd, start, min(_PIECE, end - start))
        if not piece:
            break
        digest.update(piece)
        start += len(piece)
    return digest.digest()[:_DIGEST]


def digest_of_log(path: Path, start: int, end: int) -> bytes:
    """The same of the log at `path`, from its record at byte `start` on.

    Raises NotFound and Unreadable.
    """
    # Imported here: most logs are files.
    from agentview.sources.open_member import known_digest

    known = known_digest(path, end) if start == 0 else None
    if known is not None:
        return known
    fd, _ = open_file(path, start=start, length=end - start, again=True)
    try:
        return digest_of(fd, start, end)
    finally:
        os.close(fd)


def take_mark(fd: int, status: os.stat_result, position: int) -> ResumePoint:
    """Make the mark of an open file at a position that lies inside it."""
    sample = min(_SAMPLE, position)
    return ResumePoint(
        status.st_dev,
        status.st_ino,
        position,
        read_span(fd, 0, sample),
        read_span(fd, position - sample, sample),
    )
