"""The database of what is known of logs, in the cache directory; it may go at any time.

It is only ever a help: where it is damaged it is made again, where it cannot be used all works
without it. Rows are written in short transactions with a journal that is deleted, which also holds
between machines that share a directory. One of another version of the program is made again.
"""

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Self, TypeVar

from agentview.facts.kept.rules import own_rules
from agentview.system.file_writing import make_private
from agentview.system.own_database import read_schema
from agentview.system.paths import cache_dir

PATIENCE = 0.5
"""Seconds to wait for another process that is writing."""
_REST = 2.0
"""Seconds for which all work continues without the file after it was waited for in vain."""
_TABLES = (
    """CREATE TABLE log (
        path PRIMARY KEY, size INTEGER, modified INTEGER, inode INTEGER,
        active REAL, info BLOB, totals BLOB
    )""",
    "CREATE INDEX newest ON log (active DESC)",
    "CREATE TABLE usage (path, variant BLOB, facts BLOB, PRIMARY KEY (path, variant))",
    "CREATE TABLE shown (path PRIMARY KEY, digest BLOB, words TEXT)",
    "CREATE TABLE provider (provider PRIMARY KEY, label TEXT)",
    "CREATE TABLE work (path PRIMARY KEY, facts BLOB)",
)
LOGS = "logs"
"""The folder next to the database with records and rows of large logs."""
_Given = TypeVar("_Given")


class _OtherVersionError(sqlite3.DatabaseError):
    """Another version of the program has made the database."""


def facts_path() -> Path:
    return cache_dir() / "catalogue.sqlite"


class FactsDatabase:
    """A connection to the database. No method raises or waits for long."""

    def __init__(self, path: Path | None = None, patience: float = PATIENCE) -> None:
        """`patience`: seconds to wait for another process that holds the file."""
        self._path = path or facts_path()
        self._patience = patience
        self._busy = False
        """Whether another process held the file when it was to be opened."""
        self._next_try = 0.0
        """Until then nothing is asked of a file that another process did not give free."""
        self._database = self._opened()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        return self._database is not None

    def close(self) -> None:
        """Give it back."""
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
        self._database = None
        self._busy = False

    def attempt(self, work: Callable[[sqlite3.Connection], _Given], nothing: _Given) -> _Given:
        """Run `work` in a transaction; return its result or `nothing`. Makes a damaged file again.

        `work` may raise sqlite3.DatabaseError for a row that was changed.
        """
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
                if isinstance(error, _OtherVersionError):
                    # It made these by other rules as well.
                    _remove_files_of_logs(self._path.with_name(LOGS))
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


def _connected(path: Path, patience: float) -> sqlite3.Connection:
    """The database with its tables. Raises sqlite3.Error or OSError."""
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
            raise _OtherVersionError
        for statement in _TABLES:
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {_version()}")


def _version_in(database: sqlite3.Connection) -> int:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return version


def _version() -> int:
    return zlib.crc32(f"{_TABLES} {own_rules()}".encode()) >> 1


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


def _remove_files_of_logs(folder: Path) -> None:
    for place in folder.glob("??"):
        for file in place.glob("*"):
            with suppress(OSError):
                file.unlink()
        with suppress(OSError):
            place.rmdir()


def path_key(path: str) -> str | bytes:
    """A path as the database has it: one that is not UTF-8 as bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogateescape")
    return path


def path_of(key: object) -> object:
    """The path that `path_key` made a key of; other values as they are."""
    return key.decode("utf-8", "surrogateescape") if isinstance(key, bytes) else key
