"""Counts calls in databases with SQL alone: shares no code with any provider."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

Calls = Iterator[tuple[str, str]]
"""Ids of sessions, and of the calls in them."""


def calls(provider: str, database: Path) -> Mapping[str, int]:
    """How many calls each session has that has some."""
    found: dict[str, set[str]] = defaultdict(set)
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        for session, call in _COUNTS[provider](connection):
            found[session].add(call)
    return Counter({session: len(own) for session, own in found.items()})


def _parts(connection: sqlite3.Connection) -> Calls:
    yield from connection.execute(
        "SELECT session_id, json_extract(data, '$.callID') FROM part"
        " WHERE json_extract(data, '$.type') = 'tool'"
    )


_COUNTS: Mapping[str, Callable[[sqlite3.Connection], Calls]] = {
    "opencode": _parts,
    "kilo": _parts,
}
