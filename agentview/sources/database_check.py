"""Looks for damage in the database of a session: SQLite may skip rows without an error."""

import sqlite3
from functools import lru_cache
from pathlib import Path

from agentview.errors import Unreadable
from agentview.sources.database import opened_database, state_of
from agentview.sources.member import database_of, log_stat

_LARGEST = 256 * 1024 * 1024
"""Bytes of a database that is checked whenever a session of it is shown."""

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def damage_in(database: str) -> str | None:
    """Damage that SQLite finds when it reads a whole database; None for nothing.

    Raises Unreadable where it cannot look, as at one that is locked.
    """
    return _damage_in(database, state_of(database))


@lru_cache(maxsize=16)
def _damage_in(database: str, state: object) -> str | None:
    _ = state
    try:
        with opened_database(database) as connection:
            # The first line says where: the faults follow.
            found: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except Unreadable as error:
        cause = error.__cause__
        if isinstance(cause, sqlite3.Error) and cause.sqlite_errorcode & 0xFF in _DAMAGED:
            return error.why
        raise
    return None if found == "ok" else found.splitlines()[-1]


def damage_note(log: str | Path) -> str | None:
    """A clause for who sees the session at a path, if its database is damaged.

    None where it is not, where that is not known, and in a database that is too large to be checked
    for each look at a session. Its texts are those of the log.
    """
    database = database_of(log)
    try:
        if database is None or log_stat(database).st_size > _LARGEST:
            return None
        damage = damage_in(database)
    except (Unreadable, OSError):
        return None
    return damage and f"{database} is damaged, so that records may be missing: {damage}"
