"""Where sessions are: one file for each, in a folder for each project."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import orjson

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, fields_of
from agentview.normalize.session_state import LogHabits
from agentview.providers._kit.archive_logs import ArchiveLogs
from agentview.providers.opencode.opencode_storage.archive import ARCHIVE, session_of
from agentview.providers.opencode.shared.discovery import output_file
from agentview.providers.opencode.shared.tables import database
from agentview.sources.member import Member, first_bytes, member_of, member_path
from agentview.sources.one_look import found_once

_SURE = 0.97
_HEAD = 4096
_DATABASE = "opencode.db"
"""The database to which a later client copied the sessions; the files stay."""


class Storage(ArchiveLogs):
    """Sessions of which each is a file of its own, whose messages are in other folders."""

    endings = (".json",)
    habits = LogHabits(says_each_end=True, prompts_wait=True)

    def probe_line(self, line: bytes) -> float:
        return _SURE if _saved(line) else 0.0

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """The sessions in the files below a folder, without those that a later client copied."""
        copied = _copied(root)
        return (each for each in super().files(root) if each.name not in copied)

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session in a file, which names the one that started it."""
        member = member_of(path)
        if member is not None:
            row, own = session_of(first_bytes(member[0], _HEAD)), member[1]
        else:
            row = _saved(head or first_bytes(path, self.head_bytes))
            own = text(row, "id") or path.stem
        parent = text(row, "parentID")
        return SessionRef(
            self.name,
            own,
            str(path),
            stream=Stream(StreamKind.SUBAGENT, own) if parent else Stream(),
            parent_id=parent,
            label=text(row, "title") if parent else None,
        )

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """The sessions that tools of this one started, which are of the same project."""
        member = member_of(ref.path)
        if member is None:
            return ()
        return self._agents_in(Path(member[0]).parent).get(ref.session_id, ())

    @found_once
    def _agents_in(self, folder: Path) -> Mapping[str, Sequence[SessionRef]]:
        """The sessions in the folder of a project that others started, by those."""
        found: dict[str, list[SessionRef]] = {}
        for each in map(self.ref, _sessions_in(folder)):
            if each.parent_id is not None:
                found.setdefault(each.parent_id, []).append(each)
        return found

    def externalized_output(self, ref: SessionRef, recorded: str) -> Path | None:
        """The file with the whole of a large output, in the data directory of the client."""
        member = member_of(ref.path)
        above = Path(member[0]).absolute().parents if member is not None else ()
        return output_file(above[3], recorded) if len(above) > 3 else None

    def resume_command(self, ref: SessionRef) -> Sequence[str] | None:
        """Command that resumes the session; None for the session of a sub-agent."""
        return None if ref.parent_id is not None else ("opencode", "-s", ref.session_id)


def _saved(head: bytes) -> Fields:
    """The row of a session that the first line of a file is; nothing where it is none."""
    line = head.partition(b"\n")[0].strip()
    if not line.startswith(b'{"table":"session",'):
        return {}
    try:
        row = fields_of(orjson.loads(line))
    except ValueError:
        return {}
    return row if {"id", "projectID", "time"} <= row.keys() else {}


def _copied(root: Path) -> frozenset[str]:
    """Ids of the sessions in the database of the same client, if it has one."""
    # Imported here: the library asks each provider for its files, and most have no database.
    from agentview.sources.database import sessions_in

    place = root.parent.parent / _DATABASE
    if root.name != "session" or not place.is_file():
        return frozenset()
    return frozenset(text(row, "id") or "" for row in sessions_in(place, database()))


def _sessions_in(folder: Path) -> Iterator[Path]:
    """The paths of the sessions in a folder."""
    try:
        with os.scandir(folder) as listed:
            names = sorted(entry.name for entry in listed if entry.name.endswith(".json"))
    except OSError:
        return
    for name in names:
        path = folder / name
        own = text(session_of(first_bytes(path, _HEAD)), "id")
        if own:
            yield Path(member_path(str(path), own))


DISCOVERY = Storage("opencode_storage", ARCHIVE)
