"""What a session costs that is open while nothing happens."""

import os
import time
from pathlib import Path

from benchmarks.bench import Bench, HelloFacts, idle_cpu
from benchmarks.figures import Figure, Goal, Group, at_most
from benchmarks.generate import END
from benchmarks.generate_formats import formats
from benchmarks.terminal import Terminal
from benchmarks.watched import agentview

SETTLED = 1.5
"""Seconds without work: what is closed is looked for a second after the last work."""
_HOUR = 3600


def measure(bench: Bench) -> Group:
    """CPU of the program and its children, as a part of one core."""
    hello = bench.hello
    log = bench.copy("idle")
    # The state of a log that was just written changes once more.
    written = time.time() - _HOUR
    os.utime(log, (written, written))
    group = Group("idle")
    with _opened(log) as live:
        live.rest(SETTLED)
        group.figures += _figures(bench, live, hello, "a live session", at_most(1.5))
    if not bench.plan.fast:
        with _opened(formats()["OpenCode"](bench.plan.format)) as rows:
            rows.rest(SETTLED)
            group.figures += _figures(bench, rows, hello, "a database")
    return group


def _opened(path: Path) -> Terminal:
    terminal = Terminal(agentview("tail", str(path)))
    terminal.wait_for(END.encode())
    return terminal


def _figures(
    bench: Bench, terminal: Terminal, hello: HelloFacts, words: str, *goals: Goal
) -> list[Figure]:
    # Frames of before, which nobody read while the other program was looked at.
    terminal.settle()
    terminal.frames.clear()
    used = idle_cpu(terminal, bench.plan.idle)
    painted = len(terminal.frames)
    whole = (*goals, at_most(0.5, "value"))
    return [
        Figure(f"CPU with {words} open", used * 100, "%", whole, hello.idle * 100, "hello"),
        Figure("frames painted meanwhile", float(painted), "frames", (at_most(0, "value"),)),
    ]
