"""Following a session: one record, a hundred a second, thousands a second, and none."""

import bisect
import os
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import writer
from benchmarks.bench import Bench, idle_cpu
from benchmarks.figures import Figure, Group, at_least, at_most, middle, percentile
from benchmarks.generate import END
from benchmarks.process import cpu_of_tree, rss_of, written_by_tree
from benchmarks.rows import row
from benchmarks.terminal import Frame, GoneError, Terminal
from benchmarks.watched import agentview

_RATE = 5000.0
_STEADY_RATE = 1000.0
_BUSY_RATE = 100.0
"""Records a second of several agents at work at once."""
_HOUR = 3600
SETTLED = 1.5
"""Seconds without work: what is closed is looked for a second after the last work."""


def measure(bench: Bench) -> list[Group]:
    """Everything on a session that is small at first."""
    following, memory, rest = row(13), row(14), row(15)
    following.figures += [_busy(bench), *_fast(bench)]
    memory.figures.append(_memory(bench))
    rest.figures += [*_idle(bench), _append(bench)]
    return [following, memory, rest]


def _busy(bench: Bench) -> Figure:
    path, seconds = bench.copy("busy"), bench.plan.follow
    with Terminal(agentview("tail", str(path))) as terminal:
        terminal.wait_for(END.encode())
        terminal.rest()
        used = cpu_of_tree(terminal.pid)
        written = _written(terminal, path, _BUSY_RATE, seconds)
        used = cpu_of_tree(terminal.pid) - used
    share = used / (written[-1][2] - written[0][2])
    return Figure(
        f"{_BUSY_RATE:,.0f} records/s, CPU of a core", share * 100, "%", (at_most(10.0, "value"),)
    )


def _fast(bench: Bench) -> list[Figure]:
    path, seconds = bench.copy("follow"), bench.plan.follow
    with Terminal(agentview("tail", str(path))) as terminal:
        terminal.wait_for(END.encode())
        terminal.rest()
        terminal.frames.clear()
        written = _written(terminal, path, _RATE, seconds)
        frames = list(terminal.frames)
    first, last = written[0][2], written[-1][2]
    while_written = [frame for frame in frames if first <= frame.at <= last]
    delays = lags(while_written, written)
    name = f"{written[-1][1] / (last - first):,.0f} records/s"
    rate = len(while_written) / (last - first)
    lag = percentile(delays, 0.99) * 1000 if delays else None
    return [
        Figure(f"{name}, frames", rate, "frames/s", (at_least(45.0),)),
        Figure(f"{name}, lag p99", lag, "ms", (at_most(50.0, "value"),)),
    ]


def _written(terminal: Terminal, path: Path, rate: float, seconds: float) -> list[writer.Batch]:
    """Have so many records a second written, until the terminal shows the last of them."""
    with writer.Writer(path, rate, seconds) as process:
        while process.writes:
            terminal.run_for(0.05)
        terminal.settle(timeout=30)
        return process.told()


def lags(frames: Sequence[Frame], written: Sequence[writer.Batch]) -> list[float]:
    """How old the newest step in each frame is: seconds since the step after it was written.

    Zero when nothing newer had been written. Frames without a step's number tell nothing.
    """
    numbers = [number for number, _, _ in written]
    found: list[float] = []
    for frame in frames:
        shown = max(writer.marked(frame.text), default=None)
        if shown is None:
            continue
        following = bisect.bisect_right(numbers, shown)
        newer = following < len(written) and written[following][2] < frame.at
        found.append(frame.at - written[following][2] if newer else 0.0)
    return found


def _memory(bench: Bench) -> Figure:
    """Faster than an agent writes, so that it is enough to be seen."""
    path, seconds = bench.copy("hours"), 2 * bench.plan.follow
    with Terminal(agentview("tail", str(path))) as terminal:
        terminal.wait_for(END.encode())
        # The caches fill up first.
        _written(terminal, path, _STEADY_RATE, seconds)
        before = rss_of(terminal.pid)
        count = _written(terminal, path, _STEADY_RATE, seconds)[-1][1]
        after = rss_of(terminal.pid)
    note = f"over {count:,.0f} records at {_STEADY_RATE:,.0f}/s, once the caches are full"
    return Figure(
        "resident memory", (after - before) / count, "B", (at_most(48.0, "value"),), note=note
    )


def _idle(bench: Bench) -> list[Figure]:
    log = bench.copy("idle")
    # The state of a log that was just written changes once more.
    written = time.time() - _HOUR
    os.utime(log, (written, written))
    with Terminal(agentview("tail", str(log))) as terminal:
        terminal.wait_for(END.encode())
        terminal.rest(SETTLED)
        before = written_by_tree(terminal.pid)
        used = idle_cpu(terminal, bench.plan.idle)
        size = written_by_tree(terminal.pid) - before
    goal = (at_most(0.4, "value"),)
    return [
        Figure("CPU", used * 100, "%", goal, bench.hello.idle * 100, "hello"),
        Figure("bytes written", float(size), "B", (at_most(0, "value"),)),
    ]


def _append(bench: Bench) -> Figure:
    path = bench.copy("append")
    conversation = writer.growing(path)
    walls: list[float] = []
    lost = 0
    with Terminal(agentview("tail", str(path))) as terminal, path.open("ab", buffering=0) as file:
        terminal.wait_for(END.encode())
        terminal.rest()
        for number in range(1, bench.plan.presses + 1):
            record = writer.message_step(conversation)
            began = time.perf_counter()
            file.write(record)
            try:
                walls.append(terminal.wait_for(writer.mark(number), 2.0) - began)
            except GoneError:
                lost += 1
                if lost > 3:
                    break
            terminal.run_for(0.03 + 0.007 * (number % 7))
    note = f"{lost} of {len(walls) + lost} not painted within 2 s" if lost else ""
    half = middle(walls) * 1000 if walls else None
    floor = bench.hello.key_wall * 1000
    bound = at_most(40.0, "value")
    return Figure("append to painted, p50", half, "ms", (bound,), floor, "hello key", note)
