"""A home with thousands of sessions: the list on the screen, `ls`, `stats`, `search`."""

import os
import shutil
import sys
from pathlib import Path

from agentview.sessions.library.cache_db import SessionCache
from benchmarks.bench import Bench
from benchmarks.commands import printed_by
from benchmarks.figures import Figure, Group, at_most, middle
from benchmarks.library_home import Home, library_home
from benchmarks.records import NEEDLE
from benchmarks.rows import row
from benchmarks.start import first_content, frame_figure
from benchmarks.watched import HELLO, agentview

_INDEX = [sys.executable, "-m", "benchmarks.indexing"]
_OFTEN = "scripted"
"""Is in many prompts of the home."""


def measure(bench: Bench) -> list[Group]:
    """Homes of long logs, which are listed only, and of small ones, which are read whole."""
    fast = bench.plan.fast
    large = library_home(200 if fast else 20_000)
    homes = [library_home(logs, small=True) for logs in ((20, 200) if fast else (200, 2_000))]
    known = library_home(500 if fast else 20_000, small=True)
    listed = _listed(large)
    first = _first_rows(large, bench.plan.runs)
    return [first, *_counted(homes, known), _searched(homes[-1]), listed]


def _listed(home: Home) -> Group:
    """Known to the first rows, too, once this is done."""
    found = row(18)
    home.forget()
    for name, bound in (("first", 8.0), ("again", 0.5)):
        seconds = _cpu(home, "ls")
        found.figures.append(Figure(name, seconds, "s", (at_most(bound, "value"),)))
    return found


def _first_rows(home: Home, runs: int) -> Group:
    """From the start to the first frame that shows the newest session."""
    found = row(4)
    marker = _newest_word(home)
    empty = home.path.parent / "empty"
    unknown = home.environment | {"AGENTVIEW_CACHE_DIR": str(empty)}
    hello: list[float] = []
    warm: list[float] = []
    cold: list[float] = []
    for _ in range(runs):
        shutil.rmtree(empty, ignore_errors=True)
        hello.append(first_content(HELLO, b"Hello"))
        warm.append(first_content(agentview(), marker, home.environment))
        cold.append(first_content(agentview(), marker, unknown))
    found.figures += [
        frame_figure("known", hello, warm, 1.4),
        frame_figure("nothing kept", hello, cold, 1.6),
    ]
    return found


def _newest_word(home: Home) -> bytes:
    """A word of the title that is listed first."""
    with SessionCache(
        Path(home.environment["AGENTVIEW_CACHE_DIR"]) / "catalogue.sqlite"
    ) as catalogue:
        (newest,) = catalogue.newest(1, lambda _: True)
    return max((newest.info.title or "").split()[:4], key=len).encode()


def _counted(homes: list[Home], known: Home) -> list[Group]:
    """`stats` of a home that was counted before; of two for the first time; and what a log took."""
    stats, each = row(16), row(19)
    # What the run before has learned is as good: a new home takes some minutes.
    _cpu(known, "stats")
    again = _cpu(known, "stats")
    seconds: list[float] = []
    for home in homes:
        home.forget()
        seconds.append(_cpu(home, "stats"))
    few, many = (home.logs for home in homes)
    stats.figures += [
        Figure(f"{known.logs:,} logs, again", again, "s", (at_most(1.5, "value"),)),
        Figure(f"{many:,} logs", seconds[1], "s", (at_most(12.0),), seconds[0], f"{few:,} logs"),
    ]
    homes[0].forget()
    per_log = _indexed(homes[0]) / few * 1000
    each.figures.append(Figure("CPU", per_log, "ms", (at_most(4.0, "value"),)))
    return [stats, each]


def _searched(home: Home) -> Group:
    found = row(17)
    home.forget()
    nothing = _cpu(home, "search", NEEDLE)
    _indexed(home)
    kept, often = (
        middle([_cpu(home, "search", word) for _ in range(3)]) for word in (NEEDLE, _OFTEN)
    )
    for name, seconds, bound in (
        ("nothing kept", nothing, 2.0),
        ("kept", kept, 0.12),
        ("frequent word", often, 0.2),
    ):
        found.figures.append(Figure(name, seconds, "s", (at_most(bound, "value"),)))
    return found


def _indexed(home: Home) -> float:
    return printed_by(_INDEX, os.environ | home.environment).cpu


def _cpu(home: Home, *arguments: str) -> float:
    return printed_by(agentview(*arguments), os.environ | home.environment).cpu
