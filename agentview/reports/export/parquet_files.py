"""Writes tables of sessions as Parquet files, by DuckDB."""

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from agentview.errors import AgentViewError, UsageError
from agentview.reports.export.encoding import Object, to_json_line
from agentview.reports.export.tables import DAY, TEXT, TIME
from agentview.system.file_writing import make_folder

_LONGEST_ROW = 64 * 1024 * 1024
"""Bytes of a row at most."""


class ParquetFiles:
    """Files named after their tables in a directory; they are there once all are written.

    Rows are kept on disk until `finish`, in a directory that nobody else may read. Raises
    UsageError where DuckDB is not installed, AgentViewError where the directory cannot be written.
    """

    def __init__(self, directory: Path, tables: Mapping[str, Mapping[str, str]]) -> None:
        require_duckdb()
        self._directory = directory
        self._tables = tables
        self._files: dict[str, BinaryIO] = {}
        self._draft: Path | None = None

    def __enter__(self) -> Self:
        try:
            make_folder(self._directory)
            self._draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=self._directory))
            for name in self._tables:
                self._files[name] = (self._draft / f"{name}.jsonl").open("wb")
        except OSError as error:
            self._discard()
            raise self._failed(error.strerror or str(error)) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._discard()

    def add(self, table: str, rows: Iterable[Object]) -> None:
        """Add rows, each with a value for each column that is known."""
        columns = self._tables[table]
        write = self._files[table].write
        try:
            for row in rows:
                write(to_json_line({name: row.get(name) for name in columns}))
        except OSError as error:
            raise self._failed(error.strerror or str(error)) from error

    def finish(self) -> list[Path]:
        """Write all files and give their paths."""
        # An optional package: its types are not there for whoever checks the program.
        duckdb: Any = import_module("duckdb")
        draft = self._draft
        if draft is None:
            return []
        # Nothing is fetched: what reads JSON and writes Parquet is in the package.
        settings = {"autoinstall_known_extensions": False, "temp_directory": str(draft)}
        made: list[Path] = []
        try:
            for file in self._files.values():
                file.close()
            with duckdb.connect(":memory:", config=settings) as database:
                for name, columns in self._tables.items():
                    rows, target = draft / f"{name}.jsonl", draft / f"{name}.parquet"
                    database.execute(copy_statement(columns, rows, target))
            for name in self._tables:
                written = draft / f"{name}.parquet"
                written.chmod(0o600)
                made.append(written.replace(self._directory / written.name))
        except (OSError, duckdb.Error) as error:
            raise self._failed(str(error)) from error
        return made

    def _discard(self) -> None:
        for file in self._files.values():
            file.close()
        if self._draft is not None:
            shutil.rmtree(self._draft, ignore_errors=True)

    def _failed(self, reason: str) -> AgentViewError:
        return AgentViewError(f"Cannot write tables to {self._directory}: {reason}.")


def require_duckdb() -> None:
    """Raise UsageError unless DuckDB is installed."""
    if find_spec("duckdb") is None:
        raise UsageError(
            "The package duckdb is not installed.",
            "Install it with: pip install 'agentview[duckdb]'.",
        )


def copy_statement(
    columns: Mapping[str, str], rows: Path | None, target: Path, old: Path | None = None
) -> str:
    """The statement that writes a table; names of columns are our own.

    The rows are those in a file of JSON lines, and those of an `old` table whose `log` is not in
    the table `stale`. An old table may have other columns.
    """
    none = ", ".join(f'CAST(NULL AS {kind}) AS "{name}"' for name, kind in columns.items())
    parts = [f"SELECT {none} WHERE false"]
    if old is not None:
        parts.append(
            f"SELECT * FROM read_parquet({quoted(old)}, hive_partitioning = false) "  # noqa: S608
            "WHERE log NOT IN (SELECT log FROM stale)"
        )
    if rows is not None:
        read = ", ".join(f"{name}: '{_read_as(kind)}'" for name, kind in columns.items())
        chosen = ", ".join(_value(name, kind) for name, kind in columns.items())
        parts.append(
            f"SELECT {chosen} FROM read_json({quoted(rows)}, format = 'newline_delimited', "  # noqa: S608
            f"columns = {{{read}}}, maximum_object_size = {_LONGEST_ROW})"
        )
    names = ", ".join(f'"{name}"' for name in columns)
    all_rows = " UNION ALL BY NAME ".join(parts)
    return (
        f"COPY (SELECT {names} FROM ({all_rows})) "  # noqa: S608
        f"TO {quoted(target)} (FORMAT parquet, COMPRESSION zstd)"
    )


def _read_as(kind: str) -> str:
    return TEXT if kind in (TIME, DAY) else kind


def _value(name: str, kind: str) -> str:
    return f'TRY_CAST("{name}" AS {kind}) AS "{name}"' if kind in (TIME, DAY) else f'"{name}"'


def quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
