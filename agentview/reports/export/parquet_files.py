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
from agentview.reports.export.tables import TEXT, TIME
from agentview.system.file_writing import make_folder

_LONGEST_ROW = 64 * 1024 * 1024
"""Bytes of a row at most."""


class ParquetFiles:
    """Files named after their tables in a directory; they are there once all are written.

    Rows are kept on disk until `finish`, in a directory that nobody else may read. Raises
    UsageError where DuckDB is not installed, AgentViewError where the directory cannot be written.
    """

    def __init__(self, directory: Path, tables: Mapping[str, Mapping[str, str]]) -> None:
        if find_spec("duckdb") is None:
            raise UsageError(
                "The package duckdb is not installed.",
                "Install it with: pip install 'agentview[duckdb]'.",
            )
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
                    database.execute(_copy(draft, name, columns))
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


def _copy(draft: Path, name: str, columns: Mapping[str, str]) -> str:
    """The statement that writes a table; names of tables and columns are our own."""
    read = ", ".join(f"{column}: '{_read_as(kind)}'" for column, kind in columns.items())
    chosen = ", ".join(_value(column, kind) for column, kind in columns.items())
    source, target = _quoted(draft / f"{name}.jsonl"), _quoted(draft / f"{name}.parquet")
    return (
        f"COPY (SELECT {chosen} FROM read_json({source}, format = 'newline_delimited', "  # noqa: S608
        f"columns = {{{read}}}, maximum_object_size = {_LONGEST_ROW})) "
        f"TO {target} (FORMAT parquet, COMPRESSION zstd)"
    )


def _read_as(kind: str) -> str:
    return TEXT if kind == TIME else kind


def _value(column: str, kind: str) -> str:
    return f'TRY_CAST("{column}" AS {TIME}) AS "{column}"' if kind == TIME else f'"{column}"'


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
