"""Copies a session to the archive: packed, verified, and as a whole or not at all."""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

from agentview.domain.session import SessionInfo
from agentview.domain.value import Value
from agentview.errors import AgentViewError, NotFound, Unreadable
from agentview.facts.accounting.log_bytes import LogBytes, records_of
from agentview.providers import load_provider
from agentview.sessions.archive.manifest import (
    NAME,
    ArchivedFile,
    ArchivedSession,
    folder_of,
    manifest_bytes,
    read_manifest,
)
from agentview.sessions.archive.members import SessionMembers, members_of
from agentview.sources.database_copy import copy_sessions
from agentview.sources.files import open_log
from agentview.sources.member import WAL
from agentview.sources.packed_file import archive_folder, is_named_packed
from agentview.sources.unpacking import pieces
from agentview.system import platforms, zstd
from agentview.system.file_writing import make_folder, replace_file

_PIECE = 1024 * 1024
_LEVEL = 6
_TRIES = 3
"""Times that a file is copied which is rewritten meanwhile."""
_DRAFT = ".draft-"


class ArchivingFailed(AgentViewError):  # noqa: N818
    """A session could not be copied. Exit code 1."""


class Outcome(Value):
    """The outcome of archiving a session."""

    session: ArchivedSession
    new: bool
    """True if anything was copied: False where the archive has all of it."""


def archive_session(info: SessionInfo) -> Outcome:
    """Copy a session with its agents, unless the archive has it as it is now.

    Raises NotFound, Unreadable, and ArchivingFailed where the copy cannot be written or verified.
    """
    ref = info.ref
    folder = folder_of(ref)
    try:
        make_folder(Path(folder))
        with _locked(folder):
            before = _known(folder)
            _remove_drafts(folder)
            members = members_of(load_provider(ref.provider), ref)
            if before is not None and _is_same(before, members, info):
                return Outcome(before, new=False)
            return _copied(folder, info, members, before)
    except OSError as error:
        raise ArchivingFailed(
            f"{ref.own_id} cannot be archived: {error.strerror or error}.",
            f"Check the directory {archive_folder()}.",
        ) from error


def _known(folder: str) -> ArchivedSession | None:
    try:
        return read_manifest(folder)
    except Unreadable:
        # A damaged manifest stays, with the copies that it was of.
        Path(folder, NAME).replace(Path(folder, f"{NAME}.damaged-{time.time_ns()}"))
        return None


@contextmanager
def _locked(folder: str) -> Generator[None]:
    """Keep other processes from copying the same session during the block."""
    descriptor = os.open(f"{folder}/.lock", os.O_RDWR | os.O_CREAT | platforms.CLOSE_ON_EXEC, 0o600)
    try:
        platforms.lock(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)


def _remove_drafts(folder: str) -> None:
    for draft in Path(folder).glob(f"{_DRAFT}*"):
        shutil.rmtree(draft)


def _is_same(before: ArchivedSession, members: SessionMembers, info: SessionInfo) -> bool:
    """Return True if the files are those that were copied, by their times and sizes."""
    if members.rows:
        return info.ref.modified is not None and (
            before.modified == info.ref.modified and set(before.logs) == set(members.logs)
        )
    known = {file.path: (file.size, file.modified) for file in before.files}
    now: dict[str, tuple[int, float]] = {}
    for path in members.files:
        try:
            status = os.stat(path)  # noqa: PTH116
        except OSError:
            return False
        now[path] = (status.st_size, status.st_mtime)
    # What is gone meanwhile stays archived.
    return known.items() >= now.items() and set(before.logs) >= set(members.logs)


def _copied(
    folder: str, info: SessionInfo, members: SessionMembers, before: ArchivedSession | None
) -> Outcome:
    draft = tempfile.mkdtemp(prefix=_DRAFT, dir=folder)
    try:
        files = [*_copy_files(members, draft), *_copy_rows(members, draft)]
        numbers = [int(name) for name in os.listdir(folder) if name.isdigit()]  # noqa: PTH208
        session = ArchivedSession(
            folder=folder,
            provider=info.ref.provider,
            session_id=info.ref.own_id,
            title=info.title,
            project=info.project,
            archived=time.time(),
            modified=info.ref.modified,
            number=max(numbers, default=0) + 1,
            earlier=(),
            logs=members.logs,
            files=tuple(files),
        )
        if before is not None and _digests(before) == _digests(session):
            _write_manifest(_updated(session, before.number, before.earlier))
            return Outcome(before, new=False)
        Path(draft).rename(f"{folder}/{session.number}")
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    kept = () if before is None else before.earlier
    if before is not None and not _holds_all(session, before):
        kept = (*kept, before.number)
    session = _updated(session, session.number, kept)
    _write_manifest(session)
    for number in {*numbers} - {session.number, *kept}:
        shutil.rmtree(f"{folder}/{number}", ignore_errors=True)
    return Outcome(session, new=True)


def _updated(session: ArchivedSession, number: int, earlier: tuple[int, ...]) -> ArchivedSession:
    return replace(session, number=number, earlier=earlier)


def _write_manifest(session: ArchivedSession) -> None:
    replace_file(Path(session.folder, NAME), manifest_bytes(session), 0o600)


def _digests(session: ArchivedSession) -> set[tuple[str, str]]:
    return {(file.path, file.sha256) for file in session.files}


def _copy_files(members: SessionMembers, draft: str) -> Iterator[ArchivedFile]:
    for path in members.files:
        if path in members.logs or os.path.lexists(path):
            yield _copy_settled(path, draft)


def _copy_settled(path: str, draft: str) -> ArchivedFile:
    """Copy a file in one state: one that grows as it was, one that is rewritten once more."""
    for _ in range(_TRIES):
        with FileIO(open_log(Path(path))) as source:
            before = os.fstat(source.fileno())
            copied = _packed(source, before.st_size, path, draft, _modified_of(path))
            after = os.fstat(source.fileno())
        if copied.size == before.st_size and (
            after.st_mtime_ns == before.st_mtime_ns or after.st_size > before.st_size
        ):
            return copied
    raise ArchivingFailed(f"{path} is being rewritten.", "Try again when its client is idle.")


def _modified_of(path: str) -> float:
    return os.stat(path).st_mtime  # noqa: PTH116


def _copy_rows(members: SessionMembers, draft: str) -> Iterator[ArchivedFile]:
    for path, sessions in members.rows.items():
        with tempfile.TemporaryDirectory(prefix="rows-", dir=draft) as folder:
            rows = Path(folder, "rows.db")
            copy_sessions(path, sessions, rows)
            modified = max(map(_modified_of, filter(os.path.exists, (path, path + WAL))))
            with FileIO(open_log(rows)) as source:
                size = os.fstat(source.fileno()).st_size
                yield _packed(source, size, path, draft, modified)


def _packed(
    source: BinaryIO | FileIO, size: int, path: str, draft: str, modified: float
) -> ArchivedFile:
    """Copy so many bytes of an open file, read the copy again, and compare both."""
    target = Path(draft, platforms.below_root(path))
    make_folder(target.parent)
    descriptor = os.open(
        target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | platforms.CLOSE_ON_EXEC, 0o600
    )
    with os.fdopen(descriptor, "wb") as file:
        digest, length = _written(source, size, file, plain=is_named_packed(path))
        file.flush()
        os.fsync(file.fileno())
    os.utime(target, (modified, modified))
    found, packed = read_copy(str(target)), target.stat().st_size
    if found != (digest, length):
        raise ArchivingFailed(
            f"The copy of {path} differs from it.", f"Check the disk of {archive_folder()}."
        )
    return ArchivedFile(path=path, size=length, sha256=digest, packed=packed, modified=modified)


def _written(
    source: BinaryIO | FileIO, size: int, file: BinaryIO, *, plain: bool
) -> tuple[str, int]:
    """Write what a file holds; gives its digest, and how many bytes it had."""
    digest, length = hashlib.sha256(), 0
    packer = zstd.packer(_LEVEL, size)
    while piece := source.read(min(_PIECE, size - length)) or b"":
        digest.update(piece)
        length += len(piece)
        file.write(piece if plain else packer.compress(piece))
    if not plain and length == size:
        file.write(packer.flush())
    return digest.hexdigest(), length


def read_copy(path: str) -> tuple[str, int]:
    """The digest of what a copy holds, and how many bytes that is. Raises OSError, Unreadable."""
    digest, length = hashlib.sha256(), 0
    with Path(path).open("rb") as file:
        named_so = is_named_packed(path)
        while piece := file.read(_PIECE) if named_so else b"":
            digest.update(piece)
            length += len(piece)
        for piece in () if named_so else pieces(file, _PIECE, path):
            digest.update(piece)
            length += len(piece)
    return digest.hexdigest(), length


def faults_of(session: ArchivedSession) -> Iterator[str]:
    for file in session.files:
        place = session.place_of(file.path)
        try:
            found = read_copy(place)
        except OSError as error:
            yield f"{place} cannot be read: {error.strerror}."
        except Unreadable as error:
            yield error.message
        else:
            if found != (file.sha256, file.size):
                yield f"{place} is not what was copied from {file.path}."


def _holds_all(session: ArchivedSession, before: ArchivedSession) -> bool:
    """Return True if a copy has all that an earlier one has."""
    files = {file.path: file for file in session.files}
    return all(
        file.path in files and (_begins_with(session, file) or _has_records(session, before, file))
        for file in before.files
    )


def _begins_with(session: ArchivedSession, file: ArchivedFile) -> bool:
    """Return True if what a file holds now begins with what it held."""
    digest, left = hashlib.sha256(), file.size
    with FileIO(open_log(Path(session.place_of(file.path)))) as now:
        while left and (piece := now.read(min(_PIECE, left))):
            digest.update(piece)
            left -= len(piece)
    return left == 0 and digest.hexdigest() == file.sha256


def _has_records(session: ArchivedSession, before: ArchivedSession, file: ArchivedFile) -> bool:
    """Return True if the logs in a file have all records that they had."""
    logs = [log for log in before.logs if log == file.path or log.startswith(f"{file.path}/")]
    try:
        return bool(logs) and all(_records(before, log) <= _records(session, log) for log in logs)
    except (NotFound, Unreadable):
        return False


def _records(session: ArchivedSession, log: str) -> set[bytes]:
    provider = load_provider(session.provider)
    found = records_of(provider, Path(session.place_of(log)), LogBytes())
    return {hashlib.sha256(line.data or b"").digest() for line, _ in found}
