"""Directories of projects as logs name them, made comparable by their text alone."""

import re
from urllib.parse import unquote

_URI = re.compile(r"(?P<scheme>file|[a-z]+-remote)://(?P<host>[^/]*)(?P<path>/.*)", re.DOTALL)
"""A local file, or one that an editor reaches through a remote: `vscode-remote://wsl+…/home/…`."""
_DRIVE = re.compile(r"/?(?P<letter>[A-Za-z]):(?P<rest>[\\/].*|)", re.DOTALL)
_LONG = "\\\\?\\"
"""May be in front of a path of Windows."""


def project_path(recorded: str) -> str:
    """The path: URIs are decoded, letters of drives are upper case.

    A path with a drive has backslashes. A slash at the end is removed. Another text, and a URI of
    no path, is returned unchanged.
    """
    path = _decoded(recorded).removeprefix(_LONG)
    drive = _DRIVE.fullmatch(path)
    if drive is not None:
        rest = drive["rest"].replace("/", "\\").rstrip("\\")
        return f"{drive['letter'].upper()}:{rest or chr(92)}"
    return (path.rstrip("/") or "/") if path.startswith("/") else path


def _decoded(recorded: str) -> str:
    if recorded.startswith("/"):
        return recorded
    uri = _URI.fullmatch(recorded)
    if uri is None:
        return recorded
    path = unquote(uri["path"])
    if "\0" in path:
        return recorded
    shared = uri["scheme"] == "file" and uri["host"] not in ("", "localhost")
    return f"//{uri['host']}{path}".replace("/", "\\") if shared else path


def is_of_windows(path: str) -> bool:
    return _DRIVE.fullmatch(path) is not None or path.startswith("\\\\")


def path_parts(path: str) -> list[str]:
    """The parts of a path of any system, without its root; a drive is a part."""
    parts = re.split(r"[\\/]", path) if is_of_windows(path) else path.split("/")
    return [part for part in parts if part]


def last_part(path: str) -> str:
    """The name of a directory; the path itself where it is a root."""
    return next(reversed(path_parts(path)), path)
