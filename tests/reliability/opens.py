"""Many sessions opened and closed in one process: memory, threads, descriptors and tasks stay."""

import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tests.reliability.outcome import Outcome, Plan

_GROWTH = 5 * 1024 * 1024
"""Bytes that memory may grow behind the first part: the allocator takes it in steps. A leak of each
open of the fast plan that is found has some 80 kB."""
_EVEN = 4
"""A part of which the growth is less than this part of an even share has no leak of each open."""
PATIENCE = 3600.0

Held = tuple[int, int, int, int]
"""Bytes of memory, threads, descriptors, tasks."""


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """One line: the screens run in a process of their own, whose figures are looked at."""
    count, parts = plan.of(1000, 90), plan.of(4, 3)
    outcome = Outcome("opens", f"{count:,} opens in one process", count, "opens")
    with outcome.timed():
        done = subprocess.run(
            [sys.executable, "-m", "tests.ui.closed_screens", str(root), str(count), str(parts)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        if done.returncode:
            outcome.failures.append(done.stderr[-1500:])
        else:
            lines = [line.split() for line in done.stdout.splitlines()]
            outcome.failures += faults([(int(a), int(b), int(c), int(d)) for a, b, c, d in lines])
            first, last = int(lines[0][0]) >> 20, int(lines[-1][0]) >> 20
            outcome.note = f"RSS {first} MB after the first {count // parts}, {last} MB at the end"
    yield outcome


def faults(held: list[Held]) -> Iterator[str]:
    """What grew behind the first part of the run, in which everything is opened once.

    Threads, descriptors and tasks may not grow by any, memory not by much in each part.
    """
    for name, at in (("threads", 1), ("descriptors", 2), ("tasks", 3)):
        figures = [each[at] for each in held]
        if figures[-1] > figures[0]:
            yield f"{name}: {figures}"
    grown = [after[0] - before[0] for before, after in pairwise(held)]
    if sum(grown) > _GROWTH and _EVEN * len(grown) * min(grown) > sum(grown):
        yield f"memory grows by {grown} bytes"
