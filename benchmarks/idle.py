"""What a session costs that is open while nothing happens."""

from pathlib import Path

from agentview.domain.session_state import UNSEEN
from benchmarks.bench import Bench, HelloFacts, idle_cpu
from benchmarks.figures import Figure, Goal, Group, at_most
from benchmarks.generate import END
from benchmarks.generate_formats import formats
from benchmarks.terminal import Terminal
from benchmarks.watched import agentview

_SETTLED = UNSEEN + 2.0
"""Seconds after which the state of a log that was just written changes no longer for a while."""


def measure(bench: Bench) -> Group:
    """CPU of the program and its children, as a part of one core."""
    database = formats()["OpenCode"](bench.plan.format)
    hello = bench.hello
    with _opened(bench.copy("idle")) as live, _opened(database) as rows:
        live.run_for(_SETTLED)
        rows.settle()
        return Group(
            "idle",
            [
                *_figures(bench, live, hello, "a live session", at_most(1.5)),
                *_figures(bench, rows, hello, "a database"),
            ],
        )


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
