"""Commands without a screen: timeline and events of a session, version, help."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from benchmarks.bench import Bench, size_text
from benchmarks.figures import Figure, Group, at_most, middle
from benchmarks.watched import agentview

_PYTHON = [sys.executable, "-c", "pass"]


def measure(bench: Bench) -> Group:
    """Into a pipe that is read as fast as it comes."""
    group = Group("commands")
    session = bench.session(bench.plan.middle)
    name, path = size_text(session.size), str(session.path)
    for title, command, floor, floor_name, bound in (
        (
            f"cat of {name}, titles",
            agentview("cat", "--detail", "title", path),
            bench.floor("loads", session.path),
            "orjson pass",
            8.0,
        ),
        (
            f"events of {name}",
            agentview("events", path),
            bench.floor("loads_dumps", session.path),
            "orjson loads + dumps",
            6.0,
        ),
    ):
        wall, cpu = run_piped(command)
        group.figures.append(
            Figure(f"{title}, CPU", cpu, "s", (at_most(bound),), floor.cpu, floor_name)
        )
        group.figures.append(Figure(f"{title}, wall", wall, "s", (), floor.wall, floor_name))
    for option in ("--version", "--help"):
        floor_walls: list[float] = []
        walls: list[float] = []
        for _ in range(2 * bench.plan.runs + 1):
            floor_walls.append(run_piped(_PYTHON)[0])
            walls.append(run_piped(agentview(option))[0])
        group.figures.append(
            Figure(
                option,
                middle(walls) * 1000,
                "ms",
                (at_most(3.0),),
                middle(floor_walls) * 1000,
                "python -c pass",
            )
        )
    group.figures.append(
        Figure(
            "modules of textual imported by --version, --help, cat",
            _textual_modules(path if bench.plan.fast else str(bench.session(10_000).path)),
            "modules",
            (at_most(0, "value"),),
        )
    )
    return group


def run_piped(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> tuple[float, float]:
    """Wall and CPU seconds of a command whose output is read and thrown away.

    Raises CalledProcessError when it fails.
    """
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        if process.stdout is None:
            raise AssertionError("there is a pipe")
        while os.read(process.stdout.fileno(), 1 << 20):
            pass
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - began
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    return wall, used.ru_utime + used.ru_stime


def _textual_modules(path: str) -> int:
    found = 0
    for arguments in (["--version"], ["--help"], ["cat", "--detail", "title", path]):
        command = [sys.executable, "-X", "importtime", "-m", "agentview", *arguments]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        found += sum(
            line.rpartition("|")[2].strip().startswith("textual") for line in told.splitlines()
        )
    return found
