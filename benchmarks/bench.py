"""One run of the benchmarks: its sizes, the floors measured in it, and the large session it opens.

Times are of one machine in one hour; CPU time and ratios to floors of the same run are what counts.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from compileall import compile_dir
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import agentview
import benchmarks
from benchmarks import generate
from benchmarks.figures import middle
from benchmarks.generate import GB, KB, LEAN, MB, Session
from benchmarks.process import cpu_of_tree
from benchmarks.terminal import Press, Terminal
from benchmarks.watched import HELLO, Watched, watched


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    fast: bool
    runs: int
    """Repetitions of a start or command."""
    presses: int
    """Keys of each sort."""
    starts: tuple[int, ...]
    """Bytes of the sessions that are opened; the last is the large one."""
    middle: int
    """Bytes of the session that is searched, printed and exported."""
    format: int
    """Bytes of the logs of other clients."""
    visible: int
    """Bytes of the session of about 100,000 visible activities."""
    patience: float
    """Seconds after which an index is given up."""
    idle: float
    """Seconds for which nothing is done."""
    follow: float
    """Seconds for which events are followed."""
    beginning: float
    """Seconds behind the first frame in which keys are pressed at once."""


FULL = Plan(
    fast=False,
    runs=3,
    presses=40,
    starts=(10 * KB, 200 * MB, int(1.2 * GB)),
    middle=200 * MB,
    format=20 * MB,
    visible=250 * MB,
    patience=150.0,
    idle=6.0,
    follow=5.0,
    beginning=5.0,
)
FAST = Plan(
    fast=True,
    runs=1,
    presses=5,
    starts=(10 * KB, 20 * MB),
    middle=10 * MB,
    format=MB,
    visible=10 * MB,
    patience=20.0,
    idle=1.0,
    follow=2.0,
    beginning=1.0,
)


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass over a file: seconds."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class HelloFacts:
    """The smallest application: a key, and doing nothing."""

    keys: tuple[Press, ...]
    idle: float
    """CPU seconds a second."""

    @property
    def key_cpu(self) -> float:
        """Seconds."""
        return middle([press.cpu for press in self.keys])

    @property
    def key_wall(self) -> float:
        """Seconds until it is painted."""
        return middle([press.wall for press in self.keys])


class Bench:
    """What the groups of one run share. Close it."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        # As an installed program is: compiled, also where the environment forbids to do it late.
        for package in (agentview, benchmarks):
            compile_dir(package.__path__[0], quiet=1)
        self._open = ExitStack()
        self.scratch = generate.directory() / "scratch"
        self.scratch.mkdir(parents=True, exist_ok=True)
        # Nothing is kept from an earlier run, and nothing of the person's own is touched.
        shutil.rmtree(self.scratch / "cache", ignore_errors=True)
        os.environ["AGENTVIEW_CACHE_DIR"] = str(self.scratch / "cache")

    def close(self) -> None:
        """End what is still running."""
        self._open.close()

    def session(self, size: int) -> Session:
        """A session of the size."""
        return generate.session(size)

    @property
    def large(self) -> Session:
        """The largest session of the run."""
        return generate.session(self.plan.starts[-1], LEAN)

    @cache  # noqa: B019  (there is one bench a run)
    def floor(self, path: Path) -> Pass:
        """A pass of orjson over a file, the median of several."""
        runs = 1 if path.stat().st_size > 500 * MB else min(3, self.plan.runs)
        found = [Pass(**_run_pass(path)) for _ in range(runs)]
        return Pass(middle([one.wall for one in found]), middle([one.cpu for one in found]))

    @cached_property
    def hello(self) -> HelloFacts:
        """The smallest application."""
        with Terminal(HELLO) as terminal:
            terminal.wait_for(b"Hello")
            terminal.settle()
            keys = tuple(terminal.press(b"j") for _ in range(self.plan.presses))
            idle = idle_cpu(terminal, self.plan.idle)
            return HelloFacts(keys, idle)

    @cached_property
    def large_open(self) -> tuple[Watched, bool]:
        """The large session, opened, and whether all of it is read; stays open until the end."""
        watch = self._open.enter_context(watched(self.large.path))
        return watch, wait_indexed(watch, self.plan.patience)

    def copy(self, name: str, size: int = 10 * KB) -> Path:
        """A session that may be appended to, in a directory of its own."""
        place = self.scratch / name / f"{generate.session(size).path.stem}.jsonl"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(generate.session(size).path.read_bytes())
        return place


def wait_indexed(watch: Watched, patience: float) -> bool:
    """Wait until all of a session that is just being opened is read; False if it is not in time."""
    watch.terminal.wait_for(generate.END.encode())
    done = watch.wait_told("indexed", patience) is not None
    if done:
        # The watch counts what is visible now, which must not fall into what is measured next.
        watch.wait_told("visible", 20.0)
    watch.terminal.settle()
    return done


def idle_cpu(terminal: Terminal, seconds: float) -> float:
    """CPU seconds a second that a program and its children use while nothing is done."""
    terminal.settle()
    before, began = cpu_of_tree(terminal.pid), time.perf_counter()
    terminal.run_for(seconds)
    return (cpu_of_tree(terminal.pid) - before) / (time.perf_counter() - began)


def _run_pass(path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.passes", str(path)]
    found: dict[str, float] = json.loads(
        subprocess.run(command, check=True, capture_output=True).stdout
    )
    return found


def size_text(size: int) -> str:
    """Bytes as people say them."""
    for unit, factor in (("GB", GB), ("MB", MB), ("kB", KB)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} B"
