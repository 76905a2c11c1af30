"""Commands without a screen: timeline, events, patch and blame of a session."""

import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench import Bench, size_text
from benchmarks.figures import Figure, Group, at_most
from benchmarks.generate_formats import formats
from benchmarks.records import CWD
from benchmarks.rows import row
from benchmarks.watched import agentview


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command took: seconds until its first bytes and its end, and of CPU."""

    first: float
    wall: float
    cpu: float


def measure(bench: Bench) -> list[Group]:
    """Into a pipe that is read as fast as it comes; nothing is kept but for the last row."""
    titles, full, events, changes = row(20), row(21), row(22), row(25)
    plan = bench.plan
    path = bench.session(plan.middle).path
    printed = _unknown(bench, "cat", "--detail", "title", str(path))
    titles.figures += [
        Figure("first line", printed.first, "s", (at_most(0.3, "value"),)),
        Figure("whole", printed.wall, "s", (at_most(1.0, "value"),)),
    ]
    printed = _unknown(bench, "cat", "--detail", "full", str(path))
    full.figures.append(Figure("whole", printed.wall, "s", (at_most(12.0, "value"),)))
    for name, log in (
        (f"Claude Code, {size_text(plan.middle)}", path),
        (f"ACP, {size_text(plan.format)}", formats()["ACP"](plan.format)),
    ):
        floor = bench.floor(log).cpu
        printed = _unknown(bench, "events", str(log))
        figure = Figure(name, printed.cpu, "s", (at_most(2.5),), floor, "orjson loads + dumps")
        events.figures.append(figure)
    changes.figures += _changes(bench, path)
    return [titles, full, events, changes]


def _unknown(bench: Bench, *arguments: str) -> Printed:
    """A command that nothing is kept for."""
    cache = bench.scratch / "unknown"
    shutil.rmtree(cache, ignore_errors=True)
    return printed_by(agentview(*arguments), os.environ | {"AGENTVIEW_CACHE_DIR": str(cache)})


def _changes(bench: Bench, path: Path) -> list[Figure]:
    """Of a session of a home of its own, in a project that is there."""
    place = bench.scratch / "changes"
    shutil.rmtree(place, ignore_errors=True)
    home, project = place / "home", place / "shop"
    project.mkdir(parents=True)
    log = home / ".claude" / "projects" / "shop" / path.name
    log.parent.mkdir(parents=True)
    log.write_bytes(path.read_bytes().replace(CWD.encode(), str(project).encode()))
    environment = os.environ | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": "",
        "AGENTVIEW_CACHE_DIR": str(place / "cache"),
    }
    run = agentview("diff", "--no-pager", str(log))
    changed = subprocess.run(
        [*run, "--stat"], env=environment, check=True, capture_output=True, text=True
    ).stdout
    file = project / changed.split("|")[0].strip().removeprefix(f"{project}/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n")
    goal = (at_most(0.5, "value"),)
    return [
        Figure(name, printed_by(command, environment).cpu, "s", goal)
        for name, command in (("diff", run), ("blame", agentview("blame", str(file))))
    ]


def run_piped(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> tuple[float, float]:
    """Wall and CPU seconds of a command whose output is read and thrown away.

    Raises CalledProcessError when it fails.
    """
    printed = printed_by(command, environment)
    return printed.wall, printed.cpu


def printed_by(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Printed:
    """Run a command; its output is read and thrown away. Raises CalledProcessError if it fails."""
    began = time.perf_counter()
    first: float | None = None
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        if process.stdout is None:
            raise AssertionError("there is a pipe")
        while os.read(process.stdout.fileno(), 1 << 20):
            first = first or time.perf_counter() - began
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - began
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    return Printed(first or wall, wall, used.ru_utime + used.ru_stime)
