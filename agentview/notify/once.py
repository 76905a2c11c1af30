"""A notification is given by one of the programs of this machine that see its occasion."""

import hashlib
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agentview.system.file_writing import make_folder, make_mark
from agentview.system.paths import state_dir

_KEPT = 86_400.0
"""Seconds after which no program notifies of the same occasion any more."""


def is_first(occasion: str) -> bool:
    """Return True for the first program that asks this of an occasion; for a thread.

    Also where that cannot be kept: a notification given twice is better than none.
    """
    folder = state_dir() / "notified"
    with suppress(OSError):
        make_folder(folder)
        for old in _old(folder):
            old.unlink(missing_ok=True)
    digest = hashlib.sha256(occasion.encode(errors="replace")).hexdigest()
    try:
        return make_mark(folder / digest)
    except OSError:
        return True


def _old(folder: Path) -> Iterator[Path]:
    until = time.time() - _KEPT
    for path in folder.iterdir():
        if path.stat().st_mtime < until:
            yield path
