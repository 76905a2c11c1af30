"""Writes files of our own, each as a whole."""

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from agentview.system import platforms

_OWN = "agentview"
"""Name of the directories that are ours alone."""


def make_private(path: Path) -> None:
    """Make an empty file that nobody else may read, unless it is there. Raises OSError.

    One that others may read is closed to them. Missing directories are made for this user alone. A
    directory that is there is closed to others only when it has agentview's name: another one may
    be shared on purpose.
    """
    folder = path.parent
    make_folder(folder)
    if folder.name == _OWN:
        _close_to_others(folder, 0o700)
    if not make_mark(path):
        # Not opened: to close it would give up locks of a database that is open in this process.
        _close_to_others(path, 0o600)


def make_mark(path: Path) -> bool:
    """Make an empty file for this user alone; False if it is there. Raises OSError."""
    try:
        os.close(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | platforms.CLOSE_ON_EXEC, 0o600)
        )
    except FileExistsError:
        return False
    return True


def make_folder(folder: Path) -> None:
    """Make a directory, and missing ones above it, for this user alone. Raises OSError."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def _close_to_others(path: Path, mode: int) -> None:
    status = path.stat()
    if status.st_mode & 0o077 and status.st_uid == platforms.user_id():
        path.chmod(mode)


def replace_file(path: Path, data: bytes, mode: int) -> None:
    """Write a file so that readers see the old content or the new, never a part. Raises OSError.

    `mode` are its permissions. The data is on the disk before it takes the old file's place.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_new(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file for this user alone that is not there yet. Raises OSError.

    What stops it leaves what was written so far.
    """
    descriptor = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | platforms.CLOSE_ON_EXEC, 0o600
    )
    with os.fdopen(descriptor, "wb") as file:
        for piece in pieces:
            file.write(piece)


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file for this user alone, which is there only once it is whole. Raises OSError.

    What else making the pieces raises goes through, and leaves nothing behind.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        # Only this user may read it: what is handed over is for the person to say.
        with os.fdopen(descriptor, "wb") as file:
            for piece in pieces:
                file.write(piece)
        Path(name).replace(path)
    finally:
        with suppress(FileNotFoundError):
            Path(name).unlink()
