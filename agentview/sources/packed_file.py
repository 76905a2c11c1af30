"""Packed files that keep their own name, as copies in the archive do: read as what they hold."""

import os
from pathlib import Path

from agentview.sources.unpacking import MAGIC
from agentview.system import platforms
from agentview.system.own_folders import own_folder

_ARCHIVE = "archive"
_NAMED_SO = (".zst", ".zstd")
_PLACE_PARTS = 3
"""Folders of the archive above what is copied: the provider, the session, and the copy's number."""
_LONGEST_HEADER = 18


def archive_folder() -> str:
    """The directory of archived sessions; it need not exist."""
    return f"{own_folder('data', 'AGENTVIEW_DATA_DIR')}/{_ARCHIVE}"


def is_archived(path: str | Path) -> bool:
    """Return True if a path is in the archive."""
    path = os.fspath(path)
    # Thousands are asked for: to find out where the archive is takes longer than all else.
    return f"/{_ARCHIVE}/" in path and path.startswith(f"{archive_folder()}/")


def origin_of(path: str | Path) -> str | None:
    """The path of which one in the archive is a copy; None for any other path."""
    if not is_archived(path):
        return None
    below = os.fspath(path)[len(archive_folder()) + 1 :].split("/", _PLACE_PARTS)
    return platforms.from_root(below[-1]) if len(below) > _PLACE_PARTS else None


def is_named_packed(path: str | Path) -> bool:
    """Return True if the name of a file says that it is packed: the archive has it as it is."""
    return os.fspath(path).endswith(_NAMED_SO)


def is_packed(fd: int, path: str | Path) -> bool:
    """True if an open regular file is packed, and its name does not say so. Raises OSError."""
    return platforms.read_at(fd, len(MAGIC), 0) == MAGIC and not is_named_packed(path)


def plain_descriptor(fd: int, path: str | Path) -> int:
    """A descriptor of what the open regular file holds, in its place: `fd` unless it is packed.

    Raises OSError, and Unreadable where it cannot be unpacked; `fd` is closed then.
    """
    if not is_packed(fd, path):
        return fd
    # Imported here: hardly any log is packed.
    from agentview.sources.unpacking import LARGEST, unpack_frame

    return unpack_frame(fd, os.fspath(path), LARGEST if is_archived(path) else None)


def content_size(path: str | Path, size: int) -> int:
    """Bytes that a file of `size` bytes holds: of a copy in the archive more than it has."""
    if not is_archived(path):
        return size
    from agentview.system import zstd

    try:
        fd = os.open(path, os.O_RDONLY | platforms.CLOSE_ON_EXEC)
    except OSError:
        return size
    try:
        packed = is_packed(fd, path)
        held = zstd.size_in(platforms.read_at(fd, _LONGEST_HEADER, 0)) if packed else None
    except (OSError, zstd.ZstdError):
        return size
    finally:
        os.close(fd)
    return size if held is None else held
