"""Which process had which session when it was last looked at, also by a run before this one.

A log does not say that its client was killed. Only who saw the process knows that it is gone.
"""

import json
import os
import platform
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import cast

from msgspec.structs import replace

from agentview.domain.value import Value
from agentview.system.file_writing import make_folder, replace_file
from agentview.system.paths import state_dir

_MOST = 512
"""Sessions that are kept, those seen last."""
_LARGEST = 1_000_000
_SLACK = 2.0
"""Seconds by which two runs may take the start of a process to be apart: clocks are set."""


class Seen(Value):
    """The process that had a session."""

    pid: int
    began: float
    """Epoch seconds."""
    certain: bool
    gone: float | None = None
    """When it was found to have left the session, epoch seconds."""

    def is_process(self, pid: int, began: float) -> bool:
        """True if this is the process of that number that began then."""
        return pid == self.pid and abs(began - self.began) < _SLACK


class SeenClients:
    """By the path of the log. Kept in the state directory as far as that can be written."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: dict[str, Seen] | None = None
        self._changed: dict[str, Seen] = {}
        """Those that are not saved yet."""

    def get(self, log: str) -> Seen | None:
        """The process that had the session last; None where none was seen."""
        return self._known().get(log)

    def note(self, log: str, seen: Seen) -> None:
        """Take this process to be that of the session, until `save` for this run only."""
        known = self.get(log)
        if known is not None and known.is_process(seen.pid, seen.began):
            seen = replace(seen, began=known.began)
        if seen == known:
            return
        with self._lock:
            self._known()[log] = self._changed[log] = seen

    def save(self) -> None:
        """Write what has changed, with what other runs have written; takes milliseconds."""
        with self._lock:
            changed, self._changed = self._changed, {}
        if not changed:
            return
        every = {log: seen for log, seen in _read().items() if log not in changed} | changed
        rows = [[log, each.pid, each.began, each.certain, each.gone] for log, each in every.items()]
        text = json.dumps({"machine": _machine(), "seen": rows[-_MOST:]})
        path = _path()
        with suppress(OSError):
            make_folder(path.parent)
            replace_file(path, text.encode(), 0o600)

    def _known(self) -> dict[str, Seen]:
        if self._seen is None:
            self._seen = _read()
        return self._seen


def _path() -> Path:
    return state_dir() / "clients.json"


def _read() -> dict[str, Seen]:
    """Return the saved marks of this machine; nothing of a file that is damaged."""
    path = _path()
    try:
        with path.open("rb") as file:
            kept: object = json.loads(file.read(_LARGEST))
        fields = cast("dict[str, object]", kept) if isinstance(kept, dict) else {}
        rows = fields.get("seen")
        if fields.get("machine") != _machine() or not isinstance(rows, list):
            return {}
        return dict(_rows(cast("list[object]", rows)))
    except (OSError, ValueError, RecursionError):
        return {}


def _rows(rows: list[object]) -> Iterator[tuple[str, Seen]]:
    for row in rows:
        match row:
            case [str(log), int(pid), float(began), bool(certain), float() | None as gone]:
                yield log, Seen(pid, began, certain, gone)
            case _:
                raise ValueError("damaged")


@cache
def _machine() -> str:
    """Where a number of a process means the same one: a home directory may be on many machines."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")  # noqa: PTH115
    except OSError:
        namespace = ""
    return f"{platform.node()} {namespace}"
