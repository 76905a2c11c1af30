"""All numbers of a session: counted for the first time, and again from what is kept."""

import os
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import orjson

from benchmarks.bench import Bench, size_text
from benchmarks.commands import run_piped
from benchmarks.figures import Figure, Group, at_most
from benchmarks.generate import KB
from benchmarks.generate_formats import formats
from benchmarks.rows import row
from benchmarks.watched import agentview

_BLOCK = 1 << 20


def measure(bench: Bench) -> list[Group]:
    """`stats` of a log, CPU, without that of a log of 10 kB."""
    first, again = row(9), row(10)
    plan = bench.plan
    logs = {
        f"Claude Code, {size_text(size)}": bench.session(size).path
        for size in (plan.format, plan.middle)
    }
    logs |= {
        f"{name}, {size_text(plan.format)}": make(plan.format) for name, make in formats().items()
    }
    cache = bench.scratch / "counted"
    shutil.rmtree(cache, ignore_errors=True)
    environment = os.environ | {"AGENTVIEW_CACHE_DIR": str(cache)}
    short = bench.session(10 * KB).path
    nothing = min(_stats(short, environment) for _ in range(5))
    for name, path in logs.items():
        counted = _stats(path, environment) - nothing
        kept = max(min(_stats(path, environment) for _ in range(2)) - nothing, 0.0)
        each = counted / records(path) * 1e6
        first.figures.append(Figure(name, each, "µs", (at_most(8.0, "value"),)))
        again.figures.append(
            Figure(name, kept * 1000, "ms", (at_most(0.05),), counted * 1000, "the first time")
        )
    return [first, again]


def _stats(path: Path, environment: Mapping[str, str]) -> float:
    return run_piped(agentview("stats", "--json", str(path)), environment)[1]


def records(path: Path) -> int:
    """Lines of a log, messages of a document, rows of a database."""
    if not path.is_file():
        with closing(sqlite3.connect(f"file:{path.parent}?mode=ro", uri=True)) as database:
            return sum(
                database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
                for table in ("message", "part")
            )
    if path.suffix == ".json":
        return len(orjson.loads(path.read_bytes())["messages"])
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))
