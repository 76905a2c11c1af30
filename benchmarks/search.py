"""Finding a text in a session, as the program's own search does."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.bench import Bench, TreeMeter, size_text, wait_indexed
from benchmarks.figures import Figure, Group, at_most
from benchmarks.records import NEEDLE
from benchmarks.terminal import Frame
from benchmarks.watched import Watched, watched

_COUNTED = re.compile(r"([\d,]+) found|[\d,]+ of ([\d,]+)")
_QUERIES = (NEEDLE, "literal", 0.35), (NEEDLE.lower(), "case-insensitive", 0.6)
"""What is searched, its name, and what that may take as a multiple of parsing every line."""
_QUIET = 0.5


@dataclass(frozen=True, slots=True)
class Found:
    """Seconds until the first hit was told and until the search was over, CPU, and hits."""

    first: float | None
    wall: float | None
    cpu: float
    hits: int


def measure(bench: Bench) -> Group:
    """Everything is read first, so that nothing else runs."""
    group = Group("search")
    session = bench.session(bench.plan.middle)
    floor = bench.floor("loads", session.path)
    for query, name, bound in _QUERIES[:1] if bench.plan.fast else _QUERIES:
        with watched(session.path) as watch:
            wait_indexed(watch, bench.plan.patience)
            found = _search(watch, query, bench.plan.patience)
        title = f"search of {size_text(session.size)}, {name}"
        note = f"{found.hits:,} hits" if found.wall is not None else "never done"
        group.figures += [
            Figure(
                f"{title}, CPU", found.cpu, "s", (at_most(bound),), floor.cpu, "orjson pass", note
            ),
            Figure(f"{title}, wall", found.wall, "s", (), floor.wall, "orjson pass"),
            Figure(
                f"{title}, first hit shown",
                None if found.first is None else found.first * 1000,
                "ms",
                (at_most(50.0, "value"),),
            ),
        ]
    return group


def _search(watch: Watched, query: str, patience: float) -> Found:
    terminal = watch.terminal
    terminal.send(b"/")
    terminal.settle()
    terminal.frames.clear()
    meter = TreeMeter(terminal.pid)
    # Typed as one piece: what is looked for meanwhile is given up at once.
    began = terminal.send(query.encode())
    deadline = began + patience
    told: list[tuple[float, int, bool]] = []
    # What a quiet screen takes while it is watched for more is not the search's.
    cpu, counted = 0.0, 0
    while time.perf_counter() < deadline:
        terminal.run_for(0.1)
        meter.look()
        told = reports(terminal.frames)
        if len(told) > counted:
            cpu, counted = meter.total, len(told)
        # Frames go on for ever: the cursor blinks.
        if told and told[-1][2] and time.perf_counter() - told[-1][0] > _QUIET:
            break
    first = next((at - began for at, hits, _ in told if hits), None)
    over = bool(told) and told[-1][2]
    wall = told[-1][0] - began if over else None
    return Found(first, wall, cpu, told[-1][1] if told else 0)


def reports(frames: Sequence[Frame]) -> list[tuple[float, int, bool]]:
    """What frames tell of a search: when, how many hits, and whether it is over."""
    found: list[tuple[float, int, bool]] = []
    for frame in frames:
        hits = hits_told(frame.text)
        if hits is not None:
            found.append((frame.at, hits, "searched" not in frame.text))
    return found


def hits_told(text: str) -> int | None:
    """How many hits a frame tells of; None when it tells of none at all."""
    match = _COUNTED.search(text)
    if match is None:
        return None
    return int((match[1] or match[2]).replace(",", ""))
