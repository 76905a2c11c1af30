"""Reads a session in a SQLite database as a file that grows: one line of JSON for each row.

The rows come in the order in which they were written. A row that is written again comes again, as
one more line at the end. The database is opened read-only and never changed: with its write-ahead
log where a client has it open, as it is where it has no such log, and from a private copy where the
index of the log is missing, which only a writer may make.
"""

import heapq
import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from io import FileIO
from itertools import islice
from pathlib import Path
from threading import Lock
from urllib.parse import quote

from msgspec.structs import astuple

from agentview.domain.value import Value
from agentview.errors import NotFound, Unreadable
from agentview.sources.database_form import (
    compiles,
    define_functions,
    fitted,
    form_of,
    has_tables,
    known_or_null,
)
from agentview.sources.database_rows import Row, line_of, number, rows_of, shape_of
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
)
from agentview.sources.member_lines import MemberLines
from agentview.sources.packed_file import is_archived, plain_descriptor
from agentview.sources.row_places import RowPlaces, UnreadRows, places_of
from agentview.system import platforms

_BUSY = 1.0
"""Seconds to wait for a writer that locks the database."""
_QUICK = 0.05
"""Seconds of work that finding the last rows may take, for which the first frame waits."""
_STEPS = 500
"""Steps of SQLite between two looks at the clock."""
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

_AT_ONCE = 500
"""Rows that are asked for by their rowids at a time."""
_SAMPLE = 4096
"""Bytes at both ends of restored lines that are read at once: who follows a log compares them."""
_SETTLED = 1.0
"""Seconds after a write until which another one may leave the stamp of a file as it is."""

_OTHER_COLUMNS = "its tables lack columns that are known"

_LATER = {sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def sessions_in(
    path: str | Path, form: Database, *, own: str | None = None, parent: str | None = None
) -> list[dict[str, object]]:
    """Sessions of a database that the description fits: all, one, or those that `parent` started.

    The oldest change comes first. Each has `id`, `modified`, `parent`, `title` and `call`. There
    are none where the database is not there. A database is only opened where something was
    committed since: opening it may itself be reported as a change. Raises Unreadable.
    """
    key, state = (os.fspath(path), own, parent), state_of(os.fspath(path))
    known = _listed.get(key)
    if known is not None and known.form is form and known.state == state is not None:
        return list(known.rows)
    rows = _sessions_in(path, form, own, parent)
    _listed[key] = _Listed(form, state, rows)
    while len(_listed) > _LISTS:
        _listed.pop(next(iter(_listed)), None)
    return list(rows)


class _Listed(Value, gc=True):
    """A list of sessions, and the state of the database that it was made in."""

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
        found = form_of(connection)
        if found is None and has_tables(connection, form):
            raise Unreadable(f"{path} cannot be read: {_OTHER_COLUMNS}.", why=_OTHER_COLUMNS)
        if found != form:
            return []
        define_functions(connection, form)
        connection.row_factory = sqlite3.Row
        if own is not None or listed.versions is None:
            return _sessions(connection, listed, own, parent)
        rows = _kept_sessions(connection, os.fspath(path), listed, listed.versions)
        return [row for row in rows if parent is None or row["parent"] == parent]


_Session = dict[str, object]
_read: dict[str, dict[object, tuple[object, _Session | None]]] = {}
"""Versions of sessions that were read, by database and id, and None for a missing session."""


def _sessions(
    connection: sqlite3.Connection, listed: Sessions, own: str | None, parent: str | None = None
) -> list[_Session]:
    names, rows = ("id", "modified", "parent", "title", "call"), listed.rows
    if listed.otherwise is not None and not compiles(connection, listed.id, rows):
        rows = listed.otherwise
    known = {name: known_or_null(connection, getattr(listed, name), rows) for name in names}
    if known["modified"] == "NULL":
        known["modified"] = known_or_null(connection, listed.modified_before, rows)
    wanted = ", ".join(f"{expression} AS {name}" for name, expression in known.items())
    # No text of a log is in it.
    sql = f"SELECT * FROM (SELECT {wanted} FROM {rows})"  # noqa: S608
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
        key=lambda row: number(row["modified"]),
    )


_RowLine = tuple[Row, bytes]


class DatabaseLines(MemberLines):
    """The lines of one session, which grow as rows are written."""

    def __init__(self, database: str, session: str) -> None:
        super().__init__()
        self.path = database
        self.session = session
        self._reading = Lock()
        self._state: object = None
        self._form: Database | None = None
        self._schema: int | None = None
        """The version of the tables that it was fitted to."""
        self._since: dict[str, float] = {}
        self._file: tuple[int, ...] | None = None
        """Device and inode of the file that was read."""
        self._stamp: tuple[object, ...] | None = None
        """Stamp of the files before they were read; None where a change may leave it as it is."""
        self._digests: dict[tuple[int, int, object], int] = {}
        """Those of the rows that were read."""
        self._unread: UnreadRows | None = None
        """Rows that were not: they are known from an earlier run."""
        self._rewritten = False
        """Whether a row has more than one line."""
        self._lost = False
        """Whether one of these rows is no longer as it was."""
        self._tables: tuple[str, ...] | None = None
        """The description of the tables at that time."""

    def refresh(self) -> bool:
        with self._reading:
            # Asked before the rows are: what is written in between is read the next time.
            state, stamp = state_of(self.path), _settled_stamp(self.path)
            if self._lost:
                return False
            if state is not None and state == self._state:
                return True
            file = stamp_of(self.path)
            file = file and file.file
            if self._file not in (None, file):
                return False
            self._file = file
            with opened_database(self.path) as connection:
                whole = self._take(connection)
            self._state, self._stamp = state, stamp
            self.whole = self.whole or whole
            return whole

    @property
    def at_hand(self) -> bool:
        return self.whole and (self._unread is None or not self._unread.left)

    def fill(self, start: int, length: int | None) -> bool:
        """Read rows whose lines are wanted and were not read; False when one is no longer so."""
        unread, end = self._unread, self._size if length is None else start + length
        if unread is None or not unread.wanted(start, end):
            return True
        with self._reading:
            there = self._read_rows(unread, unread.wanted_near(start, end))
            self._lost = self._lost or not there
            return there

    def _read_rows(self, unread: UnreadRows, wanted: Sequence[int]) -> bool:
        with opened_database(self.path) as connection:
            connection.execute("BEGIN")
            form = self._form_in(connection)
            lines: dict[int, bytes] = {}
            for rank, table in enumerate(form.tables if form is not None else ()):
                numbers = {unread.rows[at]: at for at in wanted if unread.ranks[at] == rank}
                for row in self._rows_at(connection, rank, table, list(numbers)):
                    at, line = numbers[row.row], line_of(table, row) + b"\n"
                    if row.digest == unread.digests[at] and len(line) == unread.length(at):
                        lines[at] = line
                        self._digests[rank, row.row, row.own] = row.digest
            for first, run in unread.take(lines):
                self.write_at(b"".join(run), unread.starts[first])
        return len(lines) == len(wanted)

    def _rows_at(
        self, connection: sqlite3.Connection, rank: int, table: Table, rows: Sequence[int]
    ) -> Iterator[Row]:
        for at in range(0, len(rows), _AT_ONCE):
            listed = ", ".join(map(str, rows[at : at + _AT_ONCE]))
            more = f" AND {table.row} IN ({listed})"
            yield from rows_of(connection, rank, table, more, {"session": self.session})

    def restore(self, places: RowPlaces, digest: bytes) -> None:
        """Have the lines that were at these places, without reading them, if they are there yet.

        That is so in an unchanged database. In another one, all rows are compared by their digests:
        these have to be the first ones in the same order. What follows them is read. From a private
        copy no row is read when it is wanted.
        """
        with self._reading:
            if self.whole or _mode_in_place(self.path) is None:
                return
            try:
                unread = self._unread = UnreadRows(places)
                self._tables = places.tables
                if self._is_restored(places, unread):
                    self.restored_end, self.digest, self.whole = unread.starts[-1], digest, True
                    return
            except (ValueError, Unreadable):
                pass
            os.ftruncate(self.file.fileno(), 0)
            self._form = self._tables = self._unread = None
            self._size, self._since, self._digests = 0, {}, {}

    def _is_restored(self, places: RowPlaces, unread: UnreadRows) -> bool:
        # Asked before the rows are, as by `refresh`.
        state, stamp, file = state_of(self.path), _settled_stamp(self.path), stamp_of(self.path)
        if state is None or file is None:
            return False
        self._size = unread.starts[-1]
        os.ftruncate(self.file.fileno(), self._size)
        if stamp is not None and stamp == places.stamp:
            names = (table.partition(" ")[0] for table in places.tables)
            found = zip(names, places.since, strict=True)
            self._since = {name: since for name, since in found if since is not None}
        else:
            with opened_database(self.path) as connection:
                connection.execute("BEGIN")
                if not self._add_behind(connection, unread):
                    return False
        ends = {*unread.wanted(0, _SAMPLE), *unread.wanted(self._size - _SAMPLE, self._size)}
        if not self._read_rows(unread, sorted(ends)):
            return False
        self._state, self._stamp, self._file = state, stamp, file.file
        return True

    def _add_behind(self, connection: sqlite3.Connection, unread: UnreadRows) -> bool:
        """Add the lines of rows behind those at known places; False where there are others."""
        form = self._form_in(connection)
        if form is None:
            return False
        with self._changed_in(connection, form) as rows:
            count, since = 0, dict[str, float]()
            for at, row in enumerate(islice(rows, unread.count)):
                if (row.rank, row.row, row.digest) != unread.place(at):
                    return False
                name, count = form.tables[row.rank].name, at + 1
                since[name] = max(row.updated, since.get(name, row.updated))
            self._since = since
            return count == unread.count and self._add(form, rows)

    def places(self, end: int) -> RowPlaces | None:
        """The places of the rows whose lines end at byte `end`, if none was written again."""
        with self._reading:
            if self._unread is not None or self._form is None or self._rewritten:
                return None
            starts = [0, *self._line_ends(end)]
            if starts[-1] != end or end == 0:
                return None
            found = islice(self._digests.items(), len(starts) - 1)
            rows = [(rank, row, digest) for (rank, row, _), digest in found]
            since = [self._since.get(table.name) for table in self._form.tables]
            # What was written behind the end has to be found.
            stamp = self._stamp if end == self._size else None
            return places_of(shape_of(self._form), rows, starts, since, stamp)

    def _line_ends(self, end: int) -> Iterator[int]:
        """The bytes behind the lines that end up to a byte."""
        at = 0
        while piece := platforms.read_at(self.file.fileno(), min(_PIECE, end - at), at):
            for found in re.finditer(b"\n", piece):
                yield at + found.end()
            at += len(piece)

    def start_of_last(self, most: int, size: int) -> int:
        """Where they begin, at most so many and so many bytes, of those that were not read."""
        return 0 if self._unread is None else self._unread.start_of_last(most, size)

    def last_lines(self, most: int, size: int) -> list[bytes]:
        """The last rows alone, if finding them takes no longer than a screen may wait."""
        (found,) = self._end_rows(most, size, newest=(True,))
        return [line for _, line in found[-most:]]

    def ends(self, most: int, size: int) -> tuple[list[bytes], list[bytes]] | None:
        """The first rows and the last ones: at most so many, and about so many bytes of each table.

        None where nothing is between them, or they are slow to find. Raises NotFound, Unreadable.
        """
        first, last = self._end_rows(most, size, newest=(False, True))
        first, last = first[:most], last[-most:]
        if not first or not last or first[-1] >= last[0]:
            return None
        return [line for _, line in first], [line for _, line in last]

    def _end_rows(self, most: int, size: int, *, newest: Sequence[bool]) -> list[list[_RowLine]]:
        """Rows at ends of the session, in order and without a gap for the `most` at the end.

        There are fewer where one table has more than `size` bytes there, and none where they are
        slow to find.
        """
        with opened_database(self.path, busy=0) as connection:
            try:
                # First of all: the descriptions of databases may have to be imported for it.
                form = self._form_in(connection)
                tables = form.tables if form is not None else ()
                # Time of this thread: others that keep the machine busy do not make queries long.
                until = time.thread_time() + _QUICK
                connection.set_progress_handler(lambda: time.thread_time() > until, _STEPS)
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
    ) -> list[_RowLine]:
        found: list[_RowLine] = []
        cuts: list[_RowLine] = []
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
                    return found[0][1]
        return b""

    def _take(self, connection: sqlite3.Connection) -> bool:
        # One transaction, so that all tables are read as they were at one moment.
        connection.execute("BEGIN")
        form = self._form_in(connection)
        if form is None:
            return False
        total = sum(_count(connection, table, self.session) for table in form.tables)
        taken = self._take_changed(connection, form)
        if taken and self._known < total:
            # Rows may be written later than they say: look at all of them.
            self._since = {}
            taken = self._take_changed(connection, form)
        return taken and self._known == total > 0

    @property
    def _known(self) -> int:
        return len(self._digests) + (self._unread.left if self._unread is not None else 0)

    def _take_changed(self, connection: sqlite3.Connection, form: Database) -> bool:
        """Add the rows that may have been written since, and say something else than before.

        False when one is among them whose line before that was not read.
        """
        with self._changed_in(connection, form) as rows:
            return self._add(form, rows)

    @contextmanager
    def _changed_in(
        self, connection: sqlite3.Connection, form: Database
    ) -> Generator[Iterator[Row]]:
        """The rows of all tables that may have been written since, in order."""
        changed = [self._changed(connection, at, table) for at, table in enumerate(form.tables)]
        try:
            # The database puts the rows of each in order: to do so here would hold the interpreter.
            yield heapq.merge(*changed)
        finally:
            # A query that is not over keeps its lock, also when another has failed.
            for rows in changed:
                rows.close()

    def _add(self, form: Database, rows: Iterable[Row]) -> bool:
        """Add the lines of rows that say something else than before."""
        since = dict(self._since)
        piece: list[bytes] = []
        size = 0
        for row in rows:
            table = form.tables[row.rank]
            since[table.name] = max(row.updated, since.get(table.name, row.updated))
            key = (row.rank, row.row, row.own)
            known = self._digests.get(key)
            if known is None and self._unread is not None:
                known = self._unread.digest(row.rank, row.row)
                if known not in (None, row.digest):
                    return False
            if known == row.digest:
                continue
            self._rewritten = self._rewritten or known is not None
            self._digests[key] = row.digest
            line = line_of(table, row)
            piece += line, b"\n"
            size += len(line)
            if size > _PIECE:
                self.write(piece)
                piece, size = [], 0
        self.write(piece)
        self._since = since
        return True

    def _form_in(self, connection: sqlite3.Connection) -> Database | None:
        """The description, fitted to the tables; None where these are others than were read."""
        (schema,) = connection.execute("PRAGMA schema_version").fetchone()
        known, form = self._form, self._form
        if form is None or schema != self._schema:
            form = form_of(connection)
        if form is not None:
            define_functions(connection, form)
        if form is not None and form is not known:
            form = fitted(connection, form)
        if known not in (None, form):
            # A client has changed its tables: the same rows are other lines.
            return None
        self._form, self._schema = form, schema
        return form if form is None or self._tables in (None, shape_of(form)) else None

    def _changed(self, connection: sqlite3.Connection, rank: int, table: Table) -> Generator[Row]:
        """The rows of a table that may have been written since, in order, as lines."""
        values: dict[str, object] = {"session": self.session}
        more = ""
        if table.name in self._since:
            more = f" AND {table.updated} >= :since"
            values["since"] = self._since[table.name]
        more += f" ORDER BY {table.created}, {table.row}"
        return rows_of(connection, rank, table, more, values)

    def _end_of(
        self,
        connection: sqlite3.Connection,
        rank: int,
        table: Table,
        most: int,
        size: int,
        *,
        newest: bool,
    ) -> tuple[list[_RowLine], bool]:
        """Rows of a table from an end of the session on, as an index on the session gives them.

        And whether it has more that were not read because of their size.
        """
        found: list[_RowLine] = []
        values: dict[str, object] = {"session": self.session, "most": most}
        order = "DESC" if newest else "ASC"
        more = f" ORDER BY {table.newest or table.row} {order} LIMIT :most"
        for row in rows_of(connection, rank, table, more, values):
            line = line_of(table, row)
            found.append((row, line))
            size -= len(line)
            if size < 0:
                return found, True
        return found, False


def _count(connection: sqlite3.Connection, table: Table, session: str) -> int:
    sql = f"SELECT count(*) FROM {table.rows}"  # noqa: S608  (no text of the log is in it)
    (found,) = connection.execute(sql, {"session": session}).fetchone()
    return int(found)


def _settled_stamp(path: str) -> tuple[object, ...] | None:
    """Return a value that changes with each commit, and stays from one run to the next.

    None where a commit may follow that does not change it: behind one that has just been written.
    """
    database, log = stamp_of(path), stamp_of(path + WAL)
    written = max((stamp.modified for stamp in (database, log) if stamp is not None), default=0)
    if database is None or written / 1e9 > time.time() - _SETTLED:
        return None
    if log is None:
        return astuple(database), None
    # A commit is in the log a while before its index says so. SQLite sets the owner of the log
    # whenever it opens it, which changes the time of its status.
    return astuple(database), (*astuple(log)[:-1], first_bytes(path + SHM, _INDEX_HEADER))


def state_of(path: str) -> object:
    """Return a value that changes with each commit; None when the database cannot be read.

    To ask a connection that stays open would keep its client from closing the database properly.
    """
    database, log = stamp_of(path), stamp_of(path + WAL)
    index = first_bytes(path + SHM, _INDEX_HEADER) if log is not None else b""
    if database is None:
        return None
    if index:
        return database.file, index
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
        raise Unreadable(f"{path} cannot be read: {error}.", why=str(error)) from error


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _mode_in_place(path: str) -> str | None:
    """How a database can be opened without leaving anything next to it; None where a copy can."""
    if is_archived(path):
        return None
    log = stamp_of(path + WAL)
    locks = first_bytes(path, 1, _WRITE_AHEAD) == b"\1"
    if (locks and log is None) or (log is not None and stamp_of(path + SHM) is not None):
        return "mode=ro"
    # A log next to a database that says it has none would be opened all the same.
    return "mode=ro&immutable=1" if log is None or (log.size == 0 and not locks) else None


@contextmanager
def readable_place(path: str) -> Generator[tuple[str, str]]:
    """The path of a database that can be opened without leaving anything next to it, and how."""
    mode = _mode_in_place(path)
    if mode is not None:
        yield path, mode
    elif is_archived(path):
        with tempfile.TemporaryDirectory(prefix="agentview-") as folder:
            copy = f"{folder}/copy.db"
            held = FileIO(plain_descriptor(os.open(path, OPEN_FLAGS), path))
            with held, Path(copy).open("wb") as target:
                shutil.copyfileobj(held, target)
            yield copy, "mode=ro&immutable=1"
    else:
        with tempfile.TemporaryDirectory(prefix="agentview-") as folder:
            copy = f"{folder}/copy.db"
            shutil.copyfile(path, copy)
            shutil.copyfile(path + WAL, copy + WAL)
            yield copy, "mode=rw"
