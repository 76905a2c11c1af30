"""Sessions of other clients: the first frame, and all numbers, first and from what is kept."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from benchmarks.bench import Bench, Pass, size_text
from benchmarks.commands import run_piped
from benchmarks.figures import Figure, Group, at_most, middle
from benchmarks.generate import KB, session
from benchmarks.generate_formats import formats
from benchmarks.keys import UP, wall_figure
from benchmarks.start import frame_figures, in_turn
from benchmarks.terminal import Terminal
from benchmarks.watched import agentview

_SOURCES = frozenset({"Codex", "Gemini document", "OpenCode"})
"""One of lines, one document and one database, for the fast plan."""
_GOALS = {"Claude Code": 4.0, "Codex": 6.0, "ACP": 8.0, "OpenCode": 6.0}
"""What the first count of a log may take, as a multiple of parsing its bytes."""


def measure(bench: Bench) -> Group:
    """A log of each kind of source; the floor of a count is one pass of orjson over its bytes."""
    group = Group("formats")
    size = bench.plan.format
    # Sessions of Claude Code are in the other groups too.
    logs = {} if bench.plan.fast else {"Claude Code": session(size).path}
    logs |= {
        name: make(size)
        for name, make in formats().items()
        if name in _SOURCES or not bench.plan.fast
    }
    keys: dict[str, list[Figure]] = {}

    def press(name: str, terminal: Terminal) -> None:
        keys[name] = _keys(bench, name, terminal)

    hello, ours = in_turn(bench.plan.runs, logs, last=press)
    environment = keeping(bench, "nothing")
    short = session(10 * KB).path
    nothing = middle([_stats(short, environment) for _ in range(bench.plan.runs)])
    for name, path in logs.items():
        words = f"first frame, {name}, {size_text(size)}"
        group.figures += frame_figures(words, hello, ours[name], 1.5)
        group.figures += _counts(bench, name, path, nothing)
        group.figures += keys[name]
    return group


def _keys(bench: Bench, name: str, terminal: Terminal) -> list[Figure]:
    """The first key after the first frame, and pages up that were never seen before."""
    terminal.settle()
    first = terminal.press(UP)
    pages = [terminal.press(UP) for _ in range(bench.plan.presses)]
    return [
        Figure(f"first key, {name}", first.wall * 1000, "ms", (at_most(30.0, "value"),)),
        wall_figure(f"pages never seen, {name}, wall p99", pages, 0.99, bench, 16.7),
    ]


def _counts(bench: Bench, name: str, path: Path, nothing: float) -> list[Figure]:
    """`stats` of the log, CPU: with an empty cache, and again; without those of a short log."""
    environment = keeping(bench, name)
    shutil.rmtree(environment["AGENTVIEW_CACHE_DIR"], ignore_errors=True)
    first = [_stats(path, environment) - nothing]
    goals = (at_most(_GOALS[name]),) if name in _GOALS else ()
    counts = [("all counted, first time", first, goals)]
    if not bench.plan.fast:
        again = [_stats(path, environment) - nothing for _ in range(2)]
        counts.append(("all counted, from what is kept", again, ()))
    floor = floor_of(bench, path)
    return [
        Figure(f"{word}, {name}, CPU", middle(seconds), "s", bounds, floor.cpu, "orjson pass")
        for word, seconds, bounds in counts
    ]


def keeping(bench: Bench, name: str) -> dict[str, str]:
    """Variables for programs that keep what they learn of the log of one client."""
    return os.environ | {"AGENTVIEW_CACHE_DIR": str(bench.scratch / f"kept-{name}")}


def _stats(path: Path, environment: Mapping[str, str]) -> float:
    return run_piped(agentview("stats", "--json", str(path)), environment)[1]


def floor_of(bench: Bench, path: Path) -> Pass:
    """Parsing the lines, the document, or what the rows of the database hold."""
    if not path.is_file():
        return bench.floor("rows", path.parent)
    return bench.floor("document" if path.suffix == ".json" else "loads", path)
