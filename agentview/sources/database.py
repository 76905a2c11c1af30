"""Reads a session in a SQLite database as a file that grows: one line of JSON for each row.

The rows come in the order in which they were written. A row that is written again comes again, as
one more line at the end. The database is opened read-only and never changed: with its write-ahead
log where a client has it open, as it is where it has no such log, and from a private copy where the
index of the log is missing, which only a writer may make.
"""

import base64
import heapq
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from io import FileIO
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from urllib.parse import quote

import orjson

from agentview.errors import NotFound, Unreadable
from agentview.sources.file_stamp import stamp_of
from agentview.sources.member import (
    OPEN_FLAGS,
    SHM,
    WAL,
    Database,
    Sessions,
    Table,
    first_bytes,
    is_database,
    known_databases,
)
from agentview.sources.member_lines import MemberLines
from agentview.sources.packed_file import is_archived, plain_descriptor
from agentview.sources.unpacking import unpacked_frame

_BUSY = 1.0
"""Seconds to wait for a writer that locks the database."""
_QUICK = 0.05
"""Seconds of work that finding the last rows may take, for which the first frame waits."""
_STEPS = 500
"""Steps of SQLite between two looks at the clock."""
_NOTHING = {"session": "", "own": None}
"""Values of a session for expressions, where they are not evaluated."""
_NO_NUMBER = "0 + 0"
"""What stands for a number that a database lacks: `ORDER BY 0` would name a column."""
_LARGEST_VALUE = 64 * 1024 * 1024
"""Bytes of a packed value that are unpacked; a larger one stays as it is."""
_PIECE = 256 * 1024
"""Bytes of lines that are written at a time."""
_LISTS = 64
"""Lists of sessions that are kept."""
_HEADER = 100
"""Bytes of a database that change with each commit but those to a write-ahead log."""
_WRITE_AHEAD = 18
"""Which of them says whether there is such a log: 2 where there is."""
_INDEX_HEADER = 48
"""Bytes of the log's index that change with each commit to the log."""

_FEW = 32
"""Sessions that are read one by one when they have changed."""
_DATABASES = 16
"""Databases of which it is kept what was read of sessions."""

_LATER = {sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def sessions_in(
    path: str | Path, form: Database, *, own: str | None = None, parent: str | None = None
) -> list[dict[str, object]]:
    """Sessions of a database that the description fits: all, one, or those that `parent` started.

    The oldest change comes first. Each has `id`, `modified`, `parent`, `title` and `call`. There
    are none where the database is not there or cannot be read. A database is only opened where
    something was committed since: opening it may itself be reported as a change.
    """
    key, state = (os.fspath(path), own, parent), _state(os.fspath(path))
    known = _listed.get(key)
    if known is not None and known.form is form and known.state == state is not None:
        return list(known.rows)
    try:
        rows = _sessions_in(path, form, own, parent)
    except Unreadable:
        return []
    _listed[key] = _Listed(form, state, rows)
    while len(_listed) > _LISTS:
        _listed.pop(next(iter(_listed)), None)
    return list(rows)


class _Listed(NamedTuple):
    """What a list of sessions said, and the state of the database that it was made in."""

    form: Database
    state: object
    rows: Sequence[dict[str, object]]


_listed: dict[tuple[str, str | None, str | None], _Listed] = {}


def _sessions_in(
    path: str | Path, form: Database, own: str | None, parent: str | None
) -> list[dict[str, object]]:
    listed = form.sessions
    if listed is None or not is_database(path):
        return []
    with opened_database(os.fspath(path)) as connection:
        if _form_of(connection) != form:
            return []
        _define(connection, form)
        connection.row_factory = sqlite3.Row
        if own is not None or listed.versions is None:
            return _sessions(connection, listed, own, parent)
        rows = _kept_sessions(connection, os.fspath(path), listed, listed.versions)
        return [row for row in rows if parent is None or row["parent"] == parent]


_Session = dict[str, object]
_read: dict[str, dict[object, tuple[object, _Session | None]]] = {}
"""What was read of sessions, by database and id: the version, and None where the session is
missing.
"""


def _sessions(
    connection: sqlite3.Connection, listed: Sessions, own: str | None, parent: str | None = None
) -> list[_Session]:
    names = ("id", "modified", "parent", "title", "call")
    known = {name: _known(connection, getattr(listed, name), listed.rows) for name in names}
    wanted = ", ".join(f"{expression} AS {name}" for name, expression in known.items())
    # No text of a log is in it.
    sql = f"SELECT * FROM (SELECT {wanted} FROM {listed.rows})"  # noqa: S608
    if own is not None:
        sql += " WHERE id = :own"
    elif parent is not None:
        sql += " WHERE parent = :parent"
    found = connection.execute(f"{sql} ORDER BY modified", {"own": own, "parent": parent})
    return [dict(row) for row in found]


def _kept_sessions(
    connection: sqlite3.Connection, path: str, listed: Sessions, versions: str
) -> list[_Session]:
    """All sessions; those of which another version was read are read again."""
    kept = _read.get(path, {})
    found: dict[object, tuple[object, _Session | None]] = {}
    stale: list[object] = []
    for own, version in connection.execute(versions):
        found[own] = kept.get(own, (None, None))
        if own not in kept or kept[own][0] != version:
            found[own] = (version, None)
            stale.append(own)
    if len(stale) > _FEW:
        rows = _sessions(connection, listed, None)
    else:
        rows = [row for own in stale for row in _sessions(connection, listed, str(own))]
    for row in rows:
        found[row["id"]] = (found.get(row["id"], (None, None))[0], row)
    if len(_read) > _DATABASES:
        _read.clear()
    _read[path] = found
    return sorted(
        (row for _, row in found.values() if row is not None),
        key=lambda row: _number(row["modified"]),
    )


class _Row(NamedTuple):
    """A row as a line; rows are in the order of these fields."""

    created: float
    rank: int
    """The place of its table among all tables."""
    row: int
    updated: float
    line: bytes
    own: object
    """The column `id`, where the row has one: a database gives a rowid again after a removal."""


class DatabaseLines(MemberLines):
    """The lines of one session, which grow as rows are written."""

    def __init__(self, database: str, session: str) -> None:
        super().__init__()
        self.path = database
        self.session = session
        self._reading = Lock()
        self._state: object = None
        self._form: Database | None = None
        self._since: dict[str, float] = {}
        self._file: tuple[int, ...] | None = None
        """Device and inode of the file that was read."""
        self._hashes: dict[tuple[int, int, object], int] = {}

    def refresh(self) -> bool:
        """Add what was written since; False when rows are gone, so that all is to be read again."""
        with self._reading:
            # Asked before the rows are: what is written in between is read the next time.
            state, stamp = _state(self.path), stamp_of(self.path)
            if state is not None and state == self._state:
                return True
            file = stamp and stamp[:2]
            if self._file not in (None, file):
                return False
            self._file = file
            with opened_database(self.path) as connection:
                whole = self._take(connection)
            self._state = state
            self.whole = self.whole or whole
            return whole

    def last_lines(self, most: int, size: int) -> list[bytes]:
        """The last rows alone, if finding them takes no longer than a screen may wait."""
        (found,) = self._end_rows(most, size, newest=(True,))
        return [row.line for row in found[-most:]]

    def ends(self, most: int, size: int) -> tuple[list[bytes], list[bytes]] | None:
        """The first rows and the last ones: at most so many, and about so many bytes of each table.

        None where nothing is between them, or they are slow to find. Raises NotFound, Unreadable.
        """
        first, last = self._end_rows(most, size, newest=(False, True))
        first, last = first[:most], last[-most:]
        if not first or not last or first[-1] >= last[0]:
            return None
        return [row.line for row in first], [row.line for row in last]

    def _end_rows(self, most: int, size: int, *, newest: Sequence[bool]) -> list[list[_Row]]:
        """Rows at ends of the session, in order and without a gap for the `most` at the end.

        There are fewer where one table has more than `size` bytes there, and none where they are
        slow to find.
        """
        with opened_database(self.path, busy=0) as connection:
            # Time of this thread: others that keep the machine busy do not make the query long.
            until = time.thread_time() + _QUICK
            connection.set_progress_handler(lambda: time.thread_time() > until, _STEPS)
            try:
                form = self._form_in(connection)
                tables = form.tables if form is not None else ()
                found = [self._end_in(connection, tables, most, size, newest=end) for end in newest]
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in _LATER:
                    raise
                return [[] for _ in newest]
        if not any(found):
            raise NotFound(f"No session {self.session} in {self.path}.")
        return found

    def _end_in(
        self,
        connection: sqlite3.Connection,
        tables: Sequence[Table],
        most: int,
        size: int,
        *,
        newest: bool,
    ) -> list[_Row]:
        found: list[_Row] = []
        cuts: list[_Row] = []
        for rank, table in enumerate(tables):
            rows, cut = self._end_of(connection, rank, table, most, size, newest=newest)
            found += rows
            cuts += rows[-1:] if cut else ()
        # Behind the last row that was read of a table, rows of others would stand without its own.
        if cuts and newest:
            found = [row for row in found if row >= max(cuts)]
        elif cuts:
            found = [row for row in found if row <= min(cuts)]
        return sorted(found)

    def early_line(self) -> bytes:
        """A row of the first table that has one, as an index on the session gives it."""
        with opened_database(self.path) as connection:
            form = self._form_in(connection)
            for rank, table in enumerate(form.tables if form is not None else ()):
                found, _ = self._end_of(connection, rank, table, 1, 0, newest=False)
                if found:
                    return found[0].line
        return b""

    def _take(self, connection: sqlite3.Connection) -> bool:
        # One transaction, so that all tables are read as they were at one moment.
        connection.execute("BEGIN")
        form = self._form_in(connection)
        if form is None:
            return False
        total = sum(_count(connection, table, self.session) for table in form.tables)
        self._take_changed(connection, form)
        if len(self._hashes) < total:
            # Rows may be written later than they say: look at all of them.
            self._since = {}
            self._take_changed(connection, form)
        return bool(self._hashes) and len(self._hashes) == total

    def _take_changed(self, connection: sqlite3.Connection, form: Database) -> None:
        """Add the rows that may have been written since, and say something else than before."""
        changed = [self._changed(connection, at, table) for at, table in enumerate(form.tables)]
        since = dict(self._since)
        piece: list[bytes] = []
        size = 0
        # The database puts the rows in order: to do so here would hold the interpreter.
        for row in heapq.merge(*changed):
            name = form.tables[row.rank].name
            since[name] = max(row.updated, since.get(name, row.updated))
            key = (row.rank, row.row, row.own)
            if self._hashes.get(key) == hash(row.line):
                continue
            self._hashes[key] = hash(row.line)
            piece += row.line, b"\n"
            size += len(row.line)
            if size > _PIECE:
                self.write(piece)
                piece, size = [], 0
        self.write(piece)
        self._since = since

    def _form_in(self, connection: sqlite3.Connection) -> Database | None:
        form = _form_of(connection) if self._form is None else self._form
        if form is not None:
            _define(connection, form)
        if self._form is None and form is not None:
            self._form = _fitted(connection, form)
        return self._form

    def _changed(self, connection: sqlite3.Connection, rank: int, table: Table) -> Iterator[_Row]:
        """The rows of a table that may have been written since, in order, as lines."""
        values: dict[str, object] = {"session": self.session}
        more = ""
        if table.name in self._since:
            more = f" AND {table.updated} >= :since"
            values["since"] = self._since[table.name]
        more += f" ORDER BY {table.created}, {table.row}"
        return _lines_of(connection, rank, table, more, values)

    def _end_of(
        self,
        connection: sqlite3.Connection,
        rank: int,
        table: Table,
        most: int,
        size: int,
        *,
        newest: bool,
    ) -> tuple[list[_Row], bool]:
        """Rows of a table from an end of the session on, as an index on the session gives them.

        And whether it has more that were not read because of their size.
        """
        found: list[_Row] = []
        values: dict[str, object] = {"session": self.session, "most": most}
        order = "DESC" if newest else "ASC"
        more = f" ORDER BY {table.newest or table.row} {order} LIMIT :most"
        for row in _lines_of(connection, rank, table, more, values):
            found.append(row)
            size -= len(row.line)
            if size < 0:
                return found, True
        return found, False


def _lines_of(
    connection: sqlite3.Connection, rank: int, table: Table, more: str, values: Mapping[str, object]
) -> Iterator[_Row]:
    """Rows of a table."""
    names = list(table.columns)
    wanted = ", ".join((table.row, table.created, table.updated, *table.columns.values()))
    # No text of a log is in it.
    sql = f"SELECT {wanted} FROM {table.rows}{more}"  # noqa: S608
    for row, created, updated, *columns in connection.execute(sql, values):
        fields = dict(zip(names, columns, strict=True))
        line = _line(table, row, fields)
        yield _Row(_number(created), rank, row, _number(updated), line, fields.get("id"))


def _line(table: Table, row: int, fields: Mapping[str, object]) -> bytes:
    """A row as canonical JSON: its table, its rowid, and its columns."""
    record: dict[str, object] = {"table": table.name, "rowid": row}
    for name, value in fields.items():
        try:
            record[name] = _parsed(value) if name in table.parsed else _plain(value)
        except ValueError:
            record[name] = _plain(value)
    return orjson.dumps(record)


def _parsed(value: object) -> object:
    """A text as the JSON that it holds; a zstd frame too, in an object that says so.

    Raises ValueError for a text or a frame of anything else.
    """
    if isinstance(value, str):
        return orjson.Fragment(orjson.dumps(orjson.loads(value)))
    if isinstance(value, bytes):
        text = unpacked_frame(value, _LARGEST_VALUE)
        return {"zstd": orjson.Fragment(orjson.dumps(orjson.loads(text)))}
    return _plain(value)


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
    """The description that fits the tables of a database best; None where none does."""
    names: Sequence[tuple[str]] = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'"
    ).fetchall()
    there = {name for (name,) in names}
    wanted = {mark.partition(".")[0] for form in known_databases() for mark in form.marks} & there
    for table in wanted:
        columns = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        there |= {f"{table}.{column}" for (column,) in columns}
    fitting = (form for form in known_databases() if form.marks <= there)
    return max(fitting, key=lambda form: len(form.marks), default=None)


def _define(connection: sqlite3.Connection, form: Database) -> None:
    for name, function in form.functions:
        connection.create_function(name, 1, function, deterministic=True)


def _fitted(connection: sqlite3.Connection, form: Database) -> Database:
    """The description without what this database has not: other versions have other columns."""
    needed = {mark.partition(".")[0] for mark in form.marks}
    tables = [
        replace(
            table,
            created=_known(connection, table.created, table.rows, _NO_NUMBER),
            updated=_known(connection, table.updated, table.rows, _NO_NUMBER),
            columns={
                name: _known(connection, column, table.rows)
                for name, column in table.columns.items()
            },
        )
        for table in form.tables
        if table.name in needed or _compiles(connection, table.row, table.rows)
    ]
    return replace(form, tables=tuple(tables))


def _known(
    connection: sqlite3.Connection, expression: str, rows: str, otherwise: str = "NULL"
) -> str:
    return expression if _compiles(connection, expression, rows) else otherwise


def _compiles(connection: sqlite3.Connection, expression: str, rows: str) -> bool:
    """Return True if a database has what an expression names; it is not evaluated."""
    try:
        connection.execute(f"SELECT {expression} FROM {rows} LIMIT 0", _NOTHING)  # noqa: S608
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
            raise
        return False
    return True


def _state(path: str) -> object:
    """Return what is another value after each commit; None when the database cannot be read.

    To ask a connection that stays open would keep its client from closing the database properly.
    """
    database, log = stamp_of(path), stamp_of(path + WAL)
    index = first_bytes(path + SHM, _INDEX_HEADER) if log is not None else b""
    if database is None:
        return None
    if index:
        return database[:2], index
    return database, log, first_bytes(path, _HEADER)


@contextmanager
def opened_database(path: str, busy: float = _BUSY) -> Generator[sqlite3.Connection]:
    """A database that is open for reading. Raises Unreadable."""
    try:
        with readable_place(path) as (place, mode):
            uri = f"file:{quote(place)}?{mode}"
            with closing(
                sqlite3.connect(uri, uri=True, timeout=busy, isolation_level=None)
            ) as connection:
                connection.execute("PRAGMA query_only = 1")
                # What is not a text of the encoding that the database states is shown with marks.
                connection.text_factory = _text
                yield connection
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path} cannot be read: {error}.") from error


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@contextmanager
def readable_place(path: str) -> Generator[tuple[str, str]]:
    """The path of a database that can be opened without leaving anything next to it, and how."""
    log = stamp_of(path + WAL)
    if is_archived(path):
        with tempfile.TemporaryDirectory(prefix="agentview-") as folder:
            copy = f"{folder}/copy.db"
            held = FileIO(plain_descriptor(os.open(path, OPEN_FLAGS), path))
            with held, Path(copy).open("wb") as target:
                shutil.copyfileobj(held, target)
            yield copy, "mode=ro&immutable=1"
        return
    locks = first_bytes(path, 1, _WRITE_AHEAD) == b"\1"
    if (locks and log is None) or (log is not None and stamp_of(path + SHM) is not None):
        yield path, "mode=ro"
    elif log is None or (log.size == 0 and not locks):
        # A log next to a database that says it has none would be opened all the same.
        yield path, "mode=ro&immutable=1"
    else:
        with tempfile.TemporaryDirectory(prefix="agentview-") as folder:
            copy = f"{folder}/copy.db"
            shutil.copyfile(path, copy)
            shutil.copyfile(path + WAL, copy + WAL)
            yield copy, "mode=rw"
