"""What a key costs: while a session is just opened, on rows never seen, and on rows seen."""

import time
from itertools import cycle, islice
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.figures import Figure, Group, at_most, middle, percentile
from benchmarks.generate import END
from benchmarks.generate_formats import formats
from benchmarks.rows import row
from benchmarks.terminal import Press, Terminal
from benchmarks.watched import agentview

UP, DOWN = b"\x1b[5~", b"\x1b[6~"
_SEEN = (DOWN, DOWN, UP, UP)
_LINES = (b"k", b"k", b"k", b"j")
_PAUSE = 0.1
_PAGE_BYTES = 1500
"""A frame with less has not moved the rows."""


def measure(bench: Bench) -> list[Group]:
    """A log of each kind of source, opened once."""
    groups = [row(5), row(6), row(7), row(8)]
    size = bench.plan.format
    logs = {"Claude Code": bench.session(size).path}
    logs |= {name: make(size) for name, make in formats().items()}
    for name, path in logs.items():
        for group, figures in zip(groups, _of_log(bench, name, path), strict=True):
            group.figures += figures
    return groups


def _of_log(bench: Bench, name: str, path: Path) -> list[list[Figure]]:
    with Terminal(agentview("open", str(path))) as terminal:
        terminal.wait_for(END.encode())
        early = _at_first(terminal, bench.plan.beginning)
        terminal.rest()
        new = _pressed(terminal, (UP,), bench.plan.presses)
        pages = _pressed(terminal, _SEEN, bench.plan.presses)
        lines = _pressed(terminal, _LINES, bench.plan.presses)
    floor = bench.hello.key_wall * 1000
    late = max((press.wall for press in early), default=0.0) * 1000 or None
    rare = percentile([press.wall for press in new], 0.99) * 1000 if new else None
    seen = [(f"line, {name}", lines, 1.5, 1.5), (f"page, {name}", pages, 2.0, 8.0)]
    return [
        [Figure(name, late, "ms", (at_most(50.0, "value"),), floor, "hello key")],
        [Figure(name, rare, "ms", (at_most(33.0, "value"),), floor, "hello key")],
        [
            Figure(word, _middle(found, "wall", 1000), "ms", (at_most(most),), floor, "hello key")
            for word, found, most, _ in seen
        ],
        [
            Figure(word, _middle(found, "size", 0.001), "kB", (at_most(most, "value"),))
            for word, found, _, most in seen
        ],
    ]


def _at_first(terminal: Terminal, seconds: float) -> list[Press]:
    """Pages up while the program still reads and imports; those that painted."""
    presses: list[Press] = []
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline:
        presses.append(terminal.press(UP, quiet=0.0, least=_PAGE_BYTES))
        terminal.run_for(_PAUSE)
    return [press for press in presses if press.frames]


def _pressed(terminal: Terminal, keys: tuple[bytes, ...], count: int) -> list[Press]:
    """A key at an end of the rows changes nothing and paints nothing: it is not counted."""
    terminal.settle()
    presses = [terminal.press(key) for key in islice(cycle(keys), count)]
    return [press for press in presses if press.frames]


def _middle(presses: list[Press], what: str, times: float) -> float | None:
    return middle([getattr(press, what) for press in presses]) * times if presses else None
