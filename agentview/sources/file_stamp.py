"""What stat says of a file, to be compared with what it said before."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from agentview.sources.member import files_of


class FileStamp(NamedTuple):
    """Device and inode, size in bytes, and the times of content and status in nanoseconds."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


Stamp = FileStamp | None
"""None stands for a file that is not there."""


def stamp_of(path: str) -> Stamp:
    """Look at a path, through symbolic links; None when there is nothing or it may not be seen."""
    try:
        # Thousands are looked at in a row, and making Path objects takes longer than looking.
        return stamp_from(os.stat(path))  # noqa: PTH116
    except NotADirectoryError:
        return _member_stamp(path)
    except OSError:
        return None


def _member_stamp(path: str) -> Stamp:
    """The stamp of a session in a database: that of the database with its write-ahead log."""
    files = [stamp_of(each) for each in files_of(path) if each != path]
    there = [stamp for stamp in files if stamp is not None]
    if not there:
        return None
    modified, changed = (max(each) for each in zip(*(stamp[3:] for stamp in there), strict=True))
    return FileStamp(*there[0][:2], sum(stamp.size for stamp in there), modified, changed)


def stamp_from(status: os.stat_result) -> FileStamp:
    """Make a stamp of what stat said."""
    return FileStamp(
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    )


def walk_files(tree: str) -> Iterator[str]:
    """Name all files in a tree; a directory reached twice through links is entered once."""
    seen: set[tuple[int, int]] = set()
    for directory, names, found in os.walk(tree, followlinks=True):
        stamp = stamp_of(directory)
        if stamp is None or stamp[:2] in seen:
            names.clear()
            continue
        seen.add(stamp[:2])
        for name in found:
            yield f"{directory.rstrip('/')}/{name}"
