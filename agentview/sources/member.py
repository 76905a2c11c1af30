"""Sessions that are no files: in a database, known by a path below it, or in a directory.

A session in the database `opencode.db` has a path such as `opencode.db/ses_1`; one that is a
directory of files has the path of that.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, unquote

from agentview.domain.value import Value
from agentview.errors import Unreadable
from agentview.sources.packed_file import plain_descriptor
from agentview.system import platforms

OPEN_FLAGS = os.O_RDONLY | platforms.CLOSE_ON_EXEC | platforms.NEVER_WAIT
"""How a file that others write is opened: never for writing, never waiting for a pipe's writer."""

WAL = "-wal"
SHM = "-shm"
_MAGIC = b"SQLite format 3\x00"
ZIP = b"PK\x03\x04"
"""How a zip file begins that has members."""
LINES = ".jsonl"
"""How the names of files of lines end."""
_HOLDS = re.compile(rb'\s*\{\s*"(?:kind":\s*\d|[kvi]"\s*:|instance_id"\s*:)')
"""The beginning of a log of changes, or of lines with a session each: no other log has it."""
_LOOKED_AT = 4096


class Part(Value):
    """The part of a log to be read."""

    start: int = 0
    length: int | None = None
    """Bytes; None where all that follows is."""
    again: bool = False
    """It was read before."""


WHOLE = Part()
"""All of a log, as it is now."""


class Table(Value):
    """One table of a database, as a record source: which rows are of a session, in which order.

    The texts are SQL expressions; `:session` is the id of the session.
    """

    name: str
    rows: str
    """The clause behind FROM, up to the condition that chooses the rows of a session."""
    row: str
    """The rowid of a row."""
    created: str
    """A number by which the rows of all tables are put in order, such as milliseconds."""
    updated: str
    """A number that is larger each time a row is written; `0` where nothing shows that."""
    columns: Mapping[str, str]
    """Expressions by the names that a record has for them."""
    parsed: frozenset[str] = frozenset()
    """Names of those that hold JSON, which becomes a part of the record.

    It may be packed as a zstd frame: then it becomes the member `zstd` of an object.
    """
    newest: str | None = None
    """The column by which an index finds the last rows of a session; the rowid by default."""


class Sessions(Value):
    """Where a database has the list of its sessions; the texts are SQL expressions."""

    rows: str
    """The clause behind FROM; `:own` is the id of the session, null where all are asked for."""
    id: str
    modified: str
    """Epoch seconds of the last change."""
    modified_before: str = "NULL"
    """The same in a database of another version, which lacks a table of `modified`."""
    parent: str = "NULL"
    """Id of the session that started this one as its sub-agent."""
    title: str = "NULL"
    call: str = "NULL"
    """Id of the call that started it."""
    otherwise: str | None = None
    """The clause behind FROM for a database of another version, which lacks a table of `rows`."""
    versions: str | None = None
    """A SELECT of ids, which may be of no session, each with another value once it is written.

    For sessions that are costly to read: those whose value is the same are not read again.
    """


class Database(Value, gc=True):
    """How one program keeps sessions in a database.

    An expression that a database of another version does not know is NULL in it, and a table that
    it lacks has no rows, so that older and newer schemas are read as far as they are known.
    """

    tables: tuple[Table, ...]
    """Of rows with equal `created`, those of an earlier table come first."""
    marks: frozenset[str]
    """Names of tables, or of columns as `table.column`, that all its databases have.

    Where several descriptions fit, the one with the most marks is taken.
    """
    sessions: Sessions | None = None
    functions: tuple[tuple[str, Callable[[object], str | int | float | None]], ...] = ()
    """Functions for expressions besides SQLite's own, by name: of one value each; none raises."""


class DirectoryRecord(Value, gc=True):
    """One record of a session that is a directory."""

    key: str
    """Its identity, which it keeps when it is written again."""
    version: object
    """Another value each time it is written."""
    read: Callable[[], bytes | None]
    """Its text, JSON; None while it is being written."""


def _nothing(path: str) -> Iterable[str]:
    _ = path
    return ()


class Folder(Value, gc=True):
    """How one program keeps a session in a directory."""

    marks: tuple[str, ...]
    """Names in the directory that all such have."""
    open: Callable[[str], Callable[[], Iterable[DirectoryRecord]]]
    """For the path of a directory, what lists its records, in order, as they are each time.

    A record that is missing from the list is gone: all is read again. A client that deletes files
    whose records still count needs a list that keeps them.
    """
    changing: Callable[[str], Iterable[str]]
    """The files and folders of which one changes its size or time whenever a record does."""
    outside: Callable[[str], Iterable[str]] = _nothing
    """The files outside of the directory from which its records have something."""


class Container(Protocol):
    """An open archive, as a provider sees it."""

    path: str

    @property
    def names(self) -> Sequence[str]:
        """Names of the members of a zip file, in their order; none of a document."""
        ...

    @property
    def document(self) -> object:
        """The JSON document; None of a zip file."""
        ...

    @property
    def lines(self) -> Sequence[bytes]:
        """The lines of a log of changes or of sessions; none of a zip file or a document."""
        ...

    def json(self, name: str) -> object:
        """Return the JSON of a member; None where it is not there. Raises Unreadable."""
        ...


class Archive(Value, gc=True):
    """How one program keeps sessions in a zip file, in one JSON document, or in a log of changes.

    `sessions` gives of each its `id`, and `modified` where it is known. `lines` gives the lines of
    one, each a JSON object; a session that continues has more of them later. Both may raise
    Unreadable.
    """

    begins: Callable[[bytes], bool]
    """True if a file that begins so may be one: a zip file, a document, or a log of changes."""
    sessions: Callable[[Container], Iterable[Mapping[str, object]]]
    lines: Callable[[Container, str], Iterable[bytes]]


class MemberStatus(Value):
    """Stat of a session, as far as its database says it; times are nanoseconds."""

    st_size: int
    st_mtime_ns: int
    st_ino: int
    st_dev: int = 0
    st_ctime_ns: int = 0

    @property
    def st_mtime(self) -> float:
        """Epoch seconds."""
        return self.st_mtime_ns / 1e9


class Member(Value):
    """A session in a database, as a listing gives it; like an entry of a directory."""

    path: str
    name: str
    status: MemberStatus
    fault: str | None = None
    """Why the sessions at the path cannot be listed: then it is that of what holds them."""

    def stat(self) -> MemberStatus:
        return self.status


def unlisted(place: str | Path, why: str) -> Member:
    """Return the placeholder in a listing for sessions that it cannot list."""
    try:
        found = os.stat(place)  # noqa: PTH116
        status = MemberStatus(found.st_size, found.st_mtime_ns, found.st_ino)
    except (OSError, ValueError):
        status = MemberStatus(0, 0, 0)
    return Member(os.fspath(place), os.path.basename(place), status, why)  # noqa: PTH119


LogStatus = os.stat_result | MemberStatus
Databases = Callable[[], Iterable[Database]]
Archives = Callable[[], Iterable[Archive]]


_sources: list[Databases] = []
"""Who knows how sessions are kept in databases: what is above this package says so."""


def use_databases(databases: Databases) -> None:
    _sources.append(databases)


def known_databases() -> Iterable[Database]:
    return (database for databases in _sources for database in databases())


Folders = Callable[[], Iterable[Folder]]

_folder_sources: list[Folders] = []


def use_folders(folders: Folders) -> None:
    _folder_sources.append(folders)


def folder_form(path: str | Path) -> Folder | None:
    """How the session at a path is kept in a directory; None where it is none."""
    if not os.path.isdir(path):  # noqa: PTH112  (asked for many paths)
        return None
    forms = (form for folders in _folder_sources for form in folders())
    return next((form for form in forms if fits(path, form)), None)


def fits(path: str | Path, form: Folder) -> bool:
    return all(os.path.lexists(f"{path}/{mark}") for mark in form.marks)


def folder_of(path: Path) -> Path | None:
    """The directory with a session that a file is in; None where it is in none."""
    return next((above for above in _above(path) if folder_form(above) is not None), None)


_DEEPEST = 4
"""Folders between a session's own and a file of it, at most."""


def _above(path: Path) -> Iterator[Path]:
    yield path
    yield from path.parents[:_DEEPEST]


def is_member(path: str | Path) -> bool:
    """Return True if a path means a session that is not a file: in a database, or a directory."""
    return member_of(path) is not None or folder_form(path) is not None


_archives: list[Archives] = []


def use_archives(archives: Archives) -> None:
    _archives.append(archives)


def known_archives() -> Iterable[Archive]:
    return (archive for archives in _archives for archive in archives())


def member_path(database: str, session: str) -> str:
    """The path by which a session in a database is known."""
    name = quote(session, safe="")
    return f"{database}/{name.replace('.', '%2E') if name.strip('.') == '' else name}"


def member_of(path: str | Path) -> tuple[str, str] | None:
    """The database and the session that a path means; None for the path of anything else."""
    above, name = os.path.split(str(path))
    try:
        regular = stat.S_ISREG(os.stat(above).st_mode)  # noqa: PTH116  (asked for many paths)
    except (OSError, ValueError):
        return None
    return (above, unquote(name)) if regular and name else None


def first_bytes(path: str | Path, length: int, start: int = 0) -> bytes:
    """Bytes at the start of a file of a database; none when it cannot be read."""
    try:
        descriptor = os.open(path, OPEN_FLAGS)
    except (OSError, ValueError):
        return b""
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            descriptor = plain_descriptor(descriptor, path)
    except Unreadable:
        return b""
    try:
        return platforms.read_at(descriptor, length, start)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def is_database(path: str | Path) -> bool:
    return first_bytes(path, len(_MAGIC)) == _MAGIC


def database_of(path: str | Path) -> str | None:
    """The database that has the session at a path; None where none has."""
    member = member_of(path)
    return member[0] if member is not None and is_database(member[0]) else None


def holds_sessions(path: str | Path) -> bool:
    """Return True if a file is a database, or an archive by a description of its first bytes."""
    head = archive_head(path)
    if not head:
        return is_database(path)
    return begins_archive(head)


def begins_archive(head: bytes) -> bool:
    return any(archive.begins(head) for archive in known_archives())


def archive_head(path: str | Path) -> bytes:
    """The first bytes of what may be an archive; none of any other file.

    Lines of JSON are one where each is a change of what those before it come to, or a session.
    """
    head = first_bytes(path, _LOOKED_AT)
    if os.fspath(path).endswith(LINES):
        return head if _HOLDS.match(head) else b""
    return head if head.startswith(ZIP) or head.lstrip().startswith(b"{") else b""


def files_of(path: str | Path) -> tuple[str, ...]:
    """The files whose changes change what is at a path: of a session, its database's."""
    member = member_of(path)
    return (str(path),) if member is None else (member[0], member[0] + WAL)


def last_write(path: str | Path) -> float | None:
    """When a log was last written to, epoch seconds; None when it is not there."""
    with suppress(OSError):
        return log_stat(path).st_mtime
    return None


def log_stat(path: str | Path) -> LogStatus:
    """Return the stat of a log, or of what a session is in that is not a file. Raises OSError."""
    try:
        found = os.stat(path)  # noqa: PTH116  (thousands are looked at in a row)
    except platforms.NOT_A_FOLDER:
        member = member_of(path)
        if member is None:
            raise
    else:
        form = folder_form(path) if stat.S_ISDIR(found.st_mode) else None
        return found if form is None else folder_status(os.fspath(path), form)
    status = os.stat(member[0])  # noqa: PTH116
    try:
        files = (status, os.stat(member[0] + WAL))  # noqa: PTH116
    except OSError:
        files = (status,)
    return MemberStatus(
        sum(file.st_size for file in files),
        max(file.st_mtime_ns for file in files),
        status.st_ino,
        status.st_dev,
        max(file.st_ctime_ns for file in files),
    )


def folder_status(path: str, form: Folder) -> MemberStatus:
    """Return the stat of a session that is a directory. Raises OSError."""
    own = os.stat(path)  # noqa: PTH116
    size, modified, changed = 0, own.st_mtime_ns, own.st_ctime_ns
    for place in form.changing(path):
        try:
            status = os.stat(place)  # noqa: PTH116
        except OSError:
            continue
        size += status.st_size
        modified = max(modified, status.st_mtime_ns)
        changed = max(changed, status.st_ctime_ns)
    return MemberStatus(size, modified, own.st_ino, own.st_dev, changed)
