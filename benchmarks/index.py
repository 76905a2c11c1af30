"""Reading all of a session behind the first frame: first, again, and after it has grown."""

import os
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from benchmarks.bench import Bench, Indexed, size_text, wait_indexed
from benchmarks.figures import Figure, Group, at_most, middle
from benchmarks.formats import floor_of, keeping
from benchmarks.generate import KB
from benchmarks.generate_formats import formats
from benchmarks.watched import watched

_FIRST, _AGAIN, _GROWN = 4.0, 0.1, 0.2
"""What it may take, as multiples of parsing every line once."""


def measure(bench: Bench) -> Group:
    """A rich session, the large one, and logs of other clients; the floor is parsing every line."""
    group = Group("index")
    size = bench.plan.middle
    path = bench.copy("index", size)
    cache = bench.scratch / "index-cache"
    shutil.rmtree(cache, ignore_errors=True)
    environment = os.environ | {"AGENTVIEW_CACHE_DIR": str(cache)}
    opened = partial(_opened, bench, environment=environment)
    short = _middle([opened(bench.session(10 * KB).path) for _ in range(min(3, bench.plan.runs))])
    again = partial(_again, bench, environment, short)
    group.figures += _first(bench, path, size_text(size), opened(path))
    group.figures += again(path, f"{size_text(size)}, again", _AGAIN)
    more = bench.session(size // 100).path.read_bytes()
    group.figures += again(path, f"{size_text(size)}, 1 % appended", _GROWN, more)
    large = bench.large
    group.figures += _first(bench, large.path, size_text(large.size), bench.large_open[1])
    if bench.plan.fast:
        return group
    # Its first opening has kept its rows for the rest of the run.
    group.figures += _again(
        bench, os.environ, short, large.path, f"{size_text(large.size)}, again", _AGAIN
    )
    for name, make in formats().items():
        place, words = make(bench.plan.format), f"{name}, {size_text(bench.plan.format)}, again"
        # Read whole here, or before by `stats`.
        environment = keeping(bench, name)
        _opened(bench, place, environment=environment)
        group.figures += _again(bench, environment, short, place, words, _AGAIN)
    return group


def _opened(bench: Bench, path: Path, *, environment: Mapping[str, str]) -> Indexed:
    with watched(path, environment=environment) as watch:
        return wait_indexed(watch, bench.plan.patience)


def _middle(found: list[Indexed]) -> Indexed:
    """The one whose CPU is the median."""
    ranked = sorted(found, key=lambda one: one.total_cpu)
    return ranked[len(ranked) // 2]


def _first(bench: Bench, path: Path, words: str, found: Indexed) -> list[Figure]:
    floor = bench.floor("loads", path)
    name = f"full index, {words}"
    note = "" if found.wall is not None else f"not done after {bench.plan.patience:.0f} s"
    done = found.wall is not None
    own, total = (found.own_cpu, found.total_cpu) if done else (None, None)
    goals = (at_most(_FIRST),)
    return [
        Figure(f"{name}, wall", found.wall, "s", goals, floor.wall, "orjson pass", note),
        Figure(f"{name}, CPU of the screen's process", own, "s", (), floor.cpu, "orjson pass"),
        Figure(f"{name}, CPU with the child", total, "s", (), floor.cpu, "orjson pass"),
    ]


def _again(
    bench: Bench,
    environment: Mapping[str, str],
    short: Indexed,
    path: Path,
    words: str,
    most: float,
    more: bytes = b"",
) -> list[Figure]:
    """From what is kept, with `more` appended before each run.

    What a screen does behind its first frame for any log is that of a short one, and is taken off.
    """
    runs: list[Indexed] = []
    for _ in range(min(2, bench.plan.runs)):
        if more:
            with path.open("ab") as file:
                file.write(more)
        runs.append(_opened(bench, path, environment=environment))
    floor, name = floor_of(bench, path), f"full index, {words}"
    if any(run.wall is None for run in runs):
        return [Figure(name, None, "ms", (at_most(most),), note="not done in time")]
    whole, wall = middle([run.total_cpu for run in runs]), middle([run.wall or 0 for run in runs])
    own = max(whole - short.total_cpu, 0.0)
    note = f"of a short log {short.total_cpu * 1000:.1f} ms"
    return [
        Figure(name + word, seconds * 1000, "ms", goals, base * 1000, "orjson pass", said)
        for word, seconds, goals, base, said in (
            (", CPU without that of a short log", own, (at_most(most),), floor.cpu, note),
            (", CPU", whole, (), floor.cpu, ""),
            (", wall", wall, (), floor.wall, ""),
        )
    ]
