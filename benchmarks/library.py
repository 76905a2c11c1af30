"""The library of a home with thousands of sessions: first rows, the whole list, cold and warm."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from agentview.sessions.library.cache_db import SessionCache
from benchmarks.bench import Bench, Pass
from benchmarks.figures import Figure, Group, at_most
from benchmarks.generate import GB
from benchmarks.library_home import Home, library_home
from benchmarks.process import children_of, rss_of
from benchmarks.start import first_content, frame_figures
from benchmarks.watched import HELLO, Watched, agentview, watched

_OBSERVED = "benchmarks.library_observed"
_PATIENCE = 600.0
_MEBIBYTE = 1024**2


def measure(bench: Bench) -> Group:
    """Cold a smaller home: a large one takes minutes, and is known from the first run on."""
    group = Group("library")
    group.figures += _cold(library_home(100 if bench.plan.fast else 2_000))
    home = library_home(500 if bench.plan.fast else 20_000)
    listed = _whole_list(bench, home)
    group.figures += _first_rows(home, bench.plan.runs) + listed
    return group


def _cold(home: Home) -> list[Figure]:
    """Nothing known: how long until all is listed, and how long the screen ever waits."""
    home.forget()
    name = f"{home.logs:,} logs, {home.bytes / GB:.0f} GB"
    with watched(home.path, "--pulse", module=_OBSERVED, environment=home.environment) as watch:
        told = watch.wait_told("complete", _PATIENCE)
        held, work = watch.held_since(0.0), watch.work_at_once()
        taken = told["complete"] - watch.terminal.started if told is not None else None
    return [
        Figure(f"cold, all listed, {name}", taken, "s"),
        Figure("cold, event loop held", held * 1000, "ms", (at_most(30.0, "value"),)),
        Figure("cold, CPU of the event loop at once", work * 1000, "ms"),
    ]


def _first_rows(home: Home, runs: int) -> list[Figure]:
    """From the start to the first frame that shows the newest session."""
    marker = _newest_word(home)
    hello: list[tuple[float, float]] = []
    ours: list[tuple[float, float]] = []
    for _ in range(runs):
        hello.append(first_content(HELLO, b"Hello"))
        ours.append(first_content(agentview(), marker, home.environment))
    return frame_figures("first rows", hello, ours, 1.5)


def _newest_word(home: Home) -> bytes:
    """A word of the title that is listed first."""
    with SessionCache(
        Path(home.environment["AGENTVIEW_CACHE_DIR"]) / "catalogue.sqlite"
    ) as catalogue:
        (newest,) = catalogue.newest(1, lambda _: True)
    return max((newest.info.title or "").split()[:4], key=len).encode()


def _whole_list(bench: Bench, home: Home) -> list[Figure]:
    """All sessions with a warm catalogue, next to reading the files and the catalogue."""
    warm, stat = _pass("warm", home), _pass("stat", home)
    facts, rows = _pass("facts", home), _pass("rows", home)
    with watched(home.path, module=_OBSERVED, environment=home.environment) as watch:
        told = watch.wait_told("complete", _PATIENCE)
        taken = told["complete"] - watch.terminal.started if told is not None else None
        memory = _memory(bench, watch)
    return [
        Figure(
            "warm list, CPU",
            warm.cpu * 1000,
            "ms",
            (at_most(2.0),),
            (stat.cpu + facts.cpu) * 1000,
            "stat + read",
        ),
        Figure(
            "warm list, CPU, versus rows as they are",
            warm.cpu * 1000,
            "ms",
            (),
            (stat.cpu + rows.cpu) * 1000,
            "stat + select",
        ),
        Figure("warm, all listed on the screen", taken, "s"),
        *memory,
    ]


def _memory(bench: Bench, watch: Watched) -> list[Figure]:
    """The process with the screen, once all is listed; and all together while it is indexed."""
    pid = watch.terminal.pid
    most = together = rss_of(pid)
    deadline = time.perf_counter() + 2 * bench.plan.follow
    while time.perf_counter() < deadline:
        watch.terminal.run_for(0.2)
        most = max(most, rss_of(pid))
        together = max(together, rss_of(pid) + sum(map(rss_of, children_of(pid))))
    hello = bench.hello.rss / _MEBIBYTE
    goal = (at_most(150.0, "value"),)
    return [
        Figure("memory, all listed", most / _MEBIBYTE, "MB", goal, hello, "hello"),
        Figure("memory with the child that indexes", together / _MEBIBYTE, "MB"),
    ]


def _pass(name: str, home: Home) -> Pass:
    """A pass over the home in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.library_passes", name, str(home.path)]
    environment = {**os.environ, **home.environment}
    done = subprocess.run(command, check=True, capture_output=True, env=environment)
    found = json.loads(done.stdout)
    return Pass(found["wall"], found["cpu"])
