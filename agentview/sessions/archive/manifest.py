"""The archive of a session: its files, their original places, and their contents."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from msgspec.structs import asdict

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import Unreadable
from agentview.sources.member import LogStatus, log_stat
from agentview.sources.packed_file import archive_folder, origin_of

NAME = "manifest.json"
VERSION = 1
_UNIQUE = 16
"""Characters of an id from which no two sessions have the same."""


class ArchivedFile(Value):
    """One copied file."""

    path: str
    """Where it lay."""
    size: int
    """Bytes that it held; of a database with some sessions, of that."""
    sha256: str
    """Of these bytes, in hexadecimal digits."""
    packed: int
    """Bytes of the copy."""
    modified: float
    """Epoch seconds."""


class ArchivedSession(Value):
    """One archived session."""

    folder: str
    """Its directory in the archive."""
    provider: str
    session_id: str
    title: str | None
    project: str | None
    archived: float
    """When it was copied last, epoch seconds."""
    modified: float | None
    """When its log was written last, epoch seconds."""
    number: int
    """Of the last copy, from 1."""
    earlier: tuple[int, ...]
    """Numbers of earlier copies that hold what the last one does not."""
    logs: tuple[str, ...]
    """Where its logs lay, its agents' included; its own first."""
    files: tuple[ArchivedFile, ...]

    def place_of(self, path: str) -> str:
        """The path in the archive of what lay at a path."""
        return f"{self.folder}/{self.number}/{path.lstrip('/')}"

    @property
    def packed(self) -> int:
        """Bytes of the last copy."""
        return sum(file.packed for file in self.files)

    @property
    def size(self) -> int:
        """Bytes that it holds."""
        return sum(file.size for file in self.files)


class ArchivedLog(Value):
    """A log in the archive, as a listing gives it; like an entry of a directory."""

    path: str
    name: str
    origin: str
    """Where it lay."""
    named: bool
    """True if the name has the session's id, so that a log of that name elsewhere is the same."""

    def stat(self) -> LogStatus:
        """When it was written last. Raises OSError."""
        return log_stat(self.path)


def folder_of(ref: SessionRef) -> str:
    """The directory of an archived session; it need not exist."""
    # Session ids come from logs and may be anything; a hash is always a file name. Some clients
    # give several sessions the same id.
    log = origin_of(ref.path) or os.path.abspath(ref.path)  # noqa: PTH100
    named = f"{ref.session_id}\0{log}".encode("utf-8", "surrogatepass")
    return f"{archive_folder()}/{ref.provider}/{hashlib.sha256(named).hexdigest()[:32]}"


def archived_folders() -> frozenset[str]:
    """The directories of all sessions that are archived, by their manifests."""
    base = archive_folder()
    folders = (f"{base}/{provider}/{name}" for provider, name in _folders(_names(base)))
    return frozenset(each for each in folders if os.path.exists(f"{each}/{NAME}"))  # noqa: PTH110


def has_archive(ref: SessionRef, archived: frozenset[str]) -> bool:
    """Return True if a session is among the archived ones, which are known by their directories."""
    return bool(archived) and folder_of(ref) in archived


def archived_session(ref: SessionRef) -> ArchivedSession | None:
    """Return the manifest of an archived session; None where nothing is. Raises Unreadable."""
    return read_manifest(folder_of(ref))


def archived_sessions(providers: Iterable[str] | None = None) -> Iterator[ArchivedSession]:
    """All archived sessions, or those of some providers; a damaged manifest counts as none."""
    base = archive_folder()
    there = _names(base)
    wanted = there if providers is None else [*dict.fromkeys(providers)]
    for provider, name in _folders([each for each in wanted if each in there]):
        try:
            found = read_manifest(f"{base}/{provider}/{name}")
        except Unreadable:
            continue
        if found is not None:
            yield found


def damaged_manifests() -> Iterator[str]:
    """Manifests that cannot be read."""
    base = archive_folder()
    for provider, name in _folders(_names(base)):
        try:
            read_manifest(f"{base}/{provider}/{name}")
        except Unreadable:
            yield f"{base}/{provider}/{name}/{NAME}"


def archived_logs(providers: Iterable[str]) -> Iterator[tuple[str, ArchivedLog]]:
    for session in archived_sessions(providers):
        for log in session.logs:
            path = session.place_of(log)
            name = Path(log).name
            named = len(session.session_id) >= _UNIQUE and session.session_id in name
            yield session.provider, ArchivedLog(path=path, name=name, origin=log, named=named)


def read_manifest(folder: str) -> ArchivedSession | None:
    """The manifest in a directory; None where there is none. Raises Unreadable."""
    try:
        data = Path(folder, NAME).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unreadable(f"{folder}/{NAME} cannot be read: {error.strerror}.") from error
    try:
        fields = cast("dict[str, Any]", json.loads(data))
        if fields.pop("version") != VERSION:
            raise Unreadable(f"{folder}/{NAME} is of another version.", "Update agentview.")
        files = tuple(ArchivedFile(**each) for each in fields.pop("files"))
        logs, earlier = tuple(fields.pop("logs")), tuple(fields.pop("earlier"))
        return ArchivedSession(folder=folder, files=files, logs=logs, earlier=earlier, **fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unreadable(f"{folder}/{NAME} is damaged.", "Archive the session again.") from error


def manifest_bytes(session: ArchivedSession) -> bytes:
    """The manifest as its file has it."""
    fields = asdict(session) | {"files": [asdict(file) for file in session.files]}
    del fields["folder"]
    return json.dumps({"version": VERSION, **fields}, indent=1).encode() + b"\n"


def _folders(providers: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Providers of the archive, each with the name of a directory in its folder."""
    for provider in providers:
        for name in _names(f"{archive_folder()}/{provider}"):
            yield provider, name


def _names(folder: str) -> list[str]:
    """The directories in a folder, by name."""
    try:
        with os.scandir(folder) as listed:
            return sorted(entry.name for entry in listed if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
