"""Reading all of a session behind the first frame."""

from pathlib import Path

from benchmarks.bench import Bench, Indexed, size_text, wait_indexed
from benchmarks.figures import Figure, Group, at_most
from benchmarks.watched import watched


def measure(bench: Bench) -> Group:
    """A rich session and the large one; the floor is parsing every line once."""
    group = Group("index")
    middle = bench.session(bench.plan.middle)
    with watched(middle.path) as watch:
        found = wait_indexed(watch, bench.plan.patience)
    group.figures += _figures(bench, middle.path, middle.size, found)
    group.figures += _figures(bench, bench.large.path, bench.large.size, bench.large_open[1])
    return group


def _figures(bench: Bench, path: Path, size: int, found: Indexed) -> list[Figure]:
    floor = bench.floor("loads", path)
    name = f"full index, {size_text(size)}"
    note = "" if found.wall is not None else f"not done after {bench.plan.patience:.0f} s"
    done = found.wall is not None
    return [
        Figure(f"{name}, wall", found.wall, "s", (at_most(1.5),), floor.wall, "orjson pass", note),
        Figure(
            f"{name}, CPU of the screen's process",
            found.own_cpu if done else None,
            "s",
            (at_most(0.3),),
            floor.cpu,
            "orjson pass",
        ),
        Figure(
            f"{name}, CPU with the child",
            found.total_cpu if done else None,
            "s",
            (),
            floor.cpu,
            "orjson pass",
        ),
    ]
