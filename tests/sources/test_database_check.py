"""Damage of databases: what SQLite reads without an error may still lack rows."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agentview.errors import Unreadable
from agentview.sources.database_check import damage_in, damage_note
from agentview.sources.member import member_path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE rows (text TEXT)")
        connection.executemany("INSERT INTO rows VALUES (?)", [("x" * 500,)] * 200)
        connection.commit()
    return path


def test_damage_is_found_as_soon_as_it_is_there(database: Path) -> None:
    log = member_path(str(database), "one")
    assert damage_in(str(database)) is None
    assert damage_note(log) is None
    assert damage_note(database) is None
    data = bytearray(database.read_bytes())
    data[4096 : 2 * 4096] = b"\xff" * 4096
    database.write_bytes(data)
    assert damage_in(str(database)) is not None
    assert "is damaged" in str(damage_note(log))


def test_a_locked_database_is_not_called_damaged_nor_sound(database: Path) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Unreadable, match="locked"):
            damage_in(str(database))
        assert damage_note(member_path(str(database), "one")) is None
        writer.execute("ROLLBACK")
    assert damage_in(str(database)) is None
