"""What was learned of sessions, in a database of the cache directory that may go at any time.

It is only ever a help: where it is damaged it is made again, where it cannot be used all works
without it. Rows are written in short transactions with a journal that is deleted, which also holds
between machines that share a directory.
"""

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic
from typing import Any, Self, TypeVar

import agentview
from agentview.domain.session import SessionInfo, SessionRef
from agentview.sessions.library.encoded_totals import (
    FORM,
    EncodedTotals,
    is_whole,
    pack_info,
    pack_totals,
    unpack_info,
)
from agentview.sessions.library.search_roots import Roots, lies_under
from agentview.sessions.library.session_record import SessionFacts, SessionTotals
from agentview.system.file_writing import make_private
from agentview.system.own_database import read_schema
from agentview.system.paths import cache_dir

_TABLES = 16
"""Raised when tables change."""
_PATIENCE = 0.5
"""Seconds to wait for another process that is writing."""
_REST = 2.0
"""Seconds for which all work continues without the file after it was waited for in vain."""
_SCHEMA = (
    """CREATE TABLE log (
        path PRIMARY KEY, size INTEGER, modified INTEGER, inode INTEGER,
        active REAL, info BLOB, totals BLOB
    )""",
    "CREATE TABLE provider (provider PRIMARY KEY, label TEXT)",
    "CREATE INDEX newest ON log (active DESC)",
)
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


def catalogue_path() -> Path:
    """Where the catalogue of this user lies."""
    return cache_dir() / "catalogue.sqlite"


class SessionCache:
    """Facts of logs by path, as of a stamp of each file. No method raises or waits for long."""

    def __init__(self, path: Path | None = None, patience: float = _PATIENCE) -> None:
        """`patience`: seconds to wait for another process that holds the file."""
        self._path = path or catalogue_path()
        self._patience = patience
        self._busy = False
        """Whether another process held the file when it was to be opened."""
        self._next_try = 0.0
        """Until then nothing is asked of a file that another process did not give free."""
        self._database = self._opened()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    @property
    def is_open(self) -> bool:
        """True if anything can be kept."""
        return self._database is not None

    def close(self) -> None:
        """Give it back."""
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
        self._database = None
        self._busy = False

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
        """What `look` makes of each session under `roots`: never are all of them in memory."""
        inside = lies_under(roots)

        def read(database: sqlite3.Connection) -> list[Given]:
            with closing(database.execute(_READ)) as rows:
                found = (facts_of(row) for row in map(_sound, rows) if inside(row[0]))
                return [look(facts) for facts in found if facts is not None]

        return self._try(read, [])

    def get(self, path: str) -> SessionFacts | None:
        """Return what is known of the session in a log."""
        query = f"{_READ} WHERE path = ?"

        def read(database: sqlite3.Connection) -> Row | None:
            row = database.execute(query, [_key(path)]).fetchone()
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
            (_key(path), *stamp, _activity(info), NO_LOG if info is None else pack_info(info, path))
            for path, stamp, info in found
        ]
        self._try(lambda database: database.executemany(_PUT, rows), None)

    def put_totals(self, found: Iterable[tuple[str, SessionTotals]]) -> None:
        """Keep the totals of logs that are known."""
        rows = [(pack_totals(totals), _key(path)) for path, totals in found]
        query = "UPDATE log SET totals = ? WHERE path = ?"
        self._try(lambda database: database.executemany(query, rows), None)

    def forget(self, paths: Iterable[str]) -> None:
        """Keep nothing of these files."""
        rows = [(_key(path),) for path in paths]
        query = "DELETE FROM log WHERE path = ?"
        self._try(lambda database: database.executemany(query, rows), None)

    def _try(self, work: Callable[[sqlite3.Connection], Given], nothing: Given) -> Given:
        """What `work` gives in a transaction, else `nothing`; a damaged file is made again."""
        if monotonic() < self._next_try:
            return nothing
        for last in (False, True):
            if self._busy:
                self._database = self._opened()
            if self._database is None:
                return nothing
            try:
                with self._database:
                    return work(self._database)
            except sqlite3.Error as error:
                self._note(error)
                if last or not _is_damaged(error):
                    return nothing
                self.close()
                self._database = self._opened(recreate=not _is_moved(error))
        return nothing

    def _opened(self, *, recreate: bool = False) -> sqlite3.Connection | None:
        self._busy = False
        for again in (recreate, True):
            try:
                if again:
                    _remove(self._path)
                return _connected(self._path, self._patience)
            except sqlite3.Error as error:
                if again or not _is_damaged(error):
                    self._busy = self._note(error)
                    return None
            except OSError:
                return None
        return None

    def _note(self, error: sqlite3.Error) -> bool:
        """Return True if another process holds the file, which then is left alone for a while."""
        busy = _code(error) == sqlite3.SQLITE_BUSY
        if busy:
            self._next_try = monotonic() + _REST
        return busy


def facts_of(row: Row) -> SessionFacts | None:
    """The facts in a row; None for what is not a log, or has another form."""
    try:
        info = unpack_info(row[4], row[0])
    except ValueError:
        return None
    return SessionFacts(info, EncodedTotals.of(row[5]) if row[5] is not None else None)


def _connected(path: Path, patience: float) -> sqlite3.Connection:
    """The database with its table. Raises sqlite3.Error or OSError."""
    make_private(path)
    database = sqlite3.connect(path, timeout=patience, check_same_thread=False)
    try:
        read_schema(database)
        # What a loss of power takes is read again: to wait for the disk is a third of a first scan.
        database.execute("PRAGMA synchronous = OFF")
        if _version_in(database) != _version():
            _lay_out(database)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _lay_out(database: sqlite3.Connection) -> None:
    """Make the tables, unless another process did. Raises sqlite3.Error, also for other tables."""
    database.execute("BEGIN IMMEDIATE")
    with database:
        version = _version_in(database)
        if version == _version():
            return
        if version:
            raise sqlite3.DatabaseError("of another version")
        for statement in _SCHEMA:
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {_version()}")


def _version_in(database: sqlite3.Connection) -> int:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return version


def _version() -> int:
    """A number of the forms and of the program, whose rules for titles and states may change."""
    return zlib.crc32(f"{_TABLES} {FORM} {agentview.__version__}".encode()) >> 1


def _is_damaged(error: sqlite3.Error) -> bool:
    """Return True if a file is none of ours, rather than busy, full or forbidden."""
    return (
        not isinstance(error, sqlite3.OperationalError)
        # Without a code: text that is none.
        or _code(error) in (None, sqlite3.SQLITE_ERROR)
        or _is_moved(error)
    )


def _is_moved(error: sqlite3.Error) -> bool:
    return _code(error) == sqlite3.SQLITE_READONLY_DBMOVED


def _code(error: sqlite3.Error) -> int | None:
    return getattr(error, "sqlite_errorcode", None)


def _remove(path: Path) -> None:
    for name in (path, path.with_name(f"{path.name}-journal")):
        name.unlink(missing_ok=True)


def _key(path: str) -> str | bytes:
    """A path as the database has it: one that is not UTF-8 as bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogateescape")
    return path


def _sound(row: tuple[Any, ...]) -> Row:
    """The row with its path as text. Raises DatabaseError when a byte of it was changed."""
    path, _, _, _, info, totals = row
    if isinstance(path, bytes):
        path = path.decode("utf-8", "surrogateescape")
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
