"""One line of a hundred megabytes in the middle of a session: it is a stub that opens in pages."""

import time
from pathlib import Path

from benchmarks import generate
from benchmarks.bench import Bench, size_text
from benchmarks.figures import Figure, Group, at_most
from benchmarks.generate import END, MB
from benchmarks.process import rss_of
from benchmarks.terminal import Terminal
from benchmarks.watched import agentview

_FULL, _FAST = (300 * MB, 110 * MB), (60 * MB, 20 * MB)
_STUB = b"too long to be read at once"
_PATIENCE = 60.0
_LOOK = 1 << 20


def measure(bench: Bench) -> list[Group]:
    """Open the session, go to the line, open it, and go to its end."""
    size, length = _FAST if bench.plan.fast else _FULL
    path = generate.long_line_session(size, length).path
    place = _longest_line(path)
    name = f"a line of {size_text(length)}"
    with Terminal(agentview("open", str(path))) as terminal:
        first = terminal.wait_for(END.encode()) - terminal.started
        terminal.run_for(0.5)
        terminal.send(b":")
        terminal.settle()
        terminal.send(f"b{place}\r".encode())
        stub = terminal.wait_for(_STUB, _PATIENCE) - terminal.started
        terminal.settle()
        terminal.send(b"o")
        opened = _taken(terminal, b"parentUuid")
        terminal.settle()
        terminal.send(b"r")
        terminal.settle()
        terminal.send(b"G")
        paged = _taken(terminal, b"sourceToolAssistantUUID")
        terminal.settle()
        memory = rss_of(terminal.pid) / 1e6
    group = Group(
        "long line",
        [
            Figure(f"{name}, first frame of its session", first * 1000, "ms"),
            Figure(f"{name}, as a stub among its neighbours", stub, "s"),
            Figure(f"{name}, opened", opened * 1000, "ms"),
            Figure(f"{name}, its end shown", paged * 1000, "ms"),
            Figure(f"{name}, memory", memory, "MB", (at_most(64.0, "value"),)),
        ],
    )
    return [group]


def _taken(terminal: Terminal, marker: bytes) -> float:
    """Seconds until something is painted."""
    began = time.perf_counter()
    return terminal.wait_for(marker, _PATIENCE) - began


def _longest_line(path: Path) -> int:
    """Where the longest line begins."""
    place = longest = start = at = 0
    with path.open("rb") as file:
        while block := file.read(_LOOK):
            newline = block.find(b"\n")
            while newline >= 0:
                if at + newline - start > longest:
                    place, longest = start, at + newline - start
                start = at + newline + 1
                newline = block.find(b"\n", newline + 1)
            at += len(block)
    return place
