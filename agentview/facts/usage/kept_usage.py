"""Usage of logs, kept in the database of facts until a log, the prices or the time zone change."""

import os
import sqlite3
import time
import zlib
from array import array
from collections.abc import Iterator, Sequence
from contextlib import closing

import msgspec
from msgspec.structs import astuple

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.facts.kept.facts_db import FactsDatabase, path_key, path_of
from agentview.facts.kept.rules import rules_of
from agentview.facts.usage.claims import ResponseKeys
from agentview.facts.usage.kept_prices import prices_stamp
from agentview.facts.usage.log_usage import LogUsage
from agentview.sources.file_stamp import FileStamp, is_recent, stamp_of

ALL, MAIN = b"a", b"m"
"""Variants of what a log used: with agents that write into it, and without."""

_CHECKSUM = 4
_AT_ONCE = 256
"""Logs that are asked for, or written, at once."""
_ZONE = "/etc/localtime"
_READ = "SELECT path, variant, facts FROM usage WHERE path IN"
_DROP = "DELETE FROM usage WHERE path = ? AND substr(variant, 1, 1) = ? AND length(variant) > ?"
_PUT = "INSERT OR REPLACE INTO usage (path, variant, facts) VALUES (?, ?, ?)"


class _Row(Value, gc=True):
    """A kept row: the log, its prices and days, the keys, and the usage."""

    of: bytes
    shared: bytes
    owned: bytes
    usage: msgspec.Raw


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Row).decode
_decode_usage = msgspec.msgpack.Decoder(LogUsage).decode


class CountedLog:
    """Usage of one log, with the keys of its responses as `SessionClaims` takes them."""

    __slots__ = ("_usage", "owned", "shared")

    def __init__(self, row: _Row) -> None:
        self.shared, self.owned = array("Q", row.shared), array("Q", row.owned)
        self._usage = row.usage

    def usage(self) -> LogUsage:
        """Make it; its tallies may be changed."""
        return _decode_usage(self._usage)


class KeptUsage:
    """Kept usage of logs: of each one variant, `ALL` or `MAIN`, with all of its responses.

    A longer variant has only a part of them: others have counted the rest.
    """

    def __init__(self, database: FactsDatabase) -> None:
        self._database = database
        self._basis = basis()
        self._rows: dict[tuple[str, bytes], bytes] = {}
        self._looked_at: SessionRef | None = None
        self._found: bytes | None = None
        """Facts of that log."""
        self._new: list[tuple[str | bytes, bytes, bytes]] = []

    def load(self, logs: Sequence[SessionRef]) -> None:
        """Have what is kept of these logs at hand."""
        for start in range(0, len(logs), _AT_ONCE):
            keys = [path_key(log.path) for log in logs[start : start + _AT_ONCE]]
            self._rows.update(self._database.attempt(lambda file, of=keys: _rows(file, of), {}))

    def find(self, log: SessionRef, variant: bytes) -> CountedLog | None:
        """Kept usage of a log that was loaded and is as it was then.

        Of several variants of one that are asked for in a row, one look at the log decides.
        """
        kept = self._rows.get((log.path, variant))
        if kept is None or kept[:_CHECKSUM] != _checksum(log.path, kept):
            return None
        if self._looked_at is not log:
            self._looked_at, self._found = log, self._of_now(log)
        try:
            row = _decode(memoryview(kept)[_CHECKSUM:])
        except ValueError:
            return None
        return CountedLog(row) if row.of == self._found else None

    def stamp(self, log: SessionRef) -> FileStamp | None:
        """Take the stamp of a log before it is read; None where nothing is kept of it."""
        return None if log.shared or rules_of(log.provider) is None else stamp_of(log.path)

    def put(
        self,
        log: SessionRef,
        stamp: FileStamp | None,
        variant: bytes,
        usage: LogUsage,
        keys: ResponseKeys | None = None,
    ) -> None:
        """Keep what was read of a log, unless it was written since its stamp was taken."""
        if stamp is None or stamp != stamp_of(log.path) or is_recent(stamp.modified):
            return
        owned = keys is not None and any(keys.owned)
        try:
            row = _Row(
                self._of(log, stamp),
                b"" if keys is None else keys.shared.tobytes(),
                keys.owned.tobytes() if keys is not None and owned else b"",
                msgspec.Raw(_encode(usage)),
            )
            body = bytes(_CHECKSUM) + _encode(row)
        except (UnicodeEncodeError, OverflowError):
            return
        kept = _checksum(log.path, body) + body[_CHECKSUM:]
        self._rows[log.path, variant] = kept
        self._new.append((path_key(log.path), variant, kept))
        if len(self._new) >= _AT_ONCE:
            self.write()

    def write(self) -> None:
        """Write what was put."""
        new, self._new = self._new, []

        def put(file: sqlite3.Connection) -> None:
            # Of a log whose responses others count, only the newest choice is worth keeping.
            file.executemany(_DROP, [(path, kind[:1], len(kind) - 1) for path, kind, _ in new])
            file.executemany(_PUT, new)

        if new:
            self._database.attempt(put, None)

    def _of_now(self, log: SessionRef) -> bytes | None:
        stamp = stamp_of(log.path)
        try:
            return None if stamp is None else self._of(log, stamp)
        except UnicodeEncodeError:
            return None

    def _of(self, log: SessionRef, stamp: FileStamp) -> bytes:
        """Which log it is, as it is now, and what else decides what it used."""
        own = (
            log.provider, log.session_id, log.stream, log.parent_id, log.own_from,
            log.spent_before, log.parts, log.run, sorted(log.records),
        )  # fmt: skip
        return _encode((self._basis, astuple(stamp), own))


def _rows(file: sqlite3.Connection, keys: Sequence[str | bytes]) -> dict[tuple[str, bytes], bytes]:
    marks = ", ".join("?" * len(keys))
    with closing(file.execute(f"{_READ} ({marks})", keys)) as found:
        return dict(_sound(found))


def _sound(found: sqlite3.Cursor) -> Iterator[tuple[tuple[str, bytes], bytes]]:
    for key, variant, facts in found:
        path = path_of(key)
        if isinstance(path, str) and isinstance(variant, bytes) and isinstance(facts, bytes):
            yield (path, variant), facts


def _checksum(path: str, row: bytes) -> bytes:
    """Of a row, whose own checksum does not count."""
    of_path = zlib.crc32(path.encode("utf-8", "surrogatepass"))
    return zlib.crc32(memoryview(row)[_CHECKSUM:], of_path).to_bytes(_CHECKSUM)


def basis() -> tuple[object, ...]:
    """Everything besides logs that decides usage.

    Changes with the prices, and with the time zone, by which responses are of a day.
    """
    try:
        found = os.stat(_ZONE)  # noqa: PTH116
        zone = (os.path.realpath(_ZONE), found.st_size, found.st_mtime_ns)
    except OSError:
        zone = ()
    return prices_stamp(), os.environ.get("TZ"), time.tzname, zone
