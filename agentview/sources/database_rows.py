"""The rows of the tables of a session in a database, and the lines that they make."""

import base64
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import msgspec
import orjson

from agentview.sources.member import Database, Table
from agentview.sources.unpacking import unpacked_frame

_LARGEST_VALUE = 64 * 1024 * 1024
"""Bytes of a packed value that are unpacked; a larger one stays as it is."""
_DIGEST = 8
"""Bytes of what stands for the values of a row."""

_packed = msgspec.msgpack.Encoder().encode


class Row(NamedTuple):
    """A row as a database has it; rows are in the order of these fields."""

    created: float
    rank: int
    """The place of its table among all tables."""
    row: int
    updated: float
    digest: int
    """It stands for the values: where it is the same, the row makes the same line."""
    values: Sequence[object]
    """Those of the columns."""
    own: object
    """The column `id`, where the row has one: a database gives a rowid again after a removal."""


def rows_of(
    connection: sqlite3.Connection, rank: int, table: Table, more: str, values: Mapping[str, object]
) -> Generator[Row]:
    """Rows of a table."""
    own = [*table.columns].index("id") if "id" in table.columns else None
    wanted = ", ".join((table.row, table.created, table.updated, *table.columns.values()))
    # No text of a log is in it.
    sql = f"SELECT {wanted} FROM {table.rows}{more}"  # noqa: S608
    for row, created, updated, *columns in connection.execute(sql, values):
        packed = blake2b(_packed(columns), digest_size=_DIGEST).digest()
        digest, key = int.from_bytes(packed, "little"), None if own is None else columns[own]
        yield Row(number(created), rank, row, number(updated), digest, columns, key)


def line_of(table: Table, row: Row) -> bytes:
    """A row as canonical JSON: its table, its rowid, and its columns."""
    record: dict[str, object] = {"table": table.name, "rowid": row.row}
    for name, value in zip(table.columns, row.values, strict=True):
        try:
            record[name] = _parsed(value) if name in table.parsed else _plain(value)
        except ValueError:
            record[name] = _plain(value)
    return orjson.dumps(record)


def _parsed(value: object) -> object:
    """A text as the JSON that it holds; a zstd frame too, in an object that says so.

    Raises ValueError for a text or a frame of anything else.
    """
    if isinstance(value, str):
        return orjson.Fragment(orjson.dumps(orjson.loads(value)))
    if isinstance(value, bytes):
        text = unpacked_frame(value, _LARGEST_VALUE)
        return {"zstd": orjson.Fragment(orjson.dumps(orjson.loads(text)))}
    return _plain(value)


def _plain(value: object) -> object:
    """A value as JSON has it: bytes as base64, in an object that says so."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value


def number(value: object) -> float:
    return value if isinstance(value, int | float) else 0


def shape_of(form: Database) -> tuple[str, ...]:
    return tuple(f"{table.name} {' '.join(table.columns)}" for table in form.tables)
