"""Reads a session in a directory as a file that grows: one line for each record in its files.

The records come in the order that the form of the directory gives them. One whose file is written
again comes again, as one more line at the end.
"""

import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from threading import Lock

import orjson

from agentview.errors import NotFound
from agentview.sources.member import DirectoryRecord, Folder, first_bytes
from agentview.sources.member_lines import MemberLines
from agentview.sources.packed_file import content_size

_LARGEST = 512 * 1024 * 1024
"""Bytes of a record that are read."""
_PIECE = 256 * 1024
"""Bytes of lines that are written at a time."""
_SETTLE = 1.0
"""Seconds for which a file that ends amid its record may still be in the writing."""
_NUMBER = re.compile(r"(\d+)")


class DirectoryLines(MemberLines):
    """The lines of one session, which grow as files come and change."""

    def __init__(self, path: str, form: Folder) -> None:
        super().__init__()
        self._path = path
        self._records = form.open(path)
        self._reading = Lock()
        self._versions: dict[str, object] = {}
        self._hashes: dict[str, int] = {}

    def refresh(self) -> bool:
        with self._reading:
            there: set[str] = set()
            settled = True
            piece: list[bytes] = []
            size = 0
            for record in self._records():
                there.add(record.key)
                if self._versions.get(record.key) == record.version:
                    continue
                data = record.read()
                if data is None:
                    # It is not whole yet: what comes behind it waits, so that the order is kept.
                    settled = False
                    break
                self._versions[record.key] = record.version
                line = one_line(data)
                if line and self._hashes.get(record.key) != hash(line):
                    self._hashes[record.key] = hash(line)
                    piece += line, b"\n"
                    size += len(line)
                if size > _PIECE:
                    self.write(piece)
                    piece, size = [], 0
            self.write(piece)
            gone = settled and not self._versions.keys() <= there
            self.whole = self.whole or bool(there)
            return bool(self._versions) and not gone

    def last_lines(self, most: int, size: int) -> list[bytes]:
        """The last records, whose files alone are read."""
        records = list(self._records())
        if not records:
            raise NotFound(f"No session in {self._path}.")
        found: deque[bytes] = deque()
        for record in reversed(records[-most:]):
            data = record.read()
            if data is not None and (line := one_line(data)):
                found.appendleft(line)
                size -= len(line)
            if size < 0:
                break
        return list(found)


def one_line(data: bytes) -> bytes:
    """A JSON value as one line of as many bytes: line feeds in it are between its parts."""
    return data.strip().replace(b"\n", b" ").replace(b"\r", b" ")


def files_in_order(
    *places: tuple[str, str],
) -> Callable[[str], Callable[[], Iterator[DirectoryRecord]]]:
    """The form of a session whose records are one file each.

    Each place is a folder below the session's own, `""` for that itself, and a pattern of the names
    in it. Files of a place are in the order of their names, numbers by value. Links are not read.
    """
    wanted = [(folder, re.compile(pattern)) for folder, pattern in places]
    return lambda path: partial(_files, path, wanted)


def _files(path: str, places: Sequence[tuple[str, re.Pattern[str]]]) -> Iterator[DirectoryRecord]:
    for folder, pattern in places:
        place = os.path.join(path, folder) if folder else path  # noqa: PTH118  (thousands in a row)
        try:
            with os.scandir(place) as listed:
                entries = [entry for entry in listed if pattern.fullmatch(entry.name)]
        except OSError:
            continue
        for entry in sorted(entries, key=lambda each: _natural(each.name)):
            try:
                if not entry.is_file(follow_symlinks=False):
                    continue
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            version = (status.st_ino, status.st_size, status.st_mtime_ns)
            read = partial(_whole, entry.path, status.st_size, status.st_mtime)
            yield DirectoryRecord(f"{folder}/{entry.name}", version, read)


def _natural(name: str) -> list[tuple[int, str]]:
    return [
        (int(part), "") if at % 2 else (0, part)
        for at, part in enumerate(_NUMBER.split(name))
        if len(part) < _MOST_DIGITS or not at % 2
    ]


_MOST_DIGITS = 20


def _whole(path: str, size: int, modified: float) -> bytes | None:
    """Return the content of a file; None while it is being written."""
    data = first_bytes(path, min(content_size(path, size), _LARGEST))
    if time.time() - modified > _SETTLE:
        return data
    try:
        orjson.loads(data)
    except ValueError:
        return None
    return data
