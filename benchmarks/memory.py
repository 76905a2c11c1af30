"""Memory of the screen and its workers, from the start until a large session is read."""

import time

from benchmarks.bench import Bench, size_text
from benchmarks.figures import Figure, Group, at_most
from benchmarks.generate import END, GB, LEAN, session
from benchmarks.process import pss_of_tree
from benchmarks.rows import row
from benchmarks.watched import watched

_MEBIBYTE = 1024**2
_LOOK = 0.1


def measure(bench: Bench) -> list[Group]:
    """The largest session of the plan."""
    found = row(11)
    found.figures.append(_figure(bench.plan.starts[-1], 150.0, bench.plan.patience))
    return [found]


def measure_huge(_: Bench) -> list[Group]:
    """A session of 10 GB, which takes some ten minutes."""
    found = row(11)
    found.figures.append(_figure(10 * GB, 250.0, 3600.0))
    return [found]


def _figure(size: int, bound: float, patience: float) -> Figure:
    most = 0
    with watched(session(size, LEAN).path) as watch:
        watch.terminal.wait_for(END.encode())
        deadline = time.perf_counter() + patience
        while not (done := watch.wait_told("indexed", _LOOK)) and time.perf_counter() < deadline:
            most = max(most, pss_of_tree(watch.terminal.pid))
    note = "" if done else f"not all was read after {patience:.0f} s"
    name = size_text(size)
    return Figure(name, most / _MEBIBYTE, "MB", (at_most(bound, "value"),), note=note)
