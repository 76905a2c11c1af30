"""Paths as logs have them: made comparable by their text alone; no file system is asked."""

import posixpath
import re
from collections.abc import Iterable

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_OWN = ".git"
"""A folder into which no patch may write; git refuses a patch that tries."""


def absolute(path: str, cwd: str | None) -> str:
    """The path without `.`, `..` and repeated slashes, counted from `cwd` when it is not absolute.

    Backslashes count as slashes where the path or the directory begins with a drive. It stays
    relative where no directory is known. Empty for a path that cannot be one.
    """
    if not path or "\x00" in path:
        return ""
    if _DRIVE.match(path) or (cwd is not None and _DRIVE.match(cwd)):
        path = path.replace("\\", "/")
        cwd = cwd.replace("\\", "/") if cwd is not None else None
    if not _is_absolute(path) and cwd:
        path = posixpath.join(cwd, path)
    path = posixpath.normpath(path)
    # normpath keeps two leading slashes, which POSIX lets mean something else.
    return path[1:] if path.startswith("//") else path


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "~")) or _DRIVE.match(path) is not None


def inside(path: str, root: str | None) -> str | None:
    """An absolute path as it is named in a patch made in `root`; None for one that is not in it.

    Without a root, a relative path is in it. What leads out of it, or into git's own folder, is
    not.
    """
    if _is_absolute(path):
        if root is None:
            return None
        base = absolute(root, None).rstrip("/") + "/"
        if not path.startswith(base):
            return None
        path = path[len(base) :]
    parts = path.split("/")
    if not path or ".." in parts or any(_is_own(part) for part in parts) or parts == ["."]:
        return None
    return path


def _is_own(part: str) -> bool:
    # git takes names for its own folder that some file systems do not tell from it.
    return part.rstrip(". ").lower() in (_OWN, "git~1")


def common_root(paths: Iterable[str]) -> str | None:
    """The directory that a session ran in, guessed from paths that its log has.

    A relative path that ends an absolute one tells it; else it is the nearest directory that holds
    all absolute ones. None when there are none.
    """
    known = list(dict.fromkeys(path for path in paths if path))
    full = [path for path in known if path.startswith("/")]
    ends = {path for path in known if not _is_absolute(path) and not path.startswith("..")}
    for path in full:
        at = path.find("/", 1)
        while at >= 0:
            if path[at + 1 :] in ends:
                return path[:at]
            at = path.find("/", at + 1)
    if not full or ends:
        return None
    return posixpath.commonpath([posixpath.dirname(path) for path in full])
