"""The stamp of a file: when it is the same, the file is taken not to have changed."""

from agentview.sources.member import LogStatus

Stamp = tuple[int, int, int]
"""Size, modification time in nanoseconds, inode."""


def stamp_of(status: LogStatus) -> Stamp:
    """The stamp that belongs to a status."""
    return status.st_size, status.st_mtime_ns, status.st_ino
