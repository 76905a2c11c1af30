"""Reads a session in an archive, such as a sample of an evaluation, as lines of JSON.

An archive is a zip file, whose members may be stored, deflated or packed with zstd (method 93), one
JSON document, or a log of changes to one object, which a provider replays. It is opened for reading
only; what a member unpacks to is bounded, whatever the archive says of its size.
"""

import json
import os
import struct
import zipfile
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import IO

import zstandard

from agentview.errors import NotFound, Unreadable
from agentview.sources.file_stamp import stamp_of
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

LARGEST = 256 * 1024 * 1024
"""Bytes that a member, a JSON document or a log of changes may have."""
_MEMBERS = 100_000
"""Members of a zip file that are looked at."""
_ZSTD = 93
_LOCAL = struct.Struct("<4s22xHH")
_LOCAL_SIZE = 30
_ENCRYPTED = 1


class OpenArchive:
    """An open archive: the names of its members, and what they hold."""

    def __init__(self, path: str) -> None:
        """Raises Unreadable when it cannot be read."""
        self.path = path
        self._members: dict[str, zipfile.ZipInfo] = {}
        self._document: object = None
        self._lines: list[bytes] = []
        try:
            if first_bytes(path, len(ZIP)) == ZIP:
                with _opened(path) as file, zipfile.ZipFile(file) as archive:
                    listed = archive.infolist()[:_MEMBERS]
                self._members = {member.filename: member for member in listed}
            else:
                with _opened(path) as file:
                    data = file.read(LARGEST + 1)
                if path.endswith(LINES):
                    self._lines = _bounded_size(data).split(b"\n")
                else:
                    self._document = _parsed(data)
        except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise Unreadable(f"Cannot read {path}: {error}.", why=str(error)) from error

    @property
    def names(self) -> Sequence[str]:
        """Names of the members of a zip file, in their order; none of a document."""
        return tuple(self._members)

    @property
    def document(self) -> object:
        """The JSON document; None of a zip file."""
        return self._document

    @property
    def lines(self) -> Sequence[bytes]:
        """The lines of a log of changes, the last one without its line feed."""
        return self._lines

    def json(self, name: str) -> object:
        """Return what a member holds; None where it is not there. Raises Unreadable."""
        member = self._members.get(name)
        if member is None:
            return None
        try:
            return _parsed(self._unpacked(member))
        except (OSError, ValueError, zlib.error, zstandard.ZstdError) as error:
            raise Unreadable(f"Cannot read {name} in {self.path}: {error}.") from error

    def _unpacked(self, member: zipfile.ZipInfo) -> bytes:
        if member.flag_bits & _ENCRYPTED:
            raise ValueError("it is encrypted")
        with _opened(self.path) as file:
            file.seek(member.header_offset)
            head = file.read(_LOCAL_SIZE)
            if len(head) < _LOCAL_SIZE or not head.startswith(ZIP):
                raise ValueError("its header is damaged")
            *_, name_length, more = _LOCAL.unpack(head)
            file.seek(member.header_offset + _LOCAL_SIZE + name_length + more)
            packed = file.read(min(member.compress_size, LARGEST + 1))
        return _bounded(packed, member.compress_type)


def _bounded(packed: bytes, method: int) -> bytes:
    """The content, of which no more is unpacked than a member may have."""
    if method == zipfile.ZIP_STORED:
        found = packed
    elif method == zipfile.ZIP_DEFLATED:
        found = zlib.decompressobj(-15).decompress(packed, LARGEST + 1)
    elif method == _ZSTD:
        reader = zstandard.ZstdDecompressor(max_window_size=LARGEST).stream_reader(packed)
        found = reader.read(LARGEST + 1)
    else:
        raise ValueError(f"method {method} is not known")
    return found


def _bounded_size(data: bytes) -> bytes:
    if len(data) > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes")
    return data


def _parsed(data: bytes) -> object:
    try:
        # Not orjson: evaluations write NaN, which is not valid JSON.
        return json.loads(_bounded_size(data))
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
def _container(path: str, stamp: object) -> OpenArchive:
    _ = stamp
    return OpenArchive(path)


def sessions_in_archive(path: str | Path, form: Archive) -> list[dict[str, object]]:
    """The sessions of an archive, each with `id` and `title`. Raises Unreadable."""
    if archive_of(path) != form:
        return []
    return [dict(each) for each in form.sessions(container(path))]


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
        return [] if form is None else list(form.lines(container(self._path), self._session))
