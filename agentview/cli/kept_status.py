"""The answer of `agentview status` as it was last time, while nothing that it depends on changed.

A prompt asks for it again and again. Nothing is decided here: the answer is that of `status`, kept
with the size and time of all files that it was made of, and with the time until which it holds.
Imports little, since that is what takes the time.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import agentview
from agentview.cli.output.status_text import formatted, table_text
from agentview.cli.output.terminal import columns
from agentview.own_folders import own_folder

_FORM = f"1 {agentview.__version__}"
_NAME = "status.json"
_GRAIN = 0.05
"""Seconds within which two writes may give a file the same time."""

Stamp = list[int] | None
"""Size, time of modification and inode of a file, None where it is not there."""


def answer(arguments: Sequence[str]) -> bool:
    """Answer from what is kept; False where nothing is, or it may be another answer now."""
    form = _form(arguments)
    kept = None if form is None else _read()
    if form is None or kept is None or not _holds(kept, time.time()):
        return False
    sys.stdout.buffer.write(form(kept).encode("utf-8", "replace"))
    return True


def _form(arguments: Sequence[str]) -> Callable[[Mapping[str, Any]], str] | None:
    """How to answer the usual forms of the command; None for any other."""
    match arguments:
        case []:
            return lambda kept: table_text(kept["table"], time.time(), columns()) + "\n"
        case ["--json"]:
            return lambda kept: kept["json"]
        case ["--format", form]:
            return lambda kept: formatted(form, kept["counts"]) + "\n"
        case _:
            return None


def keep(
    answers: Mapping[str, object],
    files: Iterable[str],
    env: Mapping[str, str | None],
    pids: Iterable[int],
    holds: tuple[float, float],
) -> None:
    """Keep the answers until a file, a variable or a process changes; without a cache nothing.

    They were made at the first time of `holds` and are valid until the second. The first of the
    files is our own cache; when another one was written meanwhile, nothing is kept.
    """
    made, until = holds
    stamps = {path: stamp_of(path) for path in files}
    times = [stamp[1] for stamp in [*stamps.values()][1:] if stamp is not None]
    if max(times, default=0) > (made - _GRAIN) * 1e9:
        return
    kept = {
        **answers,
        "form": _FORM,
        "files": stamps,
        "env": dict(env),
        "pids": {str(pid): started(pid) for pid in pids},
        "from": made,
        "until": until,
    }
    from pathlib import Path

    from agentview.file_writing import make_folder, replace_file

    try:
        path = Path(_path())
        make_folder(path.parent)
        replace_file(path, json.dumps(kept).encode(), 0o600)
    except (OSError, ValueError):
        return


def _path() -> str:
    return os.path.join(own_folder("cache", "AGENTVIEW_CACHE_DIR"), _NAME)  # noqa: PTH118


def _read() -> Mapping[str, Any] | None:
    try:
        with open(_path(), "rb") as file:  # noqa: PTH123
            kept = json.loads(file.read())
    except (OSError, ValueError):
        return None
    return cast("Mapping[str, Any]", kept) if isinstance(kept, dict) else None


def _holds(kept: Mapping[str, Any], now: float) -> bool:
    """True if nothing that the answers depend on has changed; a damaged file holds nothing."""
    try:
        return (
            kept["form"] == _FORM
            and kept["from"] <= now < kept["until"]
            and all(os.environ.get(name) == value for name, value in kept["env"].items())
            and all(stamp_of(path) == stamp for path, stamp in kept["files"].items())
            and all(started(int(pid)) == start for pid, start in kept["pids"].items())
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return False


def stamp_of(path: str) -> Stamp:
    """Return values that differ when a file or the entries of a directory have changed."""
    try:
        status = os.stat(path)  # noqa: PTH116  (objects for thousands of paths take too long)
    except (OSError, ValueError):
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def started(pid: int) -> str | None:
    """When a process began, to compare; "" where that is unknown, None when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return _is_there(pid)


def _is_there(pid: int) -> str | None:
    if sys.platform == "linux":
        return None
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return None
    return ""
