"""Discovery of sessions that are parts of archives: what differs is how archives begin."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.errors import reason_of
from agentview.normalize.json_fields import real, text
from agentview.providers._kit.discovery import LogFiles
from agentview.sources.files import files_below
from agentview.sources.member import (
    Archive,
    Member,
    MemberStatus,
    log_stat,
    member_of,
    member_path,
    unlisted,
)


class ArchiveLogs(LogFiles, ABC):
    """A `Discovery`; also of files that the lines of a session were saved to."""

    def __init__(self, name: str, archive: Archive) -> None:
        super().__init__(name)
        self.archive = archive

    @abstractmethod
    def probe_line(self, line: bytes) -> float:
        """Confidence that the lines of a session begin with this one."""

    def probe(self, head: bytes, path: Path) -> float:
        """Return 0 or 1 by the first line: an archive itself is not a log but holds some."""
        _ = path
        return self.probe_line(head.partition(b"\n")[0].strip())

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """The sessions of an archive, or of all archives below a folder, and saved sessions."""
        if root.is_file():
            yield from self._members(str(root))
            return
        for entry in files_below(root, (*self.endings, ".jsonl")):
            if entry.name.endswith(".jsonl"):
                yield entry
            else:
                yield from self._members(entry.path)

    def session_at(self, path: Path) -> SessionRef | None:
        """The session of an archive, which is not read for it, or in a file of saved lines."""
        member = member_of(path)
        if member is None:
            return super().session_at(path)
        # Imported here: the library asks each provider for its files.
        from agentview.sources.archive import archive_of

        return self.ref(path) if archive_of(member[0]) == self.archive else None

    def ref(self, path: Path) -> SessionRef:
        """The session, by the name of its part or of its file alone."""
        return with_archive_time(self.session(path, b""))

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session by the name of its part, or of the file that it was saved to."""
        _ = head
        member = member_of(path)
        return SessionRef(self.name, path.stem if member is None else member[1], str(path))

    def _members(self, path: str) -> Iterable[Member]:
        # Imported here: the library asks each provider for its files.
        from agentview.sources.archive import sessions_in_archive

        try:
            status = os.stat(path)  # noqa: PTH116
        except OSError:
            return
        try:
            found = sessions_in_archive(path, self.archive)
        except Exception as error:
            # It costs no other archive of the folder.
            yield unlisted(path, reason_of(error))
            return
        for row in found:
            own, modified = text(row, "id"), real(row, "modified")
            if own:
                nanoseconds = int(modified * 1e9) if modified else status.st_mtime_ns
                place = MemberStatus(0, nanoseconds, status.st_ino)
                yield Member(member_path(path, own), own, place)


def with_archive_time(ref: SessionRef) -> SessionRef:
    """The session with the time of its archive: its own size is not known before it is read."""
    try:
        status = log_stat(ref.path)
    except OSError:
        return ref
    inside = member_of(ref.path) is not None
    return replace(ref, modified=status.st_mtime, size=None if inside else status.st_size)
