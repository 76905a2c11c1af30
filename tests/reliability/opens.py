"""Many sessions opened and closed in one process: memory, threads, descriptors and tasks stay."""

import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tests.reliability.outcome import Outcome, Plan

_GROWTH = 8 * 1024 * 1024
"""Bytes by which memory may differ between one half of the run and the next: the allocator takes
memory in steps."""
PATIENCE = 3600.0

Held = tuple[int, int, int, int]
"""Bytes of memory, threads, descriptors, tasks."""


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """One line: the screens run in a process of their own, whose figures are looked at."""
    count = plan.of(1000, 50)
    outcome = Outcome("opens", f"{count:,} opens in one process", count, "opens")
    with outcome.timed():
        done = subprocess.run(
            [sys.executable, "-m", "tests.ui.closed_screens", str(root), str(count), "4"],
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
            first, last = int(lines[1][0]) >> 20, int(lines[-1][0]) >> 20
            outcome.note = f"RSS {first} MB after a quarter, {last} MB at the end"
    yield outcome


def faults(held: list[Held]) -> Iterator[str]:
    """What grew: threads, descriptors and tasks by any, memory in each part of the run."""
    # The first is of the time when not everything was opened yet that is opened once.
    settled = held[1:]
    for name, at in (("threads", 1), ("descriptors", 2), ("tasks", 3)):
        figures = [each[at] for each in settled]
        if figures[-1] > figures[0]:
            yield f"{name}: {figures}"
    grown = [after[0] - before[0] for before, after in pairwise(settled)]
    if sum(grown) > _GROWTH and min(grown) > 0:
        yield f"memory grows by {grown} bytes"
