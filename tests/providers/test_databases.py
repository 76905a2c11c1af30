"""What every provider of databases owes: nothing is changed, and no database is too odd."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest

from agentview.domain.events import Event, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.errors import AgentViewError
from agentview.providers import load_provider, provider_names
from agentview.providers.base import Provider
from agentview.sources.line_splitter import Line
from agentview.sources.lines import LineReader
from agentview.sources.member import is_database
from agentview.system.paths import sample_sessions_dir
from tests.providers.folders import folder_of_tests

pytestmark = pytest.mark.slow

SAMPLES = {
    name: next(
        path
        for path in sorted((sample_sessions_dir() / name).iterdir())
        if path.suffix in (".db", ".sqlite", ".sqlite3", ".vscdb") and is_database(path)
    )
    for name in provider_names()
    if load_provider(name).database is not None
}
"""A database of each provider that has such logs."""

each_database = pytest.mark.parametrize("name", sorted(SAMPLES))


def events_of(provider: Provider, ref: SessionRef) -> list[Event]:
    """All that happened in a session, as far as its rows are there."""
    reader = LineReader(Path(ref.path))
    found: list[Event] = []
    while items := reader.poll().items:
        for item in items:
            if isinstance(item, Line) and item.data is not None:
                place = SourceRef(ref.path, item.offset, item.length)
                found += provider.decode(item.data, place, ref)
    return found


def look_at(provider: Provider, database: Path) -> tuple[int, int]:
    """Do all that a command does with a database; how many sessions and calls it has."""
    calls = 0
    refs = provider.scan(database)
    for ref in refs:
        provider.info(ref)
        provider.discovery.children(ref)
        try:
            events = events_of(provider, ref)
        except AgentViewError:
            continue
        calls += len({event.body.call_id for event in events if isinstance(event.body, ToolCall)})
    return len(refs), calls


def state_of(folder: Path) -> dict[str, tuple[str, int, int]]:
    """Content, time and mode of all that is in a folder, and of the folder.

    Of the index of a write-ahead log only that it is there: readers take their locks in it.
    """
    state = {".": ("", folder.stat().st_mtime_ns, folder.stat().st_mode)}
    for path in sorted(folder.iterdir()):
        status = path.stat()
        shared = path.name.endswith("-shm")
        digest = "" if shared else sha256(path.read_bytes()).hexdigest()
        state[path.name] = (digest, 0 if shared else status.st_mtime_ns, status.st_mode)
    return state


@pytest.fixture
def copied(name: str, tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    return copy_of(name, folder)


def copy_of(name: str, folder: Path) -> Path:
    """A copy of the sample, without indexes, which would forbid to rename what they are of."""
    database = Path(shutil.copy(SAMPLES[name], folder))
    with closing(sqlite3.connect(database)) as connection:
        indexes = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        ).fetchall()
    change(database, *(f'DROP INDEX "{index}"' for (index,) in indexes))
    return database


def tables_of(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        return [name for (name,) in rows]


def columns_of(database: Path, table: str) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return [name for (name,) in rows]


def change(database: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA legacy_alter_table = 1")
        for statement in statements:
            connection.execute(statement)


@each_database
def test_every_call_in_the_tables_is_shown(name: str) -> None:
    provider = load_provider(name)
    refs = provider.scan(SAMPLES[name])
    shown = {
        ref.session_id: {
            event.body.call_id
            for event in events_of(provider, ref)
            if isinstance(event.body, ToolCall) and not event.body.is_container
        }
        for ref in refs
    }
    count = import_module(f"{folder_of_tests(name)}.call_count").calls
    with closing(sqlite3.connect(f"file:{SAMPLES[name]}?mode=ro", uri=True)) as connection:
        counted: dict[str, int] = count(connection)
    assert counted
    assert {own: len(calls) for own, calls in shown.items()} == {
        ref.session_id: counted.get(ref.session_id, 0) for ref in refs
    }
    assert sum(counted.values()) == sum(map(len, shown.values()))


@each_database
def test_every_row_is_read(name: str) -> None:
    provider = load_provider(name)
    for ref in provider.scan(SAMPLES[name]):
        unread = [event for event in events_of(provider, ref) if isinstance(event.body, Unparsed)]
        assert not unread


@each_database
def test_nothing_is_changed_by_reading(name: str, copied: Path) -> None:
    before = state_of(copied.parent)
    sessions, calls = look_at(load_provider(name), copied)
    assert sessions > 0
    assert calls > 0
    assert state_of(copied.parent) == before


@each_database
@pytest.mark.parametrize("journal", ["WAL", "DELETE", "TRUNCATE", "PERSIST"])
def test_nothing_is_changed_while_a_writer_is_at_work(
    name: str, copied: Path, journal: str
) -> None:
    provider = load_provider(name)
    expected = look_at(provider, copied)
    with closing(sqlite3.connect(copied, isolation_level=None)) as writer:
        writer.execute(f"PRAGMA journal_mode = {journal}")
        table = tables_of(copied)[0]
        column = columns_of(copied, table)[-1]
        writer.execute(f'UPDATE "{table}" SET "{column}" = "{column}"')  # noqa: S608
        # It has begun to write, and goes on while the sessions are read.
        writer.execute("BEGIN IMMEDIATE")
        writer.execute(f'UPDATE "{table}" SET "{column}" = "{column}"')  # noqa: S608
        before = state_of(copied.parent)
        assert look_at(provider, copied) == expected
        assert state_of(copied.parent) == before
        # The reader holds nothing that would keep the writer from its work.
        writer.execute("COMMIT")
        if journal == "WAL":
            assert writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    assert look_at(provider, copied) == expected


@pytest.fixture
def for_all() -> Iterator[Path]:
    """A folder that all users reach, which those of the tests are not."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        (Path(folder) / "store").mkdir()
        yield Path(folder) / "store"


@each_database
def test_a_reader_needs_no_right_to_write(name: str, for_all: Path) -> None:
    copied = copy_of(name, for_all)
    expected = look_at(load_provider(name), copied)
    for wal in (False, True):
        writer = sqlite3.connect(copied, isolation_level=None)
        if wal:
            writer.execute("PRAGMA journal_mode = WAL")
            table = tables_of(copied)[0]
            writer.execute(f'UPDATE "{table}" SET rowid = rowid')  # noqa: S608
        for path in copied.parent.iterdir():
            path.chmod(0o444)
        copied.parent.chmod(0o555)
        before = state_of(copied.parent)
        assert _look_as_nobody(name, copied) == expected
        assert state_of(copied.parent) == before
        copied.parent.chmod(0o755)
        for path in copied.parent.iterdir():
            path.chmod(0o644)
        writer.close()


def _look_as_nobody(name: str, database: Path) -> tuple[int, int]:
    """What a process sees that may not write there, also where the tests run as root."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            tempfile.tempdir = "/tmp"  # noqa: S108
            if os.geteuid() == 0:
                os.setresuid(65_534, 65_534, 65_534)
            found = look_at(load_provider(name), database)
            os.write(write, f"{found[0]} {found[1]}".encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        words = answer.read().split()
    os.waitpid(child, 0)
    return int(words[0]), int(words[1])


@each_database
def test_a_locked_database_is_read_once_it_is_free(name: str, copied: Path) -> None:
    provider = load_provider(name)
    expected = look_at(provider, SAMPLES[name])
    with closing(sqlite3.connect(copied, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = DELETE")
        table = tables_of(copied)[0]
        writer.execute("BEGIN EXCLUSIVE")
        writer.execute(f'UPDATE "{table}" SET rowid = rowid')  # noqa: S608
        locked = provider.unread(copied, "database is locked")
        assert provider.scan(copied) == [locked]
        assert provider.info(locked).title == "could not be read: database is locked"
        writer.execute("ROLLBACK")
        listed = provider.scan(copied)
        ref = listed[0]
        assert {each.fault for each in listed} == {None}
        writer.execute("BEGIN EXCLUSIVE")
        writer.execute(f'UPDATE "{table}" SET rowid = rowid')  # noqa: S608
        # Nothing was committed since.
        assert provider.scan(copied) in ([locked], listed)
        with pytest.raises(AgentViewError):
            events_of(provider, ref)
        writer.execute("COMMIT")
    assert look_at(provider, copied) == expected


def _damaged(data: bytes) -> Iterator[bytes]:
    page = 4096
    yield data[:100]
    yield data[: len(data) // 2]
    yield data[: len(data) // 2 // page * page]
    yield data[:-page]
    for at in (16, 100, page, 3 * page, len(data) // 2, len(data) - page):
        yield data[:at] + b"\xff" * 2000 + data[at + 2000 :]
        yield data[:at] + bytes(2000) + data[at + 2000 :]
    yield b"SQLite format 3\x00" + os.urandom(8192)
    yield b""
    yield b"no database\n" * 800


@each_database
def test_a_damaged_or_half_copied_database_is_survived(name: str, copied: Path) -> None:
    provider = load_provider(name)
    whole = copied.read_bytes()
    for number, data in enumerate(_damaged(whole)):
        copied.write_bytes(data)
        if number % 2:
            Path(f"{copied}-wal").write_bytes(data[100:9000])
        before = state_of(copied.parent)
        look_at(provider, copied)
        assert state_of(copied.parent) == before
        Path(f"{copied}-wal").unlink(missing_ok=True)


@each_database
def test_a_renamed_table_is_survived(name: str, copied: Path) -> None:
    provider = load_provider(name)
    for table in tables_of(copied):
        change(copied, f'ALTER TABLE "{table}" RENAME TO "{table}_next"')
        look_at(provider, copied)
        change(copied, f'ALTER TABLE "{table}_next" RENAME TO "{table}"')
    assert look_at(provider, copied)[1] > 0


@each_database
def test_columns_that_came_or_went_with_a_version_are_survived(name: str, copied: Path) -> None:
    provider = load_provider(name)
    expected = look_at(provider, copied)
    for table in tables_of(copied):
        change(copied, f'ALTER TABLE "{table}" ADD COLUMN hologram text DEFAULT 7')
    change(copied, "CREATE TABLE hologram (id text PRIMARY KEY, data blob)")
    assert look_at(provider, copied) == expected
    read = 0
    for table in tables_of(copied):
        for column in columns_of(copied, table):
            change(copied, f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "a_{column}"')
            read += look_at(provider, copied)[1] > 0
            change(copied, f'ALTER TABLE "{table}" RENAME COLUMN "a_{column}" TO "{column}"')
    # Most columns can be missed: few tell whose a database is, or what belongs together.
    assert read > 0
    assert look_at(provider, copied) == expected


_ODD = (
    "NULL", "7", "-1", "1e400", "'soon'", "x'00ff'", "'{'", "'[]'", "'[1]'", "'null'", "''",
    "'{\"type\":[],\"role\":{},\"id\":[1]}'", "'../../x'", "char(0)", "zeroblob(70000)",
)  # fmt: skip


@each_database
def test_a_value_of_any_type_in_any_column_is_survived(name: str, copied: Path) -> None:
    provider = load_provider(name)
    whole = copied.read_bytes()
    described = load_provider(name).database
    assert described is not None
    used = {table.rows.split()[0] for table in described.tables}
    for table in sorted(used & set(tables_of(copied))):
        for number, column in enumerate(columns_of(copied, table)):
            for odd in (_ODD[number % len(_ODD)], _ODD[(number * 7 + 3) % len(_ODD)]):
                _set(copied, table, column, odd)
                look_at(provider, copied)
                copied.write_bytes(whole)


def _set(database: Path, table: str, column: str, value: str) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        try:
            connection.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = {value}')  # noqa: S608
        except sqlite3.Error:
            # The client's own constraints forbid it.
            return
