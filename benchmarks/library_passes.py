"""Passes over a home, as JSON: `python -m benchmarks.library_passes PASS HOME`."""

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

from agentview.facts.kept.facts_db import facts_path
from agentview.providers import load_provider
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.scan.scanner import scan_sessions, session_roots
from agentview.sessions.library.search_roots import ScanBatch

RUNS = 7
"""Of each pass in one process; the quickest counts, since others may be at work."""


def main() -> None:
    """Run one pass several times; prints wall and CPU seconds of the quickest, and the sessions."""
    name, home = sys.argv[1:]
    os.environ["HOME"] = home
    roots = session_roots(os.environ)
    prepare, run = PASSES[name]
    prepared = prepare(roots)
    walls: list[float] = []
    cpus: list[float] = []
    count = 0
    for _ in range(RUNS):
        wall, cpu = time.perf_counter(), time.process_time()
        count = run(prepared)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    print(json.dumps({"wall": min(walls), "cpu": min(cpus), "count": count}))


Roots = list[tuple[str, Path]]


def _same(roots: Roots) -> Roots:
    return roots


def _paths(roots: Roots) -> list[str]:
    there = [(name, root) for name, root in roots if root.is_dir()]
    return [
        entry.path for name, root in there for entry in load_provider(name).discovery.files(root)
    ]


def _stat(paths: list[str]) -> int:
    for path in paths:
        os.stat(path)  # noqa: PTH116  (the floor)
    return len(paths)


def _rows(_: Roots) -> int:
    database = sqlite3.connect(facts_path())
    rows = database.execute("SELECT * FROM log").fetchall()
    database.close()
    return len(rows)


def _facts(roots: Roots) -> int:
    with SessionCache() as catalogue:
        return len(catalogue.read(roots))


def _scan(roots: Roots) -> int:
    with SessionCache() as catalogue:
        batches: list[ScanBatch] = list(scan_sessions(roots, catalogue=catalogue))
    return sum(len(found.facts) for found in batches)


PASSES: dict[str, tuple[Callable[[Roots], object], Callable[..., int]]] = {
    "stat": (_paths, _stat),
    "rows": (_same, _rows),
    "facts": (_same, _facts),
    "warm": (_same, _scan),
}


if __name__ == "__main__":
    main()
