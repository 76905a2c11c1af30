"""Sessions of other clients, of any size: a sample repeated, each time with ids of its own."""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from statistics import mode
from typing import Any

from agentview.system.paths import sample_sessions_dir
from benchmarks.generate import END, directory

_FORMAT = 1
"""Part of each name: sessions of another form are written anew."""
_ID = re.compile(rb"\b(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}\b")
"""What names a record, a call or a message."""
_LAST_WORDS = (b"## Summary", b"not interrupted")
"""Beginnings of the last texts of the samples."""


def formats() -> Mapping[str, Callable[[int], Path]]:
    """Names of formats, and what makes a session of so many bytes at least."""
    return {
        "Codex": lambda size: _lines("codex", size),
        "ACP": lambda size: _lines("acp", size),
        "Gemini document": _document,
        "OpenCode": _database,
    }


def _lines(provider: str, size: int) -> Path:
    source = sample_sessions_dir() / provider / "demo.jsonl"
    head, *lines = source.read_bytes().splitlines(keepends=True)
    body = b"".join(lines)
    # Where the first line names no session, what is named most is the session.
    session = max(_ID.findall(head), key=len, default=b"") or mode(_ID.findall(body))

    def write(place: Path) -> None:
        with place.open("wb") as file:
            file.write(head)
            for copy, last in _copies(size, len(body)):
                file.write(_renamed(body, copy, last=last, keep=session))

    return _cached(f"{provider}-{size}", f"rollout-{provider}.jsonl", write)


def _document(size: int) -> Path:
    source = sample_sessions_dir() / "gemini_cli" / "document.json"
    document: dict[str, Any] = json.loads(source.read_bytes())
    body = json.dumps(document["messages"], ensure_ascii=False).encode()

    def write(place: Path) -> None:
        document["messages"] = [
            message
            for copy, last in _copies(size, len(body))
            for message in json.loads(_renamed(body, copy, last=last, keep=b""))
        ]
        place.write_text(json.dumps(document, indent=2, ensure_ascii=False))

    return _cached(f"gemini-{size}", "session-2026-11-21T00-00-document.json", write)


def _database(size: int) -> Path:
    source = sample_sessions_dir() / "opencode" / "opencode.db"

    def write(place: Path) -> None:
        shutil.copy(source, place)
        with closing(sqlite3.connect(place)) as database:
            session = _largest(database)
            rows = {table: _rows(database, table, session) for table in ("message", "part")}
            length = sum(len(str(row)) for found in rows.values() for row in found)
            for copy, last in _copies(size, length):
                for table, found in rows.items():
                    _insert(database, table, [_renamed_row(row, copy, last=last) for row in found])
            database.commit()

    place = _cached(f"opencode-{size}", "opencode.db", write)
    with closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True)) as database:
        return place / _largest(database)


def _largest(database: sqlite3.Connection) -> str:
    query = "SELECT session_id FROM part GROUP BY 1 ORDER BY count(*) DESC LIMIT 1"
    (session,) = database.execute(query).fetchone()
    return str(session)


def _rows(database: sqlite3.Connection, table: str, session: str) -> list[dict[str, Any]]:
    database.row_factory = sqlite3.Row
    query = f"SELECT * FROM {table} WHERE session_id = ? ORDER BY time_created"  # noqa: S608
    rows = [dict(row) for row in database.execute(query, [session])]
    database.row_factory = None
    return rows


def _renamed_row(row: Mapping[str, Any], copy: int, *, last: bool) -> dict[str, Any]:
    session = str(row["session_id"]).encode()
    renamed: dict[str, Any] = {
        name: _renamed(value.encode(), copy, last=last, keep=session).decode()
        if isinstance(value, str)
        else value
        for name, value in row.items()
    }
    renamed["time_created"] += (copy + 1) * 1_000_000
    return renamed


def _insert(database: sqlite3.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    names = list(rows[0])
    marks = ", ".join("?" * len(names))
    query = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608
    database.executemany(query, [tuple(row.values()) for row in rows])


def _copies(size: int, length: int) -> Iterator[tuple[int, bool]]:
    """Numbers of the copies, and whether each is the last one."""
    count = max(1, -(-size // length))
    return ((copy, copy == count - 1) for copy in range(count))


def _renamed(data: bytes, copy: int, *, last: bool, keep: bytes) -> bytes:
    """The records with ids of their own; the id `keep` stays."""
    number = b"%05x" % copy
    made = _ID.sub(lambda found: found[0] if found[0] == keep else found[0][:-5] + number, data)
    for words in _LAST_WORDS if last else ():
        made = made.replace(words, END.encode() + b" ")
    return made


def _cached(name: str, file: str, write: Callable[[Path], None]) -> Path:
    place = directory() / f"{name}-f{_FORMAT}" / file
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_name(f"part-{os.getpid()}{place.suffix}")
        write(part)
        part.replace(place)
    return place
