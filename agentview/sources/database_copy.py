"""Copies the rows of some sessions of a SQLite database to a database of their own.

Which rows are of a session is found by the columns that name it and by foreign keys. The copy is
compared with the original: where it reads otherwise, the whole database is copied.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from agentview.domain.value import Value
from agentview.errors import AgentViewError, Unreadable
from agentview.sources.database import DatabaseLines, opened_database, readable_place
from agentview.sources.open_file import read_span

_NAMES_SESSION = re.compile(r"session|thread|conversation|composer|chat", re.IGNORECASE)
_SHORTEST_ID = 8
"""Characters of an id that is looked for inside of keys."""
_PIECE = 1024 * 1024
_PASSES = 8
"""Foreign keys that are followed one after the other, at most."""


class _Table(Value):
    name: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    """Columns of the primary key."""


def copy_sessions(path: str, sessions: Sequence[str], target: Path) -> None:
    """Write a database with the rows of these sessions to `target`, where no file is.

    Raises Unreadable where the database cannot be read, OSError where the copy cannot be written.
    """
    try:
        _copy_rows(path, sessions, target)
        if all(_reads_alike(path, target, session) for session in sessions):
            return
    except sqlite3.Error:
        # A schema that cannot be taken apart, such as one of a newer SQLite.
        pass
    target.unlink(missing_ok=True)
    with opened_database(path) as source, closing(sqlite3.connect(target)) as whole:
        source.backup(whole)


def _copy_rows(path: str, sessions: Sequence[str], target: Path) -> None:
    with opened_database(path) as source:
        (encoding,) = source.execute("PRAGMA encoding").fetchone()
    with (
        readable_place(path) as (place, mode),
        closing(sqlite3.connect(f"file:{quote(str(target))}", uri=True)) as copy,
    ):
        copy.execute(f"PRAGMA encoding = '{encoding}'")
        copy.execute("ATTACH ? AS source", [f"file:{quote(place)}?{mode}"])
        copy.execute("BEGIN")
        tables = list(_made_tables(copy))
        copy.execute("CREATE TEMP TABLE wanted (id TEXT PRIMARY KEY)")
        copy.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", [(each,) for each in sessions])
        copy.execute("CREATE TEMP TABLE picked (name TEXT, row INTEGER, PRIMARY KEY (name, row))")
        for table in tables:
            _pick_own(copy, table)
        _follow_keys(copy, tables)
        for table in tables:
            name = _quoted(table.name)
            listed = ", ".join(map(_quoted, table.columns))
            copy.execute(
                f"INSERT INTO main.{name} (rowid, {listed}) SELECT rowid, {listed}"  # noqa: S608
                f" FROM source.{name} WHERE rowid IN (SELECT row FROM picked WHERE name = ?)",
                [table.name],
            )
        copy.commit()


def _made_tables(copy: sqlite3.Connection) -> Iterator[_Table]:
    """The tables of the source with a rowid, which are made in the copy, as are all indexes.

    Raises sqlite3.Error for one without a rowid: its rows have no place of their own.
    """
    found = copy.execute(
        "SELECT type, name, sql FROM source.sqlite_master WHERE sql IS NOT NULL"
        " AND type IN ('table', 'index') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        " ORDER BY type DESC, rowid"
    ).fetchall()
    virtual = {name for _, name, sql in found if sql.upper().startswith("CREATE VIRTUAL")}
    for kind, name, sql in found:
        if name in virtual or any(name.startswith(f"{each}_") for each in virtual):
            # An index of words, which the client makes from its other tables.
            continue
        copy.execute(sql)
        if kind == "table":
            columns = copy.execute("SELECT name, pk FROM pragma_table_info(?)", [name]).fetchall()
            copy.execute(f"SELECT rowid FROM source.{_quoted(name)} LIMIT 0")  # noqa: S608
            yield _Table(
                name,
                tuple(column for column, _ in columns),
                tuple(column for column, key in columns if key),
            )


def _pick_own(copy: sqlite3.Connection, table: _Table) -> None:
    """Pick the rows that name one of the sessions in a column for that, or in their key."""
    tests = [
        f"own.{_quoted(column)} IN (SELECT id FROM wanted)"  # noqa: S608
        for column in table.columns
        if column in table.keys or _NAMES_SESSION.search(column)
    ]
    tests += [
        f"EXISTS (SELECT 1 FROM wanted WHERE length(wanted.id) >= {_SHORTEST_ID}"  # noqa: S608
        f" AND typeof(own.{_quoted(column)}) = 'text' AND instr(own.{_quoted(column)}, wanted.id))"
        for column in table.keys or table.columns[:1]
    ]
    copy.execute(
        f"INSERT OR IGNORE INTO picked SELECT ?, own.rowid FROM source.{_quoted(table.name)}"  # noqa: S608
        f" AS own WHERE {' OR '.join(tests)}",
        [table.name],
    )


def _follow_keys(copy: sqlite3.Connection, tables: Sequence[_Table]) -> None:
    """Pick the rows that refer to a picked one, then those that picked ones refer to."""
    links = [
        (table.name, column, parent, to or "rowid")
        for table in tables
        for parent, column, to in copy.execute(
            'SELECT "table", "from", "to" FROM pragma_foreign_key_list(?)', [table.name]
        ).fetchall()
        if parent != table.name
    ]
    down = [(child, column, parent, to) for child, column, parent, to in links]
    up = [(parent, to, child, column) for child, column, parent, to in links]
    for steps in (down, up):
        for _ in range(_PASSES):
            before = copy.total_changes
            for name, column, other, its in steps:
                copy.execute(
                    "INSERT OR IGNORE INTO picked"  # noqa: S608
                    f" SELECT ?, rowid FROM source.{_quoted(name)} WHERE {_quoted(column)} IN"
                    f" (SELECT {_quoted(its)} FROM source.{_quoted(other)}"
                    " WHERE rowid IN (SELECT row FROM picked WHERE name = ?))",
                    [name, other],
                )
            if copy.total_changes == before:
                break


def _reads_alike(path: str, target: Path, session: str) -> bool:
    try:
        return _digest(path, session) == _digest(str(target), session)
    except AgentViewError:
        return False


def _digest(path: str, session: str) -> bytes:
    lines = DatabaseLines(path, session)
    if not lines.refresh():
        raise Unreadable(f"No session {session} in {path}.")
    digest, at = sha256(), 0
    with lines.file as file:
        while piece := read_span(file.fileno(), at, _PIECE):
            digest.update(piece)
            at += len(piece)
    return digest.digest()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
