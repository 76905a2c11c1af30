"""Reading all of a session behind the first frame: first, again, and after it has grown."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from benchmarks.bench import Bench, Indexed, size_text, wait_indexed
from benchmarks.figures import Figure, Group, at_most
from benchmarks.watched import watched

_FIRST, _AGAIN, _GROWN = 4.0, 0.1, 0.2
"""What it may take, as multiples of parsing every line once."""


def measure(bench: Bench) -> Group:
    """A rich session and the large one; the floor is parsing every line once."""
    group = Group("index")
    size = bench.plan.middle
    path = bench.copy("index", size)
    cache = bench.scratch / "index-cache"
    shutil.rmtree(cache, ignore_errors=True)
    environment = os.environ | {"AGENTVIEW_CACHE_DIR": str(cache)}
    opens = [(path, "", _FIRST), (path, ", again", _AGAIN)]
    for place, words, most in opens:
        found = _opened(bench, place, environment)
        group.figures += _figures(bench, place, f"{size_text(size)}{words}", found, most)
    with path.open("ab") as file:
        file.write(bench.session(size // 100).path.read_bytes())
    found = _opened(bench, path, environment)
    group.figures += _figures(bench, path, f"{size_text(size)}, 1 % appended", found, _GROWN)
    large = bench.large
    group.figures += _figures(bench, large.path, size_text(large.size), bench.large_open[1], _FIRST)
    found = _opened(bench, large.path, os.environ)
    group.figures += _figures(bench, large.path, f"{size_text(large.size)}, again", found, _AGAIN)
    return group


def _opened(bench: Bench, path: Path, environment: Mapping[str, str]) -> Indexed:
    with watched(path, environment=environment) as watch:
        return wait_indexed(watch, bench.plan.patience)


def _figures(bench: Bench, path: Path, words: str, found: Indexed, most: float) -> list[Figure]:
    floor = bench.floor("loads", path)
    name = f"full index, {words}"
    note = "" if found.wall is not None else f"not done after {bench.plan.patience:.0f} s"
    done = found.wall is not None
    own, total = (found.own_cpu, found.total_cpu) if done else (None, None)
    return [
        Figure(f"{name}, wall", found.wall, "s", (at_most(most),), floor.wall, "orjson pass", note),
        Figure(f"{name}, CPU of the screen's process", own, "s", (), floor.cpu, "orjson pass"),
        Figure(f"{name}, CPU with the child", total, "s", (), floor.cpu, "orjson pass"),
    ]
