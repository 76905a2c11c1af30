"""How much is read of a home of small logs until all of them is known, and by the next start.

`python -m benchmarks.home` prints one such start for the logs of this user as JSON.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import cache
from io import FileIO
from pathlib import Path

from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.scan.indexer import index_sessions
from agentview.sessions.library.scan.scanner import scan_sessions, session_roots
from agentview.sources import files
from benchmarks.bench import Bench
from benchmarks.figures import Figure, Group, at_most
from benchmarks.generate import MB
from benchmarks.library_home import Home, library_home

_FIRST, _NEXT = 1.15, 0.005
"""Bytes of logs that a start may read, as parts of those of the home."""

_sizes: list[int] = []
"""Bytes of each read of a log, or of what is kept of one; SQLite reads by itself."""


def measure(bench: Bench) -> Group:
    """With nothing known of the home, then with all of it; the floor is its size."""
    home = _small_home(bench)
    home.forget()
    with tempfile.TemporaryDirectory() as empty:
        nothing = start_of({**os.environ, "HOME": empty, "AGENTVIEW_CACHE_DIR": f"{empty}/cache"})
    environment = {**os.environ, **home.environment}
    first, again = start_of(environment), start_of(environment)
    size, name = home.bytes / MB, f"{home.logs:,} small logs"
    figures: list[Figure] = []
    for words, most, found in (("", _FIRST, first), (", next start", _NEXT, again)):
        read = found["logs"] / MB
        note = f"{found['listed']} listed, {found['counted']} counted, CPU {found['cpu']:.1f} s"
        own = (found["read"] - nothing["read"]) / MB - read
        figures += [
            Figure(
                f"read of logs, {name}{words}", read, "MB", (at_most(most),), size, "home", note
            ),
            Figure(f"read of the catalogue and the full-text index{words}", own, "MB"),
        ]
    return Group("home", figures)


@cache
def known_home(bench: Bench) -> Home:
    """The home of small logs, all of them listed, counted and indexed, once a run."""
    home = _small_home(bench)
    start_of({**os.environ, **home.environment})
    return home


def _small_home(bench: Bench) -> Home:
    return library_home(100 if bench.plan.fast else 1_000, small=True)


def start_of(environment: dict[str, str]) -> dict[str, float]:
    """What one start of the workers of the library read and took: bytes and seconds."""
    command = [sys.executable, "-m", "benchmarks.home"]
    found = subprocess.run(command, env=environment, capture_output=True, check=True)
    told: dict[str, float] = json.loads(found.stdout)
    return told


def main() -> None:
    """List, count and index the logs of this user, as the workers of the library do."""
    _count_reads()
    roots = session_roots(os.environ)
    with SessionCache() as catalogue:
        listed = sum(len(found.facts) for found in scan_sessions(roots, catalogue=catalogue))
    with SessionCache() as catalogue:
        batches = index_sessions(roots, lambda: False, catalogue)
        counted = sum(len(found.facts) for found in batches)
    took = {"read": _bytes_read(), "logs": sum(_sizes), "cpu": time.process_time()}
    print(json.dumps({**took, "listed": listed, "counted": counted}))


def _count_reads() -> None:
    """Count what is read of logs: by place, and of heads and tails in order."""
    read = os.pread

    def counting(fd: int, length: int, offset: int) -> bytes:
        data = read(fd, length, offset)
        _sizes.append(len(data))
        return data

    os.pread = counting
    files.FileIO = _CountedFile


class _CountedFile(FileIO):
    """A file whose reads are counted."""

    def read(self, size: int | None = -1, /) -> bytes:
        """As that of any file."""
        data = super().read(size)
        _sizes.append(len(data))
        return data


def _bytes_read() -> int:
    """Bytes of all calls of the system that read, those of modules and of SQLite included."""
    facts = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    return int(dict(fact.split(": ") for fact in facts)["rchar"])


if __name__ == "__main__":
    main()
