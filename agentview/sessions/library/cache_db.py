"""Known sessions: the rows of the facts database that lists are made of."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Self, TypeVar

from agentview.domain.session import SessionInfo, SessionRef
from agentview.facts.kept.facts_db import PATIENCE, FactsDatabase, path_key, path_of
from agentview.sessions.library.encoded_totals import (
    EncodedTotals,
    is_whole,
    pack_info,
    pack_totals,
    unpack_info,
)
from agentview.sessions.library.search_roots import Roots, lies_under
from agentview.sessions.library.session_record import SessionFacts, SessionTotals

_PUT = """
INSERT INTO log (path, size, modified, inode, active, info) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET size = excluded.size, modified = excluded.modified,
    inode = excluded.inode, active = excluded.active, info = excluded.info
"""
_READ = "SELECT path, size, modified, inode, info, totals FROM log"
_NEWEST = f"{_READ} WHERE info <> x'' ORDER BY active DESC"

NO_LOG = b""
"""Facts of a file that is not a log."""

Stamp = tuple[int, int, int]
"""Size in bytes, modification time in nanoseconds, inode: while it is the same, so is the file."""
Given = TypeVar("Given")
Row = tuple[str, int, int, int, bytes, bytes | None]


class SessionCache:
    """Facts of logs by path, as of a stamp of each file. No method raises or waits for long."""

    def __init__(self, path: Path | None = None, patience: float = PATIENCE) -> None:
        """`patience`: seconds to wait for another process that holds the file."""
        self.database = FactsDatabase(path, patience)
        self._try = self.database.attempt

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        return self.database.is_open

    def close(self) -> None:
        self.database.close()

    def newest(self, count: int, test: Callable[[SessionRef], bool]) -> list[SessionFacts]:
        """The sessions that pass and were active last: quick, whatever else there is."""

        def read(database: sqlite3.Connection) -> list[SessionFacts]:
            found: list[SessionFacts] = []
            with closing(database.execute(_NEWEST)) as rows:
                for row in map(_sound, rows):
                    facts = facts_of(row)
                    if facts is not None and test(facts.info.ref):
                        found.append(facts)
                    if len(found) >= count:
                        break
            return found

        return self._try(read, [])

    def labels(self) -> dict[str, str]:
        """Return the display names of providers by name, as far as known."""
        query = "SELECT provider, label FROM provider"
        return dict(self._try(lambda database: database.execute(query).fetchall(), []))

    def put_labels(self, labels: Mapping[str, str]) -> None:
        """Keep what people call providers, which to find out takes longer than to look it up."""
        if labels.items() <= self.labels().items():
            return
        query = "INSERT OR REPLACE INTO provider (provider, label) VALUES (?, ?)"
        self._try(lambda database: database.executemany(query, tuple(labels.items())), None)

    def rows(self) -> list[Row]:
        """All rows as they are, also of files that are no logs: `facts_of` makes facts of one."""
        return self._try(lambda database: list(map(_sound, database.execute(_READ))), [])

    def read(self, roots: Roots | None = None) -> list[SessionFacts]:
        """All sessions, or those under `roots`."""
        inside = lies_under(roots) if roots is not None else None
        rows = [row for row in self.rows() if inside is None or inside(row[0])]
        return [facts for facts in map(facts_of, rows) if facts is not None]

    def each(self, roots: Roots, look: Callable[[SessionFacts], Given]) -> list[Given]:
        """Results of `look` for each session under `roots`: never are all of them in memory."""
        inside = lies_under(roots)

        def read(database: sqlite3.Connection) -> list[Given]:
            with closing(database.execute(_READ)) as rows:
                found = (facts_of(row) for row in map(_sound, rows) if inside(row[0]))
                return [look(facts) for facts in found if facts is not None]

        return self._try(read, [])

    def get(self, path: str) -> SessionFacts | None:
        """Return the known facts of the session in a log."""
        query = f"{_READ} WHERE path = ?"

        def read(database: sqlite3.Connection) -> Row | None:
            row = database.execute(query, [path_key(path)]).fetchone()
            return None if row is None else _sound(row)

        row = self._try(read, None)
        return None if row is None else facts_of(row)

    def info(self, ref: SessionRef) -> SessionInfo | None:
        """Facts of a session, when they are of the same log as `ref` has it."""
        facts = self.get(ref.path)
        return facts.info if facts is not None and facts.info.ref == ref else None

    def put(self, found: Iterable[tuple[str, Stamp, SessionInfo | None]]) -> None:
        """Keep what files hold: facts of a session, or None for what is not a log."""
        rows = [
            (
                path_key(path),
                *stamp,
                _activity(info),
                NO_LOG if info is None else pack_info(info, path),
            )
            for path, stamp, info in found
        ]
        self._try(lambda database: database.executemany(_PUT, rows), None)

    def put_totals(self, found: Iterable[tuple[str, SessionTotals]]) -> None:
        """Keep the totals of logs that are known."""
        rows = [(pack_totals(totals), path_key(path)) for path, totals in found]
        query = "UPDATE log SET totals = ? WHERE path = ?"
        self._try(lambda database: database.executemany(query, rows), None)

    def forget(self, paths: Iterable[str]) -> None:
        """Keep nothing of these files."""
        rows = [(path_key(path),) for path in paths]

        def delete(database: sqlite3.Connection) -> None:
            database.executemany("DELETE FROM log WHERE path = ?", rows)
            database.executemany("DELETE FROM usage WHERE path = ?", rows)
            database.executemany("DELETE FROM work WHERE path = ?", rows)

        self._try(delete, None)


def facts_of(row: Row) -> SessionFacts | None:
    """The facts in a row; None for what is not a log, or has another form."""
    try:
        info = unpack_info(row[4], row[0])
    except ValueError:
        return None
    return SessionFacts(info, EncodedTotals.of(row[5]) if row[5] is not None else None)


def _sound(row: tuple[Any, ...]) -> Row:
    """The row with its path as text. Raises DatabaseError when a byte of it was changed."""
    path, _, _, _, info, totals = row
    if isinstance(path, bytes):
        path = path_of(path)
        row = (path, *row[1:])
    if not (
        isinstance(path, str)
        and isinstance(info, bytes)
        and (info == NO_LOG or is_whole(info, path))
        and (totals is None or (isinstance(totals, bytes) and is_whole(totals)))
    ):
        raise sqlite3.DatabaseError("a row was changed")
    return row


def _activity(info: SessionInfo | None) -> float | None:
    return (info.last_activity or info.ref.modified) if info is not None else None
