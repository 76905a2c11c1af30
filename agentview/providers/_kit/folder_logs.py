"""Discovery of sessions that are directories of files: what differs is a subclass."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.providers._kit.discovery import LogFiles
from agentview.sources.files import listed_in
from agentview.sources.member import Folder, Member, folder_status, log_stat

_MAX_DEPTH = 12


class FolderLogs(LogFiles):
    """A `Discovery`; also of files of lines that the records of a session were saved to."""

    child_folder = ""
    """Name of the folder in a session's own that has the sessions of its agents."""

    def __init__(self, name: str, folder: Folder) -> None:
        super().__init__(name)
        self.folder = folder

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        yield from self._below(os.fspath(root), 0)

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        return [Path(ref.path, self.child_folder)] if self.child_folder else []

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """The sessions in that folder."""
        places = self.child_places(ref)
        found = (Path(entry.path) for place in places for entry in self._below(str(place), 1))
        return [self.ref(path) for path in sorted(found) if path.parent in places]

    def _below(self, place: str, depth: int) -> Iterator["os.DirEntry[str] | Member"]:
        try:
            _, listed = listed_in(place)
        except (OSError, ValueError):
            return
        entries = sorted(listed, key=lambda entry: entry.name)
        names = {entry.name for entry in entries}
        mine = all(mark.partition("/")[0] in names for mark in self.folder.marks)
        if mine:
            yield Member(place, os.path.basename(place), folder_status(place, self.folder))  # noqa: PTH119
        for entry in entries:
            inside = entry.name == self.child_folder if mine else entry.name not in self.skipped
            try:
                if not mine and entry.name.endswith(self.endings) and entry.is_file():
                    yield entry
                elif inside and depth < _MAX_DEPTH and entry.is_dir(follow_symlinks=False):
                    yield from self._below(entry.path, depth + 1)
            except OSError:
                continue

    @staticmethod
    def _now(ref: SessionRef) -> SessionRef:
        """The session with the time and the size that its directory has now."""
        try:
            status = log_stat(ref.path)
        except OSError:
            return ref
        return replace(ref, modified=status.st_mtime, size=status.st_size)
