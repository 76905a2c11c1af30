"""Paths as logs have them: made comparable by their text alone; no file system is asked."""

import posixpath
import re
from collections.abc import Iterable
from urllib.parse import unquote

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_DRIVE_OF_SHELL = re.compile(r"/([A-Za-z])(?=/|\Z)")
"""How a shell that comes with git for Windows names a drive."""
_PRIVATE = re.compile(r"/private(?=/(?:tmp|var|etc)(?:/|\Z))")
"""Where folders of macOS are that have shorter names too."""
_OWN = ".git"
"""A folder into which no patch may write; git refuses a patch that tries."""


def absolute(path: str, cwd: str | None) -> str:
    """The path without `.`, `..` and repeated slashes, counted from `cwd` when it is not absolute.

    Backslashes count as slashes where the path or the directory begins with a drive. Of several
    names that one file has by the rules of its system, one is kept. It stays relative where no
    directory is known. Empty for a path that cannot be one.
    """
    if not path or "\x00" in path:
        return ""
    if path.startswith("file:///"):
        path = unquote(path[7:])
        path = path[1:] if _DRIVE.match(path[1:]) else path
    in_drive = cwd is not None and _DRIVE.match(cwd) is not None
    if in_drive or _DRIVE.match(path):
        path = _DRIVE_OF_SHELL.sub(r"\1:", path, count=1) if path.startswith("/") else path
        path = path.replace("\\", "/")
        cwd = cwd.replace("\\", "/") if cwd is not None else None
    if not _is_absolute(path) and cwd:
        path = posixpath.join(cwd, path)
    path = posixpath.normpath(path)
    if _DRIVE.match(path):
        return path[0].upper() + path[1:]
    # normpath keeps two leading slashes, which POSIX lets mean something else.
    path = path[1:] if path.startswith("//") else path
    return _PRIVATE.sub("", path, count=1) if path.startswith("/private/") else path


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
    # Some file systems do not distinguish these names from git's own folder.
    return part.rstrip(". ").lower() in (_OWN, "git~1")


def common_root(paths: Iterable[str]) -> str | None:
    """The directory that a session ran in, guessed from paths that its log has.

    A relative path that ends an absolute one shows it; else it is the nearest directory that holds
    all absolute paths. None if the log has no paths.
    """
    known = list(dict.fromkeys(absolute(path, None) for path in paths if path))
    full = [path for path in known if path.startswith("/") or _DRIVE.match(path)]
    ends = {path for path in known if not _is_absolute(path) and not path.startswith("..")}
    for path in full:
        at = path.find("/", 1)
        while at >= 0:
            if path[at + 1 :] in ends:
                return path[:at]
            at = path.find("/", at + 1)
    if not full or ends:
        return None
    if len({path[:1] == "/" or path[:2] for path in full}) > 1:
        return None
    return posixpath.commonpath([posixpath.dirname(path) for path in full])
