"""Measures everything, prints one table and writes `results.json`: `python -m benchmarks`."""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks import (
    board,
    commands,
    counts,
    expand,
    home,
    keys,
    long_line,
    masks,
    memory,
    peers,
    render,
    search,
    start,
    table,
    tail,
)
from benchmarks.bench import FAST, FULL, Bench
from benchmarks.figures import Figure, Group, at_most
from benchmarks.rows import ROWS

Measure = Callable[[Bench], Sequence[Group]]
TABLE: Mapping[str, tuple[Measure, Sequence[int]]] = {
    "start": (start.measure, (1, 2, 3)),
    "keys": (keys.measure, (5, 6, 7, 8)),
    "counts": (counts.measure, (9, 10)),
    "memory": (memory.measure, (11,)),
    "search": (search.measure, (12,)),
    "tail": (tail.measure, (13, 14, 15)),
    "home": (home.measure, (4, 16, 17, 18, 19)),
    "commands": (commands.measure, (20, 21, 22, 25)),
    "masks": (masks.measure, (23, 24)),
}
"""Groups of the table and the numbers of their rows."""
MORE: Mapping[str, Measure] = {
    "huge": memory.measure_huge,
    "board": board.measure,
    "expand": expand.measure,
    "render": render.measure,
    "long-line": long_line.measure,
    "peers": peers.measure,
}
"""Groups that are measured where they are named."""
RESULTS = Path(__file__).with_name("results.json")


def main() -> int:
    """Run the groups that are asked for; gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join([*TABLE, *MORE]))
    parser.add_argument("--fast", action="store_true", help="smaller files, fewer runs")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    unknown = set(options.groups) - {*TABLE, *MORE}
    if unknown:
        parser.error(f"no such group: {', '.join(sorted(unknown))}")
    began = time.perf_counter()
    bench = Bench(FAST if options.fast else FULL)
    groups: list[Group] = []
    try:
        for name in options.groups or TABLE:
            _say(f"{time.perf_counter() - began:6.1f} s  {name} …")
            groups += _measured(name, bench)
    finally:
        bench.close()
    groups.sort(key=lambda group: group.number or len(ROWS) + 1)
    print("\n".join(table.lines(groups)))
    seconds = time.perf_counter() - began
    print(f"\n{table.tally(groups)}, {seconds:.0f} s")
    _write(options.output, groups, bench, seconds)
    return 0


def _measured(name: str, bench: Bench) -> Sequence[Group]:
    """Rows of a group; what stopped it, when it did not come to its end."""
    measure, numbers = TABLE[name] if name in TABLE else (MORE[name], ())
    try:
        return measure(bench)
    except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
        goal = (at_most(0.0),)
        failed = Figure("not measured", None, "x", goal, note=repr(error))
        rows = [Group(ROWS[number], [failed], number) for number in numbers]
        return rows or [Group(name, [failed])]


def _write(path: Path, groups: list[Group], bench: Bench, seconds: float) -> None:
    found = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 1),
        "fast": bench.plan.fast,
        "python": platform.python_version(),
        "textual": version("textual"),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "figures": [
            {"row": group.number, "of": group.name, **figure.as_json()}
            for group in groups
            for figure in group.figures
        ],
    }
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
