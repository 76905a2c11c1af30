"""Tables of all sessions as Parquet files by host and day, of which only what changed is written.

A file is `TABLE/host=HOST/day=DAY/LOGIN.parquet`. Next to the tables, `_agentview` has the manifest
of each user of each machine, a lock, and drafts while they are written.
"""

import os
import shutil
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from msgspec.structs import replace

from agentview.errors import AgentViewError, UsageError
from agentview.reports.export.encoding import Object, to_json_line
from agentview.reports.export.parquet_files import copy_statement, quoted, require_duckdb
from agentview.reports.export.parquet_manifest import (
    KeptSession,
    Manifest,
    read_manifest,
    write_manifest,
)
from agentview.system import platforms
from agentview.system.file_writing import make_folder

_FOLDER = "_agentview"
_MOST_BYTES = 256 * 1024 * 1024
"""Bytes of new rows that are gathered before they take their places."""


class ParquetPartitions:
    """The tables of one user of one machine in a directory, while no other process writes them.

    Raises UsageError where DuckDB is missing or the tables were made with other options, and
    AgentViewError where they cannot be written or another process writes them.
    """

    def __init__(
        self,
        directory: Path,
        tables: Mapping[str, Mapping[str, str]],
        host: str,
        login: str,
        *,
        options: str,
        rules: str,
    ) -> None:
        require_duckdb()
        self._directory, self._tables = directory, tables
        self._host, self._login = quote(host, safe=""), quote(login, safe="")
        name = f"{self._host}.{self._login}"
        self._folder = directory / _FOLDER
        self._draft = self._folder / f"{name}.draft"
        self._spill = self._folder / f"{name}.spill"
        """Where DuckDB puts what has no room in memory."""
        self._path = self._folder / f"{name}.manifest"
        self._manifest = Manifest(options=options, rules=rules)
        self._gathered = 0
        self._new: dict[str, KeptSession] = {}
        self._stale: dict[str, set[str]] = {}
        """Logs whose rows are to leave a partition, by its day."""
        self._moving = False
        """True from when the manifest has moves until all are done: then drafts are not removed."""
        self._held = ExitStack()
        self._database: Any = None
        self.written: set[str] = set()
        """Days whose files were replaced."""

    def __enter__(self) -> Self:
        with self._reported(), ExitStack() as stack:
            make_folder(self._folder)
            stack.enter_context(self._locked())
            self._begin()
            self._held = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._held:
            if self._database is not None:
                self._database.close()
            if not self._moving:
                self._discard()

    def _begin(self) -> None:
        found = read_manifest(self._path)
        if found is not None:
            if found.options != self._manifest.options:
                raise UsageError(
                    f"{self._directory} has tables that were made with other options.",
                    f"They were: {found.options or 'none'}. Use the same, or another directory.",
                )
            self._move(found.moves)
            whole: set[str] = set()
            if found.rules == self._manifest.rules:
                days = {each.day for each in found.sessions.values()}
                whole = {day for day in days if self._is_whole(day)}
            kept = {
                path: each if each.day in whole else replace(each, files={})
                for path, each in found.sessions.items()
            }
            self._manifest = replace(self._manifest, sessions=kept, number=found.number)
        self._discard()

    @property
    def sessions(self) -> Mapping[str, KeptSession]:
        """The sessions that the tables have, by path; without files where rows have to be new."""
        return self._manifest.sessions

    def forget(self, paths: Iterable[str]) -> None:
        for path in paths:
            kept = self._manifest.sessions[path]
            self._stale.setdefault(kept.day, set()).add(path)

    def put(self, path: str, kept: KeptSession, rows: Callable[[str], Iterable[Object]]) -> None:
        """Put the rows of a session, by table, in the place of those that the tables have."""
        before = self._manifest.sessions.get(path)
        for day in {kept.day, *(() if before is None else (before.day,))}:
            self._stale.setdefault(day, set()).add(path)
        self._new[path] = kept
        with self._reported():
            for table, columns in self._tables.items():
                place = self._draft / table
                place.mkdir(parents=True, exist_ok=True, mode=0o700)
                with (place / f"{kept.day}.jsonl").open("ab") as file:
                    for row in rows(table):
                        line = to_json_line({name: row.get(name) for name in columns})
                        self._gathered += file.write(line)
        if self._gathered >= _MOST_BYTES:
            self.commit()

    def commit(self) -> None:
        """Write what was put; readers see each file as it was or as it is now."""
        if not self._stale:
            return
        duckdb: Any = import_module("duckdb")
        try:
            with self._reported():
                self._draft.mkdir(parents=True, exist_ok=True, mode=0o700)
                if self._database is None:
                    self._database = self._opened(duckdb)
                moves = [self._merged(*each) for each in self._parts()]
                self._settle(tuple(moves))
        except duckdb.Error as error:
            raise self._failed(str(error)) from error

    def _settle(self, moves: tuple[tuple[str | None, str], ...]) -> None:
        sessions = dict(self._manifest.sessions)
        for paths in self._stale.values():
            for path in paths:
                sessions.pop(path, None)
        self._manifest = replace(
            self._manifest,
            sessions={**sessions, **self._new},
            moves=moves,
            number=self._manifest.number + 1,
        )
        self._moving = True
        write_manifest(self._path, self._manifest)
        # From here on, whoever comes next would do the same.
        self._move(moves)
        self._moving = False
        self.written |= self._stale.keys()
        shutil.rmtree(self._draft, ignore_errors=True)
        self._new, self._stale, self._gathered = {}, {}, 0

    def _parts(self) -> Iterable[tuple[str, str]]:
        return [(table, day) for day in sorted(self._stale) for table in self._tables]

    def _merged(self, table: str, day: str) -> tuple[str | None, str]:
        """Make the new file of a table and a day; gives the move that puts it in its place."""
        target = self._file(table, day)
        place = self._directory / target
        new = self._draft / table / f"{day}.jsonl"
        old = place if place.exists() else None
        draft = self._draft / table / f"{day}.{self._manifest.number + 1}.parquet"
        draft.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        execute = self._database.execute
        execute("DELETE FROM stale")
        stale = self._stale[day]
        if old is not None:
            self._database.executemany("INSERT INTO stale VALUES (?)", [[path] for path in stale])
        source = new if new.exists() else None
        execute(copy_statement(self._tables[table], source, draft, old))
        rows: int = execute(f"SELECT count(*) FROM read_parquet({quoted(draft)})").fetchone()[0]  # noqa: S608
        # An empty table is kept for the days that the sessions of others are on.
        if not rows and not self._has_sessions(day):
            return None, target
        _make_durable(draft)
        return str(draft.relative_to(self._folder)), target

    def _has_sessions(self, day: str) -> bool:
        sessions = self._manifest.sessions.items()
        left = any(each.day == day and path not in self._stale[day] for path, each in sessions)
        return left or any(each.day == day for each in self._new.values())

    def _opened(self, duckdb: Any) -> Any:
        # Nothing is fetched: what reads JSON and Parquet is in the package.
        settings = {
            "autoinstall_known_extensions": False,
            "temp_directory": str(self._spill),
            "threads": 1,
        }
        database = duckdb.connect(":memory:", config=settings)
        database.execute("CREATE TABLE stale (log VARCHAR)")
        return database

    def _file(self, table: str, day: str) -> str:
        return f"{table}/host={self._host}/day={day}/{self._login}.parquet"

    def _is_whole(self, day: str) -> bool:
        return all((self._directory / self._file(table, day)).exists() for table in self._tables)

    def _move(self, moves: Iterable[tuple[str | None, str]]) -> None:
        for draft, target in moves:
            place = self._directory / target
            if draft is None:
                place.unlink(missing_ok=True)
            elif (made := self._folder / draft).exists():
                make_folder(place.parent)
                made.replace(place)

    def _discard(self) -> None:
        shutil.rmtree(self._draft, ignore_errors=True)
        shutil.rmtree(self._spill, ignore_errors=True)

    @contextmanager
    def _locked(self) -> Generator[None]:
        flags = os.O_RDWR | os.O_CREAT | platforms.CLOSE_ON_EXEC
        descriptor = os.open(self._path.with_suffix(".lock"), flags, 0o600)
        try:
            platforms.lock(descriptor)
            yield
        except BlockingIOError as error:
            raise AgentViewError(
                f"Another process is writing tables to {self._directory}.", "Wait until it is done."
            ) from error
        finally:
            os.close(descriptor)

    @contextmanager
    def _reported(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise self._failed(error.strerror or str(error)) from error

    def _failed(self, reason: str) -> AgentViewError:
        return AgentViewError(f"Cannot write tables to {self._directory}: {reason}.")


def _make_durable(path: Path) -> None:
    path.chmod(0o600)
    descriptor = os.open(path, os.O_RDWR | platforms.CLOSE_ON_EXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
