"""The stat of a file, to be compared with an earlier one."""

import os
import time
from collections.abc import Iterator

from agentview.domain.value import Value
from agentview.sources.member import LogStatus, log_stat

SETTLED = 1.0
"""Seconds after a write until which another one may leave the stamp of a file as it is."""


class FileStamp(Value):
    """Device and inode, size in bytes, and the times of content and status in nanoseconds."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int

    @property
    def file(self) -> tuple[int, int]:
        """Device and inode: the same for as long as it is the same file."""
        return self.device, self.inode


Stamp = FileStamp | None
"""None stands for a file that is not there."""


def stamp_of(path: str) -> Stamp:
    """Look at a path, through symbolic links; None when there is nothing or it may not be seen."""
    try:
        # Thousands are looked at in a row, and making Path objects takes longer than looking.
        return stamp_from(log_stat(path))
    except OSError:
        return None


def is_recent(modified: int, within: float = SETTLED) -> bool:
    """Return True for a file that was modified, in nanoseconds, less than some seconds ago."""
    return time.time() - modified / 1e9 < within


def stamp_from(status: LogStatus) -> FileStamp:
    return FileStamp(
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    )


def walk_files(tree: str) -> Iterator[str]:
    """Name all files in a tree; a directory reached twice through links is entered once."""
    seen: set[tuple[int, int]] = set()
    for directory, names, found in os.walk(tree, followlinks=True):
        stamp = stamp_of(directory)
        if stamp is None or stamp.file in seen:
            names.clear()
            continue
        seen.add(stamp.file)
        for name in found:
            yield f"{directory.rstrip('/')}/{name}"
