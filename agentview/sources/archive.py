"""Reads a session in an archive, such as a sample of an evaluation, as lines of JSON.

An archive is a zip file, whose members may be stored, deflated or packed with zstd (method 93), one
JSON document, or a log of changes to one object, which a provider replays. It is opened for reading
only. The number of members is bounded, and what each unpacks to, in bytes and in values, whatever
the archive says of its size; so is what a session of it comes to, and the CPU time that all of it
takes.
"""

import json
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import IO

from agentview.errors import NotFound, Unreadable
from agentview.sources.cpu_budget import CpuBudget
from agentview.sources.file_stamp import Stamp, stamp_of
from agentview.sources.json_values import MOST_VALUES, check_values
from agentview.sources.member import (
    LINES,
    OPEN_FLAGS,
    ZIP,
    Archive,
    archive_head,
    first_bytes,
    known_archives,
)
from agentview.sources.member_lines import MemberLines
from agentview.sources.packed_file import plain_descriptor
from agentview.sources.unpacking import most_unpacked
from agentview.system import zstd

LARGEST = 256 * 1024 * 1024
"""Bytes that a member, a JSON document or a log of changes may have, and the lines of a session."""
_MEMBERS = 20_000
"""Members that a zip file may have, and sessions of an archive."""
_DIRECTORY = 64 * 1024 * 1024
"""Bytes that the list of its members may have."""
_LIST_END = struct.Struct("<4s6xHII2x")
"""The end of a zip file: number of members, length of their list, and its offset."""
_LIST_ENDS = b"PK\x05\x06"
_COMMENT = 65_535
"""Bytes that may follow behind that."""
_TOO_MANY = "it has more than {:,} bytes"
_ZSTD = 93
_LOCAL = struct.Struct("<4s22xHH")
_LOCAL_SIZE = 30
_ENCRYPTED = 1
_BUDGETS = 64
"""Files of which it is known at the same time what they have cost."""
_LIST = "sessions/"
"""Names the list of sessions, and in front of an id its lines, among the parts of an archive."""


class OpenArchive:
    """An open archive: the names of its members, and what they hold."""

    def __init__(self, path: str, budget: CpuBudget) -> None:
        """Raises Unreadable when it cannot be read."""
        self.path = path
        self.budget = budget
        self._members: Mapping[str, zipfile.ZipInfo] = {}
        self._document: object = None
        self._lines: list[bytes] = []
        try:
            if first_bytes(path, len(ZIP)) == ZIP:
                self._members = _members(path)
            else:
                with _opened(path) as file:
                    data = _bounded_size(file.read(LARGEST + 1))
                if path.endswith(LINES):
                    if data.count(b"\n") > MOST_VALUES:
                        raise ValueError(f"it has more than {MOST_VALUES:,} lines")
                    check_values(data)
                    self._lines = data.split(b"\n")
                else:
                    self._document = _parsed(data)
        except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise Unreadable(f"Cannot read {path}: {error}.", why=str(error)) from error
        self._names = tuple(self._members)

    @property
    def names(self) -> Sequence[str]:
        return self._names

    @property
    def document(self) -> object:
        """The JSON document; None of a zip file."""
        return self._document

    @property
    def lines(self) -> Sequence[bytes]:
        return self._lines

    def json(self, name: str) -> object:
        """Return the JSON of a member; None where it is not there. Raises Unreadable."""
        member = self._members.get(name)
        if member is None:
            return None
        try:
            with self.budget.part(name):
                return _parsed(self._unpacked(member))
        except (OSError, ValueError, zlib.error, zstd.ZstdError) as error:
            why = f"{name}: {error}"
            raise Unreadable(f"Cannot read {name} in {self.path}: {error}.", why=why) from error

    def _unpacked(self, member: zipfile.ZipInfo) -> bytes:
        if member.flag_bits & _ENCRYPTED:
            raise ValueError("it is encrypted")
        most = most_unpacked(member.compress_size, LARGEST)
        if member.file_size > most:
            raise ValueError(_TOO_MANY.format(most))
        with _opened(self.path) as file:
            file.seek(member.header_offset)
            head = file.read(_LOCAL_SIZE)
            if len(head) < _LOCAL_SIZE or not head.startswith(ZIP):
                raise ValueError("its header is damaged")
            *_, name_length, more = _LOCAL.unpack(head)
            file.seek(member.header_offset + _LOCAL_SIZE + name_length + more)
            packed = file.read(min(member.compress_size, LARGEST + 1))
        data = _bounded(packed, member.compress_type, most)
        if len(data) > most:
            raise ValueError(_TOO_MANY.format(most))
        return data


def _members(path: str) -> Mapping[str, zipfile.ZipInfo]:
    """The members of a zip file by name. Raises OSError, BadZipFile, ValueError."""
    with _opened(path) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LIST_END.size - _COMMENT))
        end = file.read()
        at = end.rfind(_LIST_ENDS)
        if 0 <= at <= len(end) - _LIST_END.size:
            _, count, length, _ = _LIST_END.unpack_from(end, at)
            if count > _MEMBERS or length > _DIRECTORY:
                raise ValueError(f"it has more than {_MEMBERS:,} members")
        with zipfile.ZipFile(file) as archive:
            listed = archive.infolist()
    if len(listed) > _MEMBERS:
        raise ValueError(f"it has more than {_MEMBERS:,} members")
    return {member.filename: member for member in listed}


def _bounded(packed: bytes, method: int, most: int) -> bytes:
    """The content, of which at most one byte more than `most` is unpacked."""
    if method == zipfile.ZIP_STORED:
        found = packed
    elif method == zipfile.ZIP_DEFLATED:
        found = zlib.decompressobj(-15).decompress(packed, most + 1)
    elif method == _ZSTD:
        found = zstd.unpacked(packed, most + 1, window=LARGEST.bit_length() - 1)
    else:
        raise ValueError(f"method {method} is not known")
    return found


def _bounded_size(data: bytes) -> bytes:
    if len(data) > LARGEST:
        raise ValueError(_TOO_MANY.format(LARGEST))
    return data


def _parsed(data: bytes) -> object:
    check_values(_bounded_size(data))
    try:
        # Not orjson: evaluations write NaN, which is not valid JSON.
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _opened(path: str) -> IO[bytes]:
    return os.fdopen(plain_descriptor(os.open(path, OPEN_FLAGS), path), "rb")


def archive_of(path: str | Path) -> Archive | None:
    """The description that fits an archive by its first bytes; None for any other file."""
    head = archive_head(path)
    return next((form for form in known_archives() if head and form.begins(head)), None)


def container(path: str | Path) -> OpenArchive:
    """The archive at a path, as it is now; the last one stays at hand. Raises Unreadable."""
    return _container(os.fspath(path), stamp_of(os.fspath(path)))


@lru_cache(maxsize=1)
def _container(path: str, stamp: Stamp) -> OpenArchive:
    return OpenArchive(path, _budget(path, stamp))


@lru_cache(maxsize=_BUDGETS)
def _budget(path: str, stamp: Stamp) -> CpuBudget:
    return CpuBudget(path, 0 if stamp is None else stamp.size)


def sessions_in_archive(path: str | Path, form: Archive) -> list[dict[str, object]]:
    """The sessions of an archive, each with `id` and `title`. Raises Unreadable."""
    if archive_of(path) != form:
        return []
    found: list[dict[str, object]] = []
    archive = container(path)
    with archive.budget.part(_LIST):
        for each in islice(form.sessions(archive), _MEMBERS + 1):
            archive.budget.check()
            found.append(dict(each))
    if len(found) > _MEMBERS:
        why = f"it has more than {_MEMBERS:,} sessions"
        raise Unreadable(f"Cannot read {path}: {why}.", why=why)
    return found


class ArchiveLines(MemberLines):
    """The lines of one session of an archive."""

    def __init__(self, archive: str, session: str) -> None:
        super().__init__()
        self._path = archive
        self._session = session
        self._reading = Lock()
        self._state: object = None
        self._lines: list[bytes] = []

    def refresh(self) -> bool:
        """Read the archive again if it was written; False where lines changed that were there."""
        with self._reading:
            state = stamp_of(self._path)
            if state is not None and state == self._state:
                return True
            lines = self._read()
            if not lines or lines[: len(self._lines)] != self._lines:
                return False
            self.write([line + b"\n" for line in lines[len(self._lines) :]])
            self._lines, self._state, self.whole = lines, state, True
            return True

    def last_lines(self, most: int, size: int) -> list[bytes]:
        """None before the others: a session of an archive is unpacked as a whole."""
        _ = most, size
        if not self.refresh():
            raise NotFound(f"No session {self._session} in {self._path}.")
        return []

    def _read(self) -> list[bytes]:
        form = archive_of(self._path)
        if form is None:
            return []
        lines: list[bytes] = []
        size = 0
        archive = container(self._path)
        with archive.budget.part(f"{_LIST}{self._session}"):
            for line in form.lines(archive, self._session):
                archive.budget.check()
                lines.append(line)
                size += len(line)
                if size > LARGEST:
                    why = f"{self._session} has more than {LARGEST:,} bytes"
                    raise Unreadable(f"Cannot read {self._path}: {why}.", why=why)
        return lines
