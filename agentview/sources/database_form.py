"""Which description of tables a database has, fitted to the columns that are there."""

import sqlite3
from collections.abc import Sequence

from msgspec.structs import replace

from agentview.sources.member import Database, known_databases

_NOTHING = {"session": "", "own": None}
"""Values of a session for expressions, where they are not evaluated."""
_NO_NUMBER = "0 + 0"
"""Replaces a number that a database lacks: `ORDER BY 0` would name a column."""


def form_of(connection: sqlite3.Connection) -> Database | None:
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


def has_tables(connection: sqlite3.Connection, form: Database) -> bool:
    """True if a database has the tables of a description, whatever their columns."""
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    return {mark.partition(".")[0] for mark in form.marks} <= names


def define_functions(connection: sqlite3.Connection, form: Database) -> None:
    """Let a connection evaluate what a description computes by functions of its own."""
    for name, function in form.functions:
        connection.create_function(name, 1, function, deterministic=True)


def fitted(connection: sqlite3.Connection, form: Database) -> Database:
    """The description without what this database has not: other versions have other columns."""
    needed = {mark.partition(".")[0] for mark in form.marks}
    tables = [
        replace(
            table,
            created=known_or_null(connection, table.created, table.rows, _NO_NUMBER),
            updated=known_or_null(connection, table.updated, table.rows, _NO_NUMBER),
            columns={
                name: known_or_null(connection, column, table.rows)
                for name, column in table.columns.items()
            },
        )
        for table in form.tables
        if table.name in needed or compiles(connection, table.row, table.rows)
    ]
    return replace(form, tables=tuple(tables))


def known_or_null(
    connection: sqlite3.Connection, expression: str, rows: str, otherwise: str = "NULL"
) -> str:
    """An expression; where the database lacks what it names, what stands for it."""
    return expression if compiles(connection, expression, rows) else otherwise


def compiles(connection: sqlite3.Connection, expression: str, rows: str) -> bool:
    """Return True if a database has what an expression names; it is not evaluated."""
    try:
        connection.execute(f"SELECT {expression} FROM {rows} LIMIT 0", _NOTHING)  # noqa: S608
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
            raise
        return False
    return True
