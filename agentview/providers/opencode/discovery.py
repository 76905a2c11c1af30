"""Where OpenCode keeps sessions: one database for all of them, in its data directory."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef, Stream, StreamKind
from agentview.errors import Unreadable
from agentview.normalize.json_fields import number, text
from agentview.normalize.json_values import Fields, seconds_of
from agentview.providers._kit.defaults import child_places, externalized_output
from agentview.providers._kit.session_info import overview, whole_lines
from agentview.providers.opencode.decode import decode
from agentview.sources.files import read_ends, read_part
from agentview.sources.member import (
    Member,
    MemberStatus,
    is_database,
    log_stat,
    member_of,
    member_path,
)

__all__ = [
    "NAME",
    "child_places",
    "children",
    "externalized_output",
    "files",
    "info",
    "probe",
    "ref",
    "roots",
    "session_at",
]  # fmt: skip

NAME = "opencode"

_HEAD = 65_536
_ROW = re.compile(rb'\s*\{"table":"(?:session|message|part)","rowid":\d+,"id":"(?:ses|msg|prt)_')
_SESSION = re.compile(
    rb'\{"table":"session","rowid":\d+,"id":"(ses_\w+)"(?:,"parent_id":(?:null|"(\w+)"))?'
)
_LISTED = "SELECT id, time_updated FROM session"
_ONE = "SELECT id, parent_id, title, time_updated FROM session WHERE id = :id"
_BELOW = "SELECT id FROM session WHERE parent_id = :id ORDER BY time_created"


def probe(head: bytes, path: Path) -> float:
    """Certain where the first line is a row of one of the client's tables."""
    _ = path
    return 0.99 if _ROW.match(head) else 0.0


def roots(env: Mapping[str, str]) -> Sequence[Path]:
    """Its folder in the user's data directory, which is the same on all systems."""
    data, home = env.get("XDG_DATA_HOME"), env.get("HOME")
    if data and Path(data).is_absolute():
        return [Path(data) / NAME]
    return [Path(home) / ".local" / "share" / NAME] if home else []


def files(root: Path) -> Iterable["os.DirEntry[str] | Member"]:
    """The sessions of a database, or of all databases and saved sessions in a folder."""
    if root.is_file():
        yield from _members(str(root))
        return
    try:
        with os.scandir(root) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.endswith(".db") and entry.is_file():
            yield from _members(entry.path)
        elif entry.name.endswith(".jsonl") and entry.is_file():
            yield entry


def session_at(path: Path) -> SessionRef | None:
    """The session in a database, or in a file that its rows were saved to."""
    row = _row(path)
    if member_of(path) is not None:
        # Its row is enough; the first lines would cost reading all of them.
        return _ref(path, row) if row else None
    return _ref(path, row) if probe(read_part(path, 0, _HEAD), path) > 0 else None


def ref(path: Path) -> SessionRef:
    """The session with the id that its row states, else that the path has."""
    return _ref(path, _row(path))


def _ref(path: Path, row: Fields) -> SessionRef:
    own = text(row, "id") or path.stem
    parent = text(row, "parent_id")
    modified = seconds_of(number(row, "time_updated"))
    size = None
    try:
        status = log_stat(path)
    except OSError:
        status = None
    if status is not None and member_of(path) is None:
        modified, size = status.st_mtime, status.st_size
    return SessionRef(
        NAME,
        own,
        str(path),
        stream=Stream(StreamKind.SUBAGENT, own) if parent else Stream(),
        parent_id=parent,
        label=text(row, "title") if parent else None,
        modified=modified,
        size=size,
    )


def children(ref: SessionRef) -> Sequence[SessionRef]:
    """The sessions that tools of this one started, which are in the same database."""
    member = member_of(ref.path)
    if member is None:
        return ()
    rows = _query(member[0], _BELOW, {"id": ref.session_id})
    return [_ref_of(member[0], row) for row in rows]


def info(ref: SessionRef) -> SessionInfo:
    """Facts from the first and the last rows of the session."""
    head, tail, start = read_ends(Path(ref.path))
    events = [
        *whole_lines(head, 0, ref, decode),
        *whole_lines(tail.partition(b"\n")[2], start, ref, decode),
    ]
    return overview(ref, events)


def _members(database: str) -> Iterator[Member]:
    try:
        inode = os.stat(database).st_ino  # noqa: PTH116
    except OSError:
        return
    for row in _query(database, _LISTED, {}):
        own, updated = text(row, "id"), number(row, "time_updated")
        if own:
            status = MemberStatus(0, (updated or 0) * 1_000_000, inode)
            yield Member(member_path(database, own), own, status)


def _ref_of(database: str, row: Fields) -> SessionRef:
    return ref(Path(member_path(database, text(row, "id") or "")))


def _row(path: Path) -> Fields:
    """The row of a session: of a database, else the first line of a saved one."""
    member = member_of(path)
    if member is not None:
        rows = _query(member[0], _ONE, {"id": member[1]})
        return rows[0] if rows else {}
    found = _SESSION.search(read_part(path, 0, _HEAD))
    if found is None:
        return {}
    parent = found[2].decode() if found[2] else None
    return {"id": found[1].decode(), "parent_id": parent}


def _query(database: str, sql: str, values: Mapping[str, object]) -> Sequence[Fields]:
    # Imported here: the library asks each provider for its files, and most have no database.
    from agentview.sources.database import query

    if not is_database(database):
        return ()
    try:
        return query(database, sql, values)
    except Unreadable:
        return ()
