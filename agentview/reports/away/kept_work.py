"""What sessions did since a moment, kept until one of their logs changes."""

import sqlite3
import time
import zlib
from collections.abc import Iterable, Sequence
from contextlib import closing

import msgspec

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.facts.kept.facts_db import FactsDatabase, path_key, path_of
from agentview.facts.kept.rules import rules_of
from agentview.providers import load_provider
from agentview.providers.session_logs import session_logs
from agentview.reports.away.work import SessionWork, work_since
from agentview.sources.file_stamp import FileStamp, stamp_of

_CHECKSUM = 4
_SETTLED = 1.0
"""Seconds after a write until which another one may leave the stamp of a log as it is."""
_AT_ONCE = 256
_PUT = "INSERT OR REPLACE INTO work (path, facts) VALUES (?, ?)"


class _Row(Value):
    """The logs with their stamps, the moment, and the work."""

    logs: tuple[tuple[str, FileStamp], ...]
    after: float | None
    work: SessionWork


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Row).decode


class KeptWork:
    """Reads what sessions did, and keeps it with the stamps of their logs and the moment."""

    def __init__(self, database: FactsDatabase, sessions: Iterable[SessionRef]) -> None:
        """`sessions` are those that will be asked for."""
        self._database = database
        self._rows: dict[str, bytes] = {}
        self._new: list[tuple[str | bytes, bytes]] = []
        paths = [ref.path for ref in sessions]
        for start in range(0, len(paths), _AT_ONCE):
            part = paths[start : start + _AT_ONCE]
            self._rows.update(database.attempt(lambda file, of=part: _rows(file, of), {}))

    def of(self, ref: SessionRef, after: float | None) -> SessionWork:
        """Work of a session after a moment, None for all of it. Raises AgentViewError."""
        logs = _stamps(ref)
        kept = None if logs is None else self._found(ref.path)
        if kept is not None and (kept.logs, kept.after) == (logs, after):
            return kept.work
        work = work_since(ref, after)
        now = time.time()
        if logs is not None and all(now - stamp.modified / 1e9 > _SETTLED for _, stamp in logs):
            self._put(ref.path, _Row(logs, after, work))
        return work

    def _found(self, path: str) -> _Row | None:
        kept = self._rows.get(path)
        if kept is None or kept[:_CHECKSUM] != _checksum(path, kept):
            return None
        try:
            return _decode(memoryview(kept)[_CHECKSUM:])
        except ValueError:
            return None

    def _put(self, path: str, row: _Row) -> None:
        try:
            body = bytes(_CHECKSUM) + _encode(row)
        except (UnicodeEncodeError, OverflowError):
            return
        self._new.append((path_key(path), _checksum(path, body) + body[_CHECKSUM:]))
        if len(self._new) >= _AT_ONCE:
            self.write()

    def write(self) -> None:
        """Write what was read."""
        new, self._new = self._new, []
        if new:
            self._database.attempt(lambda file: file.executemany(_PUT, new), None)


def _stamps(ref: SessionRef) -> tuple[tuple[str, FileStamp], ...] | None:
    """The logs of a session as they are now; None where nothing is kept of it."""
    if ref.shared or rules_of(ref.provider) is None:
        return None
    found: list[tuple[str, FileStamp]] = []
    for log in session_logs(load_provider(ref.provider).discovery, ref):
        stamp = stamp_of(log.path)
        if stamp is None:
            return None
        found.append((log.path, stamp))
    return tuple(found)


def _rows(file: sqlite3.Connection, paths: Sequence[str]) -> dict[str, bytes]:
    marks = ", ".join("?" * len(paths))
    query = f"SELECT path, facts FROM work WHERE path IN ({marks})"  # noqa: S608
    with closing(file.execute(query, [path_key(path) for path in paths])) as found:
        rows = [(path_of(key), facts) for key, facts in found]
    return {
        path: facts for path, facts in rows if isinstance(path, str) and isinstance(facts, bytes)
    }


def _checksum(path: str, row: bytes) -> bytes:
    """Of a row, whose own checksum does not count."""
    of_path = zlib.crc32(path.encode("utf-8", "surrogatepass"))
    return zlib.crc32(memoryview(row)[_CHECKSUM:], of_path).to_bytes(_CHECKSUM)
