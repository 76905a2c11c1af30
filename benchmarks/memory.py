"""Memory with all of a large session read."""

from benchmarks.bench import Bench, size_text
from benchmarks.figures import Figure, Group, at_most
from benchmarks.generate import END, MB
from benchmarks.process import rss_of
from benchmarks.terminal import Terminal
from benchmarks.watched import agentview

_MEBIBYTE = 1024**2


def measure(bench: Bench) -> Group:
    """Resident memory of the screen's process; next to it a small session and hello."""
    watch, indexed = bench.large_open
    large, hello = rss_of(watch.terminal.pid), bench.hello.rss
    with Terminal(agentview("open", str(bench.session(bench.plan.starts[0]).path))) as terminal:
        terminal.wait_for(END.encode())
        terminal.rest()
        small = rss_of(terminal.pid)
    rows = indexed.rows or bench.large.records
    note = "" if indexed.wall is not None else "before everything was read"
    name = f"{size_text(bench.large.size)}, {rows:,} rows"
    return Group(
        "memory",
        [
            Figure(
                f"memory, {name}",
                large / _MEBIBYTE,
                "MB",
                (at_most(64.0, "value"),),
                hello / _MEBIBYTE,
                "hello",
                note,
            ),
            Figure(
                "memory a row, over hello",
                (large - hello) / rows,
                "B",
                (at_most(32.0, "value"),),
                note=note,
            ),
            Figure("memory a row, over a small session", (large - small) / rows, "B"),
            Figure(
                f"memory, {bench.plan.starts[0] / MB * 1000:.0f} kB",
                small / _MEBIBYTE,
                "MB",
                (at_most(48.0, "value"),),
                hello / _MEBIBYTE,
                "hello",
            ),
        ],
    )
