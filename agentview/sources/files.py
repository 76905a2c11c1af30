"""Files below a directory, and parts of a file; what is missing or forbidden holds nothing."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from io import FileIO
from pathlib import Path

from agentview.errors import NotFound, NotRegular, Unreadable
from agentview.sources.member import OPEN_FLAGS, WHOLE, Part, folder_form
from agentview.sources.one_look import found_once
from agentview.sources.packed_file import plain_descriptor
from agentview.system import platforms

END_BYTES = 131_072
"""Bytes of a file's head, and of its tail, that say what it is about."""

_END_LINES = 100
"""Rows at each end of a session in a database that say what it is about."""

_LONGEST_NAME = 255
_MAX_DEPTH = 12
_LINE_BYTES = 4 * 1024 * 1024
_FIRST_PART = 4096

_FEW_NAMES = 3
"""Names that are asked for one by one; of a folder with more of them all names are read."""


def files_below(
    root: str | Path,
    endings: tuple[str, ...],
    *,
    skipped: frozenset[str] = frozenset(),
    depth: int = _MAX_DEPTH,
) -> Iterator["os.DirEntry[str]"]:
    """Regular files under `root` whose names end so, in no order; no file is opened.

    Folders named in `skipped` are left out. Linked directories are entered once, loops are not, and
    what lies below `root` as it is never goes by the name of a link.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [(os.fspath(root), 0)]
    linked: list[tuple[str, int]] = []
    while waiting or linked:
        folder, level = (waiting or linked).pop()
        try:
            place, entries = listed_in(folder)
        except (OSError, ValueError):
            continue
        if place in seen:
            continue
        seen.add(place)
        for entry in entries:
            if entry.name.endswith(endings) and _is_file(entry):
                yield entry
            elif level < depth and entry.name not in skipped and _is_folder(entry):
                (linked if entry.is_symlink() else waiting).append((entry.path, level + 1))


@found_once
def listed_in(folder: str) -> tuple[tuple[int, int], Sequence["os.DirEntry[str]"]]:
    """Device and inode of a folder, and what is in it. Raises OSError and ValueError."""
    status = os.stat(folder)  # noqa: PTH116  (20,000 paths as objects take longer than all)
    with os.scandir(folder) as listed:
        return (status.st_dev, status.st_ino), list(listed)


class FolderLook:
    """One look at folders: what changes after the first question may be missed."""

    def __init__(self) -> None:
        self._real: dict[str, str] = {}
        self._absent: set[str] = set()
        """Real paths at which nothing is."""
        self._looped: set[str] = set()
        """Paths on the way to which a link leads to itself."""
        self._asked: dict[str, int] = {}
        """Names that were asked for, by folder."""
        self._names: dict[str, frozenset[str] | None] = {}
        """Names in a folder in lower case; None where it cannot be listed."""

    def real(self, path: str | Path) -> str:
        """The path without links, as `os.path.realpath` gives it."""
        path = os.fspath(path)
        if path not in self._real:
            self._real[path] = self._resolved(path)
        return self._real[path]

    def is_absent(self, path: str | Path) -> bool:
        """Return True if nothing is at a path; False where that is not known."""
        return self.real(path) in self._absent

    def _resolved(self, path: str) -> str:
        above, name = os.path.split(path)
        if not name or name in (".", "..") or not above or platforms.HAS_DRIVES:
            return os.path.realpath(path)
        parent = self.real(above)
        if above in self._looped:
            return self._followed(path)
        place = os.path.join(parent, name)  # noqa: PTH118  (hundreds are asked for)
        if parent in self._absent or not self._may_have(parent, name):
            self._absent.add(place)
            return place
        try:
            mode = os.lstat(place).st_mode
        except (FileNotFoundError, NotADirectoryError):
            self._absent.add(place)
        except (OSError, ValueError):
            return self._followed(path)
        else:
            return self._followed(path) if stat.S_ISLNK(mode) else place
        return place

    def _followed(self, path: str) -> str:
        real = os.path.realpath(path)
        if os.path.islink(real):  # noqa: PTH114
            self._looped.add(path)
        return real

    def _may_have(self, folder: str, name: str) -> bool:
        """False only where a folder has no such name, however a file system compares names."""
        if not name.isascii():
            return True
        asked = self._asked[folder] = self._asked.get(folder, 0) + 1
        if asked <= _FEW_NAMES:
            return True
        if folder not in self._names:
            self._names[folder] = _names_in(folder)
        names = self._names[folder]
        return names is None or name.lower() in names


def _names_in(folder: str) -> frozenset[str] | None:
    try:
        return frozenset(name.lower() for name in os.listdir(folder))  # noqa: PTH208
    except OSError:
        return None


def is_directory(path: Path) -> bool:
    """True if there is a directory that may be looked at; no error where that is forbidden."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _is_file(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file(follow_symlinks=False) or entry.is_file()
    except OSError:
        return False


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_file_name(name: str) -> bool:
    """Return True if a text from a log, such as an id, can be used as one part of a path."""
    if not name or name in (".", "..") or any(char in name for char in "/\\\0"):
        return False
    try:
        return len(os.fsencode(name)) <= _LONGEST_NAME
    except UnicodeEncodeError:
        return False


def open_log(path: Path, part: Part = WHOLE) -> int:
    """The descriptor of a regular file, to be closed by the caller.

    A session that is not a file is given as lines, of which `part` is sure to be there; a packed
    file as what it holds unless its name says that it is compressed: then it is given as it is.
    Raises NotFound and Unreadable.
    """
    try:
        # Without O_NONBLOCK the open itself would wait for the writer of a named pipe.
        fd = os.open(path, OPEN_FLAGS)
    except platforms.NOT_A_FOLDER as error:
        return _member(path, part, error)
    except (FileNotFoundError, ValueError) as error:
        raise NotFound(f"No such file: {path}.") from error
    except OSError as error:
        # Windows opens no directory.
        if is_directory(path) and folder_form(path) is not None:
            return _member(path, part, error)
        raise Unreadable(f"Cannot read {path}: {error.strerror}.", why=error.strerror) from error
    mode = os.fstat(fd).st_mode
    if stat.S_ISREG(mode):
        return _plain(fd, path)
    os.close(fd)
    if not stat.S_ISDIR(mode) or folder_form(path) is None:
        raise NotRegular(f"{path} is not a regular file.")
    return _member(path, part, None)


def _plain(fd: int, path: Path) -> int:
    try:
        return plain_descriptor(fd, path)
    except OSError as error:
        os.close(fd)
        raise Unreadable(f"Cannot read {path}: {error.strerror}.") from error


def _member(path: Path, part: Part, error: OSError | None) -> int:
    # Imported here: most logs are files.
    from agentview.sources.open_member import open_member

    found = open_member(path, part)
    if found is None:
        raise NotFound(f"No such file: {path}.") from error
    return found


def open_regular(path: Path) -> FileIO:
    """Open a regular file for reading. Raises OSError for anything else, a named pipe included."""
    try:
        return FileIO(open_log(path))
    except NotFound as error:
        raise FileNotFoundError(errno.ENOENT, error.message) from error
    except Unreadable as error:
        raise OSError(errno.EIO, error.message) from error


def read_part(path: Path, start: int, limit: int) -> bytes:
    """Bytes of a file from `start`, at most `limit`; none when it cannot be read."""
    try:
        with open_regular(path) as file:
            file.seek(start)
            return file.read(limit) or b""
    except OSError:
        return b""


def read_ends(path: Path) -> tuple[bytes, bytes, int]:
    """Head and tail of a file, which do not overlap, and where the tail begins.

    The head extends to the end of the line that it ends in, if that is not too far: a first prompt
    may have a picture in it. A file that is gone has neither. Raises Unreadable.
    """
    try:
        with open_regular(path) as file:
            head = file.read(END_BYTES)
            size = os.fstat(file.fileno()).st_size
            if size <= len(head):
                return head, b"", max(END_BYTES, len(head))
            head += _rest_of_line(file)
            start = max(len(head), size - END_BYTES)
            file.seek(start)
            return head, file.read(END_BYTES), start
    except FileNotFoundError:
        return b"", b"", END_BYTES
    except OSError as error:
        cause = error.__cause__
        if isinstance(cause, Unreadable):
            raise cause from error
        raise Unreadable(f"Cannot read {path}: {error.strerror}.", why=error.strerror) from error


def read_member_ends(path: Path) -> tuple[bytes, bytes, int]:
    """Head and tail of a session as `read_ends` gives them; of one in a database a few rows alone.

    The tail then begins at `NEWEST`, since its place among all lines is not known. Raises
    Unreadable.
    """
    # Imported here: most logs are files.
    from agentview.sources.member_lines import NEWEST
    from agentview.sources.open_member import member_ends

    try:
        found = member_ends(path, _END_LINES, END_BYTES)
    except NotFound:
        return b"", b"", END_BYTES
    if found is None:
        return read_ends(path)
    head, tail = (b"".join(line + b"\n" for line in end) for end in found)
    # As that of `read_ends`, it begins in the middle of the log: with the end of a line.
    return head, b"\n" + tail, NEWEST


def lines_of_tail(head: bytes, tail: bytes, start: int) -> tuple[bytes, int]:
    """The tail of `read_ends` from the first line that is whole, and where that begins.

    A tail that comes just behind the last line of the head begins with one.
    """
    if start == len(head) and head.endswith(b"\n"):
        return tail, start
    cut, _, rest = tail.partition(b"\n")
    return rest, start + len(cut) + 1


def _rest_of_line(file: FileIO) -> bytes:
    """Return the bytes up to the next line feed; nothing when that is too far."""
    rest = b""
    while len(rest) < _LINE_BYTES:
        part = file.read(min(END_BYTES, max(_FIRST_PART, len(rest))))
        end = part.find(b"\n")
        if end >= 0 or not part:
            return rest + part[: end + 1]
        rest += part
    return b""
