"""Bounds the CPU time that one file may cost, however little its bytes say of its content."""

from collections.abc import Generator
from contextlib import contextmanager
from threading import local
from time import thread_time

from agentview.errors import Unreadable

ALWAYS = 30.0
"""Seconds that any file may take."""
_PER_BYTE = 1.0 / (1024 * 1024)
"""Seconds more for each of its bytes: many times what it takes to read what clients write."""


class _Running(local):
    since: float | None = None


class CpuBudget:
    """The time that a file has cost. A part of it counts once, so that it can be read again."""

    def __init__(self, path: str, size: int) -> None:
        self._path = path
        self._most = ALWAYS + size * _PER_BYTE
        self._spent = 0.0
        self._read: set[str] = set()
        self._running = _Running()

    @contextmanager
    def part(self, name: str) -> Generator[None]:
        """Count what is done in it, by this thread. Raises Unreadable when nothing is left."""
        if name in self._read:
            yield
            return
        if self._running.since is not None:
            self.check()
            yield
        else:
            self._compare(0.0)
            self._running.since = since = thread_time()
            try:
                yield
            finally:
                self._spent += thread_time() - since
                self._running.since = None
        self._read.add(name)

    def check(self) -> None:
        """Raise Unreadable when the part that is being read has cost more than is left."""
        if self._running.since is not None:
            self._compare(thread_time() - self._running.since)

    def _compare(self, running: float) -> None:
        if self._spent + running > self._most:
            why = f"reading it takes more than {self._most:,.0f} s of CPU time"
            raise Unreadable(f"Cannot read {self._path}: {why}.", why=why)
