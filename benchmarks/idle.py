"""What a session costs that is open while nothing happens."""

from benchmarks.bench import Bench, idle_cpu
from benchmarks.figures import Figure, Group, at_most
from benchmarks.generate import END
from benchmarks.terminal import Terminal
from benchmarks.watched import agentview


def measure(bench: Bench) -> Group:
    """CPU of the program and its children, as a part of one core."""
    path = bench.copy("idle")
    with Terminal(agentview("tail", str(path))) as terminal:
        terminal.wait_for(END.encode())
        terminal.run_for(3.0)
        terminal.frames.clear()
        used = idle_cpu(terminal, bench.plan.idle)
        painted = len(terminal.frames)
    return Group(
        "idle",
        [
            Figure(
                "CPU with a live session open",
                used * 100,
                "%",
                (at_most(1.5), at_most(0.5, "value")),
                bench.hello.idle * 100,
                "hello",
            ),
            Figure("frames painted meanwhile", float(painted), "frames", (at_most(0, "value"),)),
        ],
    )
