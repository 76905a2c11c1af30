"""Discovery of sessions that are rows of SQLite databases: what differs is where they lie."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import orjson

from agentview.domain.session import SessionInfo, SessionRef, Stream, StreamKind
from agentview.errors import reason_of
from agentview.normalize.json_fields import mapping, real, text
from agentview.normalize.json_values import Fields
from agentview.normalize.session_state import NO_HABITS, LogHabits
from agentview.providers._kit.session_info import end_lines, overview
from agentview.providers.base import HEAD_BYTES, Light
from agentview.providers.folders import declared_roots
from agentview.sources.files import listed_in, read_member_ends, read_part
from agentview.sources.member import (
    Database,
    Member,
    MemberStatus,
    log_stat,
    member_of,
    member_path,
    unlisted,
)
from agentview.sources.one_look import found_once, looks_at_many

_OWN_KEYS = frozenset({"table", "rowid"})


class DatabaseLogs:
    """A `Discovery`; also of files that the rows of a session were saved to, one a line."""

    endings: tuple[str, ...] = (".db",)
    """How the names of databases end."""
    session_table = "session"
    """The table whose row has the id of a session whose rows were saved."""
    habits: LogHabits = NO_HABITS
    """Facts that the log leaves open of the state of a session."""
    optional: Mapping[str, Collection[str]] = {}
    """Columns, by tables, that saved rows need not have."""

    def __init__(self, name: str, database: Database) -> None:
        self.name = name
        self.database = database
        self._columns = {
            table.name: (
                frozenset(table.columns),
                frozenset(table.columns) - frozenset(self.optional.get(table.name, ())),
            )
            for table in database.tables
        }

    def probe(self, head: bytes, path: Path) -> float:
        """Certain where the first line is a row with the columns that one of the tables has."""
        _ = path
        return 0.99 if self._first_row(head) else 0.0

    def roots(self, env: Mapping[str, str]) -> Sequence[Path]:
        """Those of `roots.txt`; a plug-in says here where its own are."""
        return declared_roots(self.name, env) or []

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """The sessions of a database, or of all databases and saved sessions in a folder."""
        if root.is_file():
            yield from self._members(str(root))
            return
        try:
            _, listed = listed_in(os.fspath(root))
        except OSError:
            return
        entries = sorted(listed, key=lambda entry: entry.name)
        for entry in entries:
            if entry.name.endswith(self.endings) and entry.is_file():
                yield from self._members(entry.path)
            elif entry.name.endswith(".jsonl") and entry.is_file():
                yield entry

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in a database, or in a file that its rows were saved to."""
        member = member_of(path)
        if member is not None:
            # Its row is enough; the first lines would cost reading all of them.
            row = self._row(*member)
            return self._ref(path, row) if row else None
        head = read_part(path, 0, HEAD_BYTES)
        return self._saved(path, head) if self.probe(head, path) > 0 else None

    def ref(self, path: Path) -> SessionRef:
        """The session with the id that its row states, else that the path has."""
        member = member_of(path)
        if member is not None:
            return self._ref(path, self._row(*member))
        return self._saved(path, read_part(path, 0, HEAD_BYTES))

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """The sessions that tools of this one started, which are in the same database."""
        member = member_of(ref.path)
        if member is None:
            return ()
        if looks_at_many():
            rows = self._by_parent(member[0]).get(ref.session_id, ())
        else:
            rows = self._rows(member[0], parent=ref.session_id)
        return [self._ref(Path(member_path(member[0], text(row, "id") or "")), row) for row in rows]

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        """None: they are rows of the same database."""
        _ = ref
        return ()

    def externalized_output(self, ref: SessionRef, recorded: str) -> Path | None:
        """None: no output is kept outside of the database."""
        _ = ref, recorded
        return None

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last rows of the session."""
        head, tail, start = read_member_ends(Path(ref.path))
        events = list(end_lines(head, tail, start, ref, decode))
        length = start + len(tail) if tail else len(head)
        return overview(ref, events, habits=self.habits, length=length)

    def saved_session(self, rows: Sequence[Fields]) -> Fields:
        """Return the session as the list would have it, as far as the first saved rows say it."""
        none: Fields = {}
        row = next((row for row in rows if text(row, "table") == self.session_table), none)
        return {"id": text(row, "id"), "parent": text(row, "parent_id")}

    def _first_row(self, head: bytes) -> Fields:
        line = head.partition(b"\n")[0].strip()
        if not line.startswith(b'{"table":"'):
            return {}
        try:
            row = mapping(orjson.loads(line))
        except ValueError:
            return {}
        known = self._columns.get(text(row, "table") or "")
        keys = set(row) - _OWN_KEYS
        return row if known is not None and known[1] <= keys <= known[0] else {}

    def _saved(self, path: Path, head: bytes) -> SessionRef:
        first = self._first_row(head)
        return self._ref(path, self.saved_session([first]) if first else {})

    def _ref(self, path: Path, row: Fields) -> SessionRef:
        own = text(row, "id") or path.stem
        parent = text(row, "parent")
        modified, size = real(row, "modified"), None
        if modified is None:
            try:
                status = log_stat(path)
            except OSError:
                pass
            else:
                modified, size = status.st_mtime, status.st_size
        return SessionRef(
            self.name,
            own,
            str(path),
            stream=Stream(StreamKind.SUBAGENT, own) if parent else Stream(),
            parent_id=parent,
            parent_call=text(row, "call"),
            label=text(row, "title") if parent else None,
            modified=modified,
            size=size,
        )

    def _members(self, database: str) -> Iterator[Member]:
        try:
            rows = [row for row in self._rows(database) if text(row, "id")]
        except Exception as error:
            # It costs no other database of the folder.
            yield unlisted(database, reason_of(error))
            return
        try:
            whole = log_stat(member_path(database, "-"))
        except OSError:
            return
        for row in rows:
            own, modified = text(row, "id") or "", real(row, "modified")
            # Where no row says when the session was written, the database was written then.
            written = whole.st_mtime_ns if modified is None else int(modified * 1e9)
            yield Member(member_path(database, own), own, MemberStatus(0, written, whole.st_ino))

    @found_once
    def _by_id(self, database: str) -> Mapping[str, Fields]:
        return {text(row, "id") or "": row for row in self._rows(database)}

    @found_once
    def _by_parent(self, database: str) -> Mapping[str, Sequence[Fields]]:
        found: dict[str, list[Fields]] = {}
        for row in self._rows(database):
            found.setdefault(text(row, "parent") or "", []).append(row)
        return found

    def _row(self, database: str, own: str) -> Fields:
        if looks_at_many():
            return self._by_id(database).get(own, {})
        rows = self._rows(database, own=own)
        return rows[0] if rows else {}

    def _rows(
        self, database: str, *, own: str | None = None, parent: str | None = None
    ) -> Sequence[Fields]:
        # Imported here: the library asks each provider for its files, and most have no database.
        from agentview.sources.database import sessions_in

        return sessions_in(database, self.database, own=own, parent=parent)
