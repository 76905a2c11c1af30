"""Removes what is kept of logs that are gone, and files that were used least recently."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

from agentview.domain.value import Value
from agentview.facts.kept.facts_db import FactsDatabase, path_of
from agentview.facts.kept.index_file import index_folder
from agentview.sources.file_stamp import stamp_of

MOST_BYTES = 1_000_000_000
"""Bytes of all files, above which some are removed."""
_LEFT = 0.8
"""Part of that which is left then, so that it need not be done again soon."""


class _Kept(Value):
    used: float
    size: int
    path: str


def evict(most: int = MOST_BYTES) -> int:
    """Remove files until they are well below `most` bytes, if they are above; gives how many."""
    files = sorted(_files(index_folder()), key=lambda file: file.used)
    size = sum(file.size for file in files)
    if size <= most:
        return 0
    removed = 0
    for file in files:
        if size <= most * _LEFT:
            break
        with suppress(OSError):
            Path(file.path).unlink()
            size -= file.size
            removed += 1
    return removed


def _files(folder: Path) -> Iterator[_Kept]:
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                path = os.path.join(place, name)  # noqa: PTH118  (there may be thousands)
                status = os.stat(path)  # noqa: PTH116
                yield _Kept(status.st_mtime, status.st_size, path)


def forget_gone(database: FactsDatabase, table: Literal["usage", "shown", "work"]) -> None:
    """Keep nothing in a table of logs that are not there."""
    query = f"SELECT DISTINCT path FROM {table}"  # noqa: S608
    keys = [key for (key,) in database.attempt(lambda file: [*file.execute(query)], [])]
    gone = [(key,) for key in keys if stamp_of(str(path_of(key))) is None]
    drop = f"DELETE FROM {table} WHERE path = ?"  # noqa: S608
    database.attempt(lambda file: file.executemany(drop, gone), None)
