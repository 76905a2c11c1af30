"""Basics of all SQLite databases of our own: they may be damaged, and are made again then."""

import sqlite3


def read_schema(database: sqlite3.Connection) -> None:
    """Read the schema, which the first query does. Raises sqlite3.Error when it is damaged.

    SQLite repeats the damaged text in its message; Python raises UnicodeDecodeError when that is
    not text.
    """
    try:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError("malformed database schema") from error
