"""The program in a terminal, as it is or with a watch inside, opened on a session."""

import json
import os
import signal
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.terminal import GoneError, Terminal

HELLO = [sys.executable, "-m", "benchmarks.hello"]


def agentview(*arguments: str) -> list[str]:
    """The command line of the program."""
    return [sys.executable, "-m", "agentview", *arguments]


@dataclass(slots=True)
class Watched:
    """The program with a watch inside, and what the watch told."""

    terminal: Terminal
    descriptor: int
    told: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _rest: bytes = b""

    def hear(self) -> None:
        """Take what was told meanwhile."""
        while True:
            try:
                data = os.read(self.descriptor, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                return
            *lines, self._rest = (self._rest + data).split(b"\n")
            self.told += map(json.loads, lines)

    def wait_told(self, key: str, timeout: float) -> dict[str, Any] | None:
        """The first thing told with the key; None when the time is over before it."""
        deadline = time.perf_counter() + timeout
        while True:
            self.hear()
            found = next((fact for fact in self.told if key in fact), None)
            if found is not None or time.perf_counter() > deadline:
                return found
            try:
                self.terminal.run_for(0.02)
            except GoneError:
                return None

    def toggle_profile(self) -> None:
        """Begin to profile, or end it; for `benchmarks.profiled` only."""
        os.kill(self.terminal.pid, signal.SIGUSR1)


@contextmanager
def watched(
    path: Path,
    *options: str,
    module: str = "benchmarks.observed",
    environment: Mapping[str, str] | None = None,
) -> Generator[Watched]:
    """Open a session in the program with a watch inside."""
    reading, writing = os.pipe()
    command = [sys.executable, "-m", module, str(writing), str(path), *options]
    with Terminal(command, environment=environment, keep=[writing]) as terminal:
        os.close(writing)
        os.set_blocking(reading, False)
        yield Watched(terminal, reading)
    os.close(reading)
