"""Floors over a file, each in a process of its own: `python -m benchmarks.passes NAME FILE`.

Prints what it took: wall and CPU seconds, and CPU of the pass alone.
"""

import json
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import orjson

_BLOCK = 8 * 1024 * 1024


def loads(path: Path) -> None:
    """Parse every line."""
    with path.open("rb", buffering=_BLOCK) as file:
        for line in file:
            orjson.loads(line)


def loads_dumps(path: Path) -> None:
    """Parse every line and write it again."""
    with path.open("rb", buffering=_BLOCK) as file:
        for line in file:
            orjson.dumps(orjson.loads(line))


def document(path: Path) -> None:
    """Parse the file as one document."""
    orjson.loads(path.read_bytes())


def rows(path: Path) -> None:
    """Parse what the rows of a database of OpenCode hold."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        for table in ("message", "part"):
            for (data,) in database.execute(f"SELECT data FROM {table}"):  # noqa: S608
                orjson.loads(data)


PASSES: Mapping[str, Callable[[Path], None]] = {
    "loads": loads,
    "loads_dumps": loads_dumps,
    "document": document,
    "rows": rows,
}


def main() -> None:
    """Run one pass."""
    name, path = sys.argv[1:]
    began, used = time.perf_counter(), time.process_time()
    PASSES[name](Path(path))
    print(
        json.dumps(
            {"wall": time.perf_counter() - began, "cpu": time.process_time() - used},
        )
    )


if __name__ == "__main__":
    main()
