"""What a key costs at a million records, and while they are being read."""

import time
from itertools import cycle, islice

from benchmarks.bench import Bench
from benchmarks.figures import Figure, Group, at_least, at_most, middle, percentile
from benchmarks.generate import END
from benchmarks.terminal import Press, Terminal
from benchmarks.watched import agentview

UP, DOWN = b"\x1b[5~", b"\x1b[6~"
_PAGES = (UP, UP, UP, DOWN, UP, UP, DOWN)
_JUMPS = (b"g", b"G", b"{", b"{", b"}", b"E")
_LINES = (b"k", b"k", b"k", b"j")
_PAGE_BYTES = 1500
"""A frame with less has not moved the rows."""


def measure(bench: Bench) -> Group:
    """Pages, jumps and lines; CPU next to a key of the smallest application."""
    group = Group("keys")
    watch, indexed = bench.large_open
    terminal = watch.terminal
    note = "" if indexed.wall is not None else "measured before everything was read"
    rows = f"{bench.large.records:,} records"
    everything: list[Press] = []
    for name, keys, bound, size in (
        ("page", _PAGES, 3.0, 8.0),
        ("jump", _JUMPS, 3.0, 8.0),
        ("line", _LINES, 2.0, 1.5),
    ):
        presses = _press_all(terminal, keys, bench.plan.presses)
        everything += presses
        cpu = middle([press.cpu for press in presses])
        group.figures.append(
            Figure(
                f"{name} at {rows}, CPU",
                cpu * 1000,
                "ms",
                (at_most(bound),),
                bench.hello.key_cpu * 1000,
                "hello key",
                note,
            )
        )
        group.figures.append(wall_figure(f"{name} at {rows}, wall p50", presses, 0.5, bench))
        written = middle([press.size for press in presses]) / 1000
        goals = (at_most(size, "value"),)
        group.figures.append(Figure(f"{name} at {rows}, to the terminal", written, "kB", goals))
    group.figures.append(wall_figure(f"keys at {rows}, wall p99", everything, 0.99, bench, 16.7))
    painted = [press.frames for press in everything if press.frames]
    group.figures.append(
        Figure(
            "frames a key",
            sum(painted) / len(painted) if painted else None,
            "frames",
            (at_most(1.0, "value"), at_least(1.0)),
        )
    )
    if not bench.plan.fast:
        # A short session is read before the first of these keys.
        group.figures += _while_indexing(bench)
    return group


def _press_all(terminal: Terminal, keys: tuple[bytes, ...], count: int) -> list[Press]:
    terminal.send(b"G")
    terminal.settle()
    presses = [terminal.press(key) for key in islice(cycle(keys), count)]
    # A key at an end of the rows changes nothing and paints nothing.
    return [press for press in presses if press.frames]


def _while_indexing(bench: Bench) -> list[Figure]:
    with Terminal(agentview("open", str(bench.large.path))) as terminal:
        terminal.wait_for(END.encode())
        terminal.run_for(0.5)
        presses: list[Press] = []
        deadline = time.perf_counter() + 2 * bench.plan.follow
        for key in cycle((UP, DOWN)):
            if len(presses) >= 2 * bench.plan.presses or time.perf_counter() > deadline:
                break
            presses.append(terminal.press(key, quiet=0.0, least=_PAGE_BYTES))
            terminal.run_for(0.04)
    painted = [press for press in presses if press.frames]
    note = "" if len(painted) == len(presses) else f"{len(presses) - len(painted)} painted nothing"
    name = "page while reading"
    return [
        wall_figure(f"{name}, wall p50", painted, 0.5, bench),
        wall_figure(f"{name}, wall p99", painted, 0.99, bench, 20.0, note),
    ]


def wall_figure(
    name: str, presses: list[Press], part: float, bench: Bench, bound: float = 0.0, note: str = ""
) -> Figure:
    floor = percentile([press.wall for press in bench.hello.keys], part) * 1000
    ours = percentile([press.wall for press in presses], part) * 1000 if presses else None
    goals = (at_most(bound, "value"),) if bound else ()
    return Figure(name, ours, "ms", goals, floor, "hello key", note)
