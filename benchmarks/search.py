"""Finding a text in a session, as the program's own search does."""

import re
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from benchmarks.bench import Bench, wait_indexed
from benchmarks.figures import Figure, Group, at_most, middle
from benchmarks.records import NEEDLE
from benchmarks.rows import row
from benchmarks.terminal import Frame, Terminal
from benchmarks.watched import watched

_COUNTED = re.compile(r"([\d,]+) found|[\d,]+ of ([\d,]+)")
_BUSY_LOOPS = 4
_ENDLESS = [sys.executable, "-c", "while True: pass"]


def measure(bench: Bench) -> list[Group]:
    """Everything is read first, so that nothing of the program runs besides the search."""
    found = row(12)
    session = bench.session(bench.plan.middle)
    with watched(session.path) as watch:
        wait_indexed(watch, bench.plan.patience)
        runs = range(bench.plan.runs)
        quiet = [_first_hit(watch.terminal, bench.plan.patience) for _ in runs]
        with busy(_BUSY_LOOPS):
            beside = [_first_hit(watch.terminal, bench.plan.patience) for _ in runs]
    for name, seconds, bound in (
        ("quiet", quiet, 50.0),
        (f"with {_BUSY_LOOPS} busy loops", beside, 150.0),
    ):
        known = [each for each in seconds if each is not None]
        first = middle(known) * 1000 if len(known) == len(seconds) else None
        found.figures.append(Figure(name, first, "ms", (at_most(bound, "value"),)))
    return [found]


@contextmanager
def busy(loops: int) -> Generator[None]:
    """So many processes that use all the CPU that they get."""
    started = [subprocess.Popen(_ENDLESS) for _ in range(loops)]
    try:
        yield
    finally:
        for each in started:
            each.kill()
            each.wait()


def _first_hit(terminal: Terminal, patience: float) -> float | None:
    """Seconds from a word, typed as one piece, to the first frame that counts a hit."""
    terminal.send(b"/")
    terminal.settle(timeout=2.0)
    terminal.frames.clear()
    began = terminal.send(NEEDLE.encode())
    first: float | None = None
    while first is None and time.perf_counter() < began + patience:
        terminal.run_for(0.02)
        first = next((at - began for at, hits in reports(terminal.frames) if hits), None)
    terminal.send(b"\x1b")
    terminal.settle(timeout=2.0)
    terminal.send(b"\x1b")
    terminal.settle(timeout=2.0)
    return first


def reports(frames: Sequence[Frame]) -> list[tuple[float, int]]:
    """What frames tell of a search: when, and how many hits."""
    told = ((frame.at, hits_told(frame.text)) for frame in frames)
    return [(at, hits) for at, hits in told if hits is not None]


def hits_told(text: str) -> int | None:
    """How many hits a frame tells of; None when it tells of none at all."""
    match = _COUNTED.search(text)
    if match is None:
        return None
    return int((match[1] or match[2]).replace(",", ""))
