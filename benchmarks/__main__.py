"""Measures everything, prints one table and writes `results.json`: `python -m benchmarks`."""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks import (
    board,
    commands,
    expand,
    formats,
    home,
    idle,
    index,
    keys,
    library,
    long_line,
    masks,
    memory,
    opens,
    peers,
    render,
    search,
    search_all,
    start,
    steady,
    table,
    tail,
)
from benchmarks.bench import FAST, FULL, Bench
from benchmarks.figures import Figure, Group

GROUPS: Mapping[str, Callable[[Bench], Group]] = {
    "start": start.measure,
    "formats": formats.measure,
    "index": index.measure,
    "keys": keys.measure,
    "memory": memory.measure,
    "expand": expand.measure,
    "render": render.measure,
    "long line": long_line.measure,
    "tail": tail.measure,
    "idle": idle.measure,
    "search": search.measure,
    "no jump": steady.measure,
    "commands": commands.measure,
    "masks": masks.measure,
    "library": library.measure,
    "home": home.measure,
    "search all": search_all.measure,
    "opens": opens.measure,
    "board": board.measure,
    "peers": peers.measure,
}
_LARGE_ONLY = frozenset({"long line", "opens", "peers"})
"""Groups that say nothing of a few small sessions: the fast plan has them only where named."""
RESULTS = Path(__file__).with_name("results.json")


def main() -> int:
    """Run the groups that are asked for; gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--fast", action="store_true", help="smaller files, fewer runs")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    unknown = set(options.groups) - set(GROUPS)
    if unknown:
        parser.error(f"no such group: {', '.join(sorted(unknown))}")
    began = time.perf_counter()
    bench = Bench(FAST if options.fast else FULL)
    groups: list[Group] = []
    try:
        for name in options.groups or _groups(bench):
            _say(f"{time.perf_counter() - began:6.1f} s  {name} …")
            groups.append(_measured(name, bench))
    finally:
        bench.close()
    print("\n".join(table.lines(groups)))
    seconds = time.perf_counter() - began
    print(f"\n{table.tally(groups)}, {seconds:.0f} s: {table.times(groups)}")
    _write(options.output, groups, bench, seconds)
    return 0


def _groups(bench: Bench) -> list[str]:
    """Those of a run that names none."""
    return [name for name in GROUPS if not (bench.plan.fast and name in _LARGE_ONLY)]


def _measured(name: str, bench: Bench) -> Group:
    """A group's figures; what stopped it, when it did not come to its end."""
    began = time.perf_counter()
    try:
        group = GROUPS[name](bench)
    except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
        group = Group(name, [Figure(f"{name}: not measured", None, "x", note=repr(error))])
    group.seconds = time.perf_counter() - began
    return group


def _write(path: Path, groups: list[Group], bench: Bench, seconds: float) -> None:
    found = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 1),
        "fast": bench.plan.fast,
        "python": platform.python_version(),
        "textual": version("textual"),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "groups": {group.name: round(group.seconds, 1) for group in groups},
        "figures": [
            {"group": group.name, **figure.as_json()}
            for group in groups
            for figure in group.figures
        ],
    }
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
