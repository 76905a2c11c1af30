"""Reads a session in a SQLite database as a file that grows: one line of JSON for each row.

The rows come in the order in which they were written. A row that is written again comes again, as
one more line at the end. The database is opened read-only and never changed: with its write-ahead
log where a client has it open, as it is where there is no such log, and from a private copy where
the index of the log is missing, which only a writer may make.
"""

import base64
import os
import shutil
import sqlite3
import tempfile
import time
from collections import OrderedDict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from urllib.parse import quote

import orjson

from agentview.errors import Unreadable
from agentview.sources.file_stamp import Stamp, stamp_of
from agentview.sources.member import (
    OPEN_FLAGS,
    SHM,
    WAL,
    Database,
    Table,
    known_databases,
    member_of,
)

_KEPT = 64
"""Sessions whose lines stay at hand."""
_STAMP_STEP = 2.0
"""Seconds in which a file may be written twice without another time stamp."""
_BUSY = 0.1
"""Seconds to wait for a writer that locks the database."""

_open: "OrderedDict[str, _Lines]" = OrderedDict()
_lock = Lock()
"""Sessions are read by the event loop and by threads that look for others."""


def open_member(path: str | Path, *, known: bool = False) -> int | None:
    """A descriptor of the lines of a session; None for a path that means none.

    With `known` those that were read before will do, where there are any.
    Raises Unreadable when the database cannot be read.
    """
    member = member_of(path)
    if member is None:
        return None
    key = os.fspath(path)
    with _lock:
        lines = _open.pop(key, None)
        if lines is None or not (known or lines.refresh()):
            lines = _Lines(*member)
            if not lines.refresh():
                return None
        _open[key] = lines
        while len(_open) > _KEPT:
            _open.popitem(last=False)
        return lines.descriptor()


def query(path: str | Path, sql: str, values: Mapping[str, object]) -> list[dict[str, object]]:
    """Rows of a database by the names of their columns. Raises Unreadable."""
    try:
        with _connection(os.fspath(path)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(sql, values)]
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path} cannot be read: {error}.") from error


class _Lines:
    """The lines of one session, in a file without a name that grows as rows are written."""

    def __init__(self, database: str, session: str) -> None:
        self._path = database
        self._session = session
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as this object)
        self._size = 0
        self._stamps: tuple[Stamp, Stamp] | None = None
        self._form: Database | None = None
        self._since: dict[str, object] = {}
        self._hashes: dict[tuple[str, int], int] = {}

    def descriptor(self) -> int:
        """A descriptor of the lines, to be closed by the caller."""
        own = self._file.fileno()
        try:
            # One with a position of its own, which a duplicate would share.
            return os.open(f"/proc/self/fd/{own}", OPEN_FLAGS)
        except OSError:
            return os.dup(own)

    def refresh(self) -> bool:
        """Add what was written since; False when rows are gone, so that all is to be read again."""
        stamps = (stamp_of(self._path), stamp_of(self._path + WAL))
        if stamps == self._stamps:
            return True
        try:
            with _connection(self._path) as connection:
                whole = self._take(connection)
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise Unreadable(f"{self._path} cannot be read: {error}.") from error
        newest = max((stamp.modified for stamp in stamps if stamp is not None), default=0)
        fresh = abs(time.time() - newest / 1e9) < _STAMP_STEP
        self._stamps = None if fresh else stamps
        return whole

    def _take(self, connection: sqlite3.Connection) -> bool:
        # One transaction, so that all tables are read as they were at one moment.
        connection.execute("BEGIN")
        if self._form is None:
            self._form = _form_of(connection)
        if self._form is None:
            return False
        rows: list[tuple[float, int, int, bytes, tuple[str, int]]] = []
        total = 0
        for rank, table in enumerate(self._form.tables):
            total += _count(connection, table, self._session)
            for row, created, updated, line in self._changed(connection, table):
                key = (table.name, row)
                if self._hashes.get(key) != hash(line):
                    self._hashes[key] = hash(line)
                    rows.append((created, rank, row, line, key))
                if updated > self._since.get(table.name, float("-inf")):  # type: ignore[operator]
                    self._since[table.name] = updated
        rows.sort(key=lambda found: found[:3])
        data = b"".join(line + b"\n" for *_, line, _ in rows)
        self._size += os.pwrite(self._file.fileno(), data, self._size)
        return bool(self._hashes) and len(self._hashes) == total

    def _changed(
        self, connection: sqlite3.Connection, table: Table
    ) -> Iterator[tuple[int, float, float, bytes]]:
        """Rowid, both numbers, and line of the rows that may have been written since."""
        names = list(table.columns)
        values: dict[str, object] = {"session": self._session}
        wanted = ", ".join((table.row, table.created, table.updated, *table.columns.values()))
        sql = f"SELECT {wanted} FROM {table.rows}"  # noqa: S608  (no text of the log is in it)
        if table.name in self._since:
            sql += f" AND {table.updated} >= :since"
            values["since"] = self._since[table.name]
        for row, created, updated, *found in connection.execute(sql, values):
            fields = dict(zip(names, found, strict=True))
            yield row, _number(created), _number(updated), _line(table, row, fields)


def _line(table: Table, row: int, fields: Mapping[str, object]) -> bytes:
    """A row as canonical JSON: its table, its rowid, and its columns."""
    record: dict[str, object] = {"table": table.name, "rowid": row}
    for name, value in fields.items():
        if name in table.parsed and isinstance(value, str):
            try:
                record[name] = orjson.Fragment(orjson.dumps(orjson.loads(value)))
                continue
            except ValueError:
                pass
        record[name] = _plain(value)
    return orjson.dumps(record)


def _plain(value: object) -> object:
    """A value as JSON has it: bytes as base64, in an object that says so."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0


def _count(connection: sqlite3.Connection, table: Table, session: str) -> int:
    sql = f"SELECT count(*) FROM {table.rows}"  # noqa: S608  (no text of the log is in it)
    (found,) = connection.execute(sql, {"session": session}).fetchone()
    return int(found)


def _form_of(connection: sqlite3.Connection) -> Database | None:
    """The description that fits the tables of a database; None where none does."""
    names: Sequence[tuple[str]] = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'"
    ).fetchall()
    tables = {name for (name,) in names}
    return next((form for form in known_databases() if form.marks <= tables), None)


@contextmanager
def _connection(path: str) -> Generator[sqlite3.Connection]:
    with _readable(path) as (place, mode):
        uri = f"file:{quote(place)}?{mode}"
        connection = sqlite3.connect(uri, uri=True, timeout=_BUSY, isolation_level=None)
        try:
            connection.execute("PRAGMA query_only = 1")
            # What is no text of the encoding that the database states is shown with marks.
            connection.text_factory = _text
            yield connection
        finally:
            connection.close()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@contextmanager
def _readable(path: str) -> Generator[tuple[str, str]]:
    """The path of a database that can be opened without leaving anything beside it, and how."""
    log = stamp_of(path + WAL)
    if log is not None and stamp_of(path + SHM) is not None:
        yield path, "mode=ro"
    elif log is None or log.size == 0:
        yield path, "mode=ro&immutable=1"
    else:
        with tempfile.TemporaryDirectory(prefix="agentview-") as folder:
            copy = f"{folder}/copy.db"
            shutil.copyfile(path, copy)
            shutil.copyfile(path + WAL, copy + WAL)
            yield copy, "mode=rw"
