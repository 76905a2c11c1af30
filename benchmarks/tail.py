"""Following a session while it is written: one record, thousands a second, many at once."""

import bisect
import time
from collections.abc import Sequence

from benchmarks import writer
from benchmarks.bench import Bench, counts
from benchmarks.figures import Figure, Group, at_least, at_most, middle, percentile
from benchmarks.generate import END
from benchmarks.process import cpu_of
from benchmarks.terminal import Frame, GoneError, Terminal
from benchmarks.watched import agentview, watched

_RATE = 5000.0
_STEADY_RATE = 1000.0
_BUSY_RATE = 100.0
"""Records a second of several agents at work at once."""
_WIDE = 200, 50
_FRAME = 1000 / 60
"""Milliseconds of a frame."""


def measure(bench: Bench) -> Group:
    """Everything on a session that is small at first."""
    group = Group("tail")
    group.figures += _append(bench)
    group.figures += _follow(bench)
    if not bench.plan.fast:
        group.figures += _wide(bench)
        group.figures += _burst(bench)
        group.figures += _hours(bench)
    return group


def _append(bench: Bench) -> list[Figure]:
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
    floor = bench.hello.key_wall * 1000
    note = f"{lost} of {len(walls) + lost} not painted within 2 s" if lost else ""
    half = percentile(walls, 0.5) * 1000 if walls else None
    most = percentile(walls, 0.99) * 1000 if walls else None
    bound = at_most(16.7, "value")
    return [
        Figure("append to painted, p50", half, "ms", (at_most(2.5),), floor, "hello key", note),
        Figure("append to painted, p99", most, "ms", (bound,), floor, "hello key"),
    ]


def _follow(bench: Bench) -> list[Figure]:
    path = bench.copy("follow")
    seconds = bench.plan.follow
    with Terminal(agentview("tail", str(path))) as terminal:
        terminal.wait_for(END.encode())
        terminal.rest()
        terminal.frames.clear()
        used = cpu_of(terminal.pid)
        began = time.perf_counter()
        process = writer.start(path, "--rate", str(_RATE), "--seconds", str(seconds))
        terminal.run_for(seconds + 0.5)
        terminal.settle(timeout=30)
        used = cpu_of(terminal.pid) - used
        frames = list(terminal.frames)
        written = writer.told(process)
    count = written[-1][1]
    first, last = written[0][2], written[-1][2]
    while_written = [frame for frame in frames if first <= frame.at <= last]
    delays = lags(while_written, written)
    rate = count / (last - first)
    lag = middle(delays) * 1000 if delays else None
    name = f"following {rate:,.0f} records/s"
    return [
        Figure(
            f"{name}, frames",
            len(while_written) / (last - first),
            "frames/s",
            (at_least(45.0),),
            note=f"{count:,} records in {last - began:.1f} s",
        ),
        Figure(f"{name}, lag", lag, "ms", (at_most(2 * _FRAME, "value"),), _FRAME, "a frame"),
        Figure(f"{name}, CPU a record", used / count * 1000, "ms", (at_most(0.25, "value"),)),
    ]


def _wide(bench: Bench) -> list[Figure]:
    """In a large terminal, with the side panel: what a turn of the event loop takes at most."""
    path = bench.copy("wide")
    seconds = bench.plan.follow
    with watched(path, "--live", "--pulse") as watch:
        terminal = watch.terminal
        terminal.wait_for(END.encode())
        terminal.resize(*_WIDE)
        terminal.send(b"s")
        terminal.run_for(2.0)
        began = time.perf_counter()
        process = writer.start(path, "--rate", str(_BUSY_RATE), "--seconds", str(seconds))
        terminal.run_for(seconds + 0.5)
        writer.told(process)
        work = watch.work_at_once(began) * 1000
    columns, lines = _WIDE
    name = f"following {_BUSY_RATE:,.0f} records/s in {columns} × {lines}, CPU of a turn"
    return [Figure(name, work, "ms", (at_most(10.0, "value"),))]


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


def _burst(bench: Bench) -> list[Figure]:
    path = bench.copy("burst")
    with watched(path, "--live", "--pulse") as watch:
        terminal = watch.terminal
        terminal.wait_for(END.encode())
        # What is imported after the first frame is none of the burst's.
        terminal.run_for(2.0)
        began = time.perf_counter()
        process = writer.start(path, "--burst", str(bench.plan.burst))
        try:
            seen = terminal.wait_for(writer.BURST_END.encode(), 60.0)
        except GoneError:
            seen = None
        terminal.settle()
        count, written = writer.told(process)[-1][1:]
        held = watch.held_since(began) * 1000
        work = watch.work_at_once(began) * 1000
    floor = bench.floor("decode", path)
    name = f"burst of {count:,} records, {path.stat().st_size / 1e6:.0f} MB"
    wall = None if seen is None else seen - written
    return [
        Figure(f"{name}, loop held", held, "ms", (at_most(50.0, "value"),)),
        Figure(f"{name}, CPU of a turn", work, "ms"),
        Figure(f"{name}, on screen", wall, "s", (at_most(1.5),), floor.wall, "decoding them"),
    ]


def _hours(bench: Bench) -> list[Figure]:
    """Memory and descriptors while following; faster than an agent writes, so that it is enough."""
    path = bench.copy("hours")
    seconds = 2 * bench.plan.follow
    with Terminal(agentview("tail", str(path))) as terminal:
        terminal.wait_for(END.encode())
        process = writer.start(path, "--rate", str(_STEADY_RATE), "--seconds", str(2 * seconds))
        # The caches fill up first.
        terminal.run_for(seconds)
        memory, descriptors = counts(terminal.pid)
        terminal.run_for(seconds + 1.0)
        terminal.settle()
        memory_after, descriptors_after = counts(terminal.pid)
        written = writer.told(process)
    count = written[-1][1] / 2
    growth = (memory_after - memory) / count
    hour = growth * 50 * 3600
    return [
        Figure(
            "memory for each followed record",
            growth,
            "B",
            (at_most(48.0, "value"),),
            note=f"over {count:,.0f} records at {_STEADY_RATE:,.0f}/s, once the caches are full",
        ),
        Figure(
            "an hour of following 50 records/s, growth of memory",
            hour / memory * 100,
            "%",
            (at_most(5.0, "value"),),
            note="reckoned from the row above",
        ),
        Figure(
            "descriptors opened while following",
            float(descriptors_after - descriptors),
            "fds",
            (at_most(0, "value"),),
        ),
    ]
