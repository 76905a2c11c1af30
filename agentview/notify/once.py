"""A notification is given by one of the programs of this machine that see its occasion."""

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agentview.system import platforms
from agentview.system.file_writing import make_folder, make_mark
from agentview.system.paths import state_dir

_KEPT = 86_400.0
"""Seconds after which no program notifies of the same occasion any more."""
_SAME = 2.0
"""Seconds between two begins of an occasion that are one: a later record may date it again."""


def is_first(occasion: str, began: float | None = None) -> bool:
    """Return True for the first program that asks this of an occasion; for a thread.

    Two occasions that `began` at about the same time, epoch seconds, are one. Also where that
    cannot be kept: a notification given twice is better than none.
    """
    folder = state_dir() / "notified"
    with suppress(OSError):
        make_folder(folder)
        for old in _old(folder):
            old.unlink(missing_ok=True)
    digest = hashlib.sha256(occasion.encode(errors="replace")).hexdigest()
    try:
        return make_mark(folder / digest) if began is None else _begins(folder / digest, began)
    except OSError:
        return True


def _begins(path: Path, began: float) -> bool:
    """Note when an occasion began; False if it is noted, by whichever program. Raises OSError."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | platforms.CLOSE_ON_EXEC, 0o600)
    with os.fdopen(fd, "r+b") as file:
        platforms.lock(file.fileno(), wait=True)
        if any(abs(each - began) <= _SAME for each in _times(file.read())):
            return False
        file.write(b"%r\n" % began)
    return True


def _times(data: bytes) -> Iterator[float]:
    for line in data.split():
        with suppress(ValueError):
            yield float(line)


def _old(folder: Path) -> Iterator[Path]:
    until = time.time() - _KEPT
    for path in folder.iterdir():
        if path.stat().st_mtime < until:
            yield path
