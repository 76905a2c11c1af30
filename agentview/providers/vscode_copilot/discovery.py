"""Where sessions are, whether a file is one, and what divides it."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

import orjson

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_document import split_document
from agentview.normalize.json_values import fields_of, items_of, text_of
from agentview.normalize.raw_span import Span
from agentview.normalize.session_state import LogHabits
from agentview.providers._kit.archive_logs import with_archive_time
from agentview.providers._kit.discovery import first_record
from agentview.providers._kit.json_documents import JsonDocuments, members_of
from agentview.providers._kit.session_info import end_lines, overview
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import Light
from agentview.providers.vscode_copilot.archive import ARCHIVE, ROW, SESSION
from agentview.sources.files import files_below, read_ends, read_part
from agentview.sources.member import LINES, Member, MemberStatus, member_of, member_path

_SURE = 0.97
_DOCUMENT = ".json"
_AROUND = frozenset({"responderUsername", "requesterUsername", "initialLocation"})
_WORKSPACES = "workspaceStorage"
_SESSIONS = "chatSessions"
_FOLDER_BYTES = 16_384
_FOLDER = re.compile(r"(?:file|vscode-remote)://[^/]*(/.+)")


def _may_be_own(requests: object) -> bool:
    first = fields_of(next(iter(items_of(requests)), None))
    return "requestId" in first or not first


class ChatSessions(JsonDocuments):
    """`chatSessions/<id>.json` in the storage of each folder that was opened, or a log of changes.

    A session in a log of changes, `<id>.jsonl`, has a path below that file.
    """

    endings = (_DOCUMENT, LINES)
    habits = LogHabits(says_each_end=True)
    signatures = (Signature(_SURE, {"requests": _may_be_own}, any_of=_AROUND),)

    def probe(self, head: bytes, path: Path) -> float:
        """By what is around the requests, and by the form of the first; of rows by the first."""
        return _SURE if _is_saved(head) else super().probe(head, path)

    def begins(self, head: bytes) -> bool:
        return super().probe(head, Path()) > 0

    def session_id(self, head: bytes) -> str | None:
        """The id, where it is in front of the requests; else the file has its name."""
        return text_of(members_of(head).get("sessionId"))

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """The sessions below a folder; of an editor's storage no other file is looked at.

        A session that is there in both forms was begun by an older version, and has gone on in the
        newer one.
        """
        if root.is_file():
            yield from _in_log(str(root), root.stem)
        elif root.name == _WORKSPACES:
            for folder in _folders(root):
                yield from self._listed(files_below(folder, self.endings, depth=0))
        else:
            yield from self._listed(files_below(root, self.endings))

    @staticmethod
    def _listed(
        entries: Iterable["os.DirEntry[str]"],
    ) -> Iterator["os.DirEntry[str] | Member"]:
        documents: list[os.DirEntry[str]] = []
        logs: set[str] = set()
        for entry in entries:
            if entry.name.endswith(_DOCUMENT):
                documents.append(entry)
                continue
            found = list(_in_log(entry.path, entry.name.removesuffix(LINES)))
            logs.update(entry.path.removesuffix(LINES) for _ in found)
            yield from found
        yield from (each for each in documents if each.path.removesuffix(_DOCUMENT) not in logs)

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in a file or in a log of changes, which is not replayed for it."""
        member = member_of(path)
        if member is None:
            return super().session_at(path)
        # Imported here: the library asks each provider for its files.
        from agentview.sources.archive import archive_of

        return self.ref(path) if archive_of(member[0]) == ARCHIVE else None

    def ref(self, path: Path) -> SessionRef:
        """The session; one in a log of changes by its name alone."""
        member = member_of(path)
        if member is None:
            return super().ref(path)
        return with_archive_time(SessionRef(self.name, member[1], str(path)))

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each request, and of what is around them. Raises ValueError."""
        return split_document(data, ("requests",))

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last requests, and the folder that was opened."""
        path = Path(ref.path)
        member = member_of(path)
        if member is None and path.suffix != LINES:
            events = self._edges(ref, decode)
        else:
            events = end_lines(*read_ends(path), ref, decode)
        folder = _opened_folder(path if member is None else Path(member[0]))
        return overview(ref, events, project=folder, habits=self.habits)


def _is_saved(head: bytes) -> bool:
    """Return True for the rows of a log of changes, of which the first is the session."""
    row = first_record(head) if f'"{ROW}"'.encode() in head else None
    return row is not None and row.get(ROW) == SESSION and not _AROUND.isdisjoint(row)


def _folders(root: Path) -> Iterator[Path]:
    """The folders with sessions in the storage of an editor."""
    try:
        with os.scandir(root) as listed:
            names = sorted(entry.name for entry in listed)
    except OSError:
        return
    yield from (root / name / _SESSIONS for name in names)


def _in_log(path: str, name: str) -> Iterator[Member]:
    """The session of a log of changes, which the client names after it; none of another file."""
    # Imported here: the library asks each provider for its files.
    from agentview.sources.archive import archive_of

    if path.endswith(LINES) and archive_of(path) == ARCHIVE:
        try:
            status = os.stat(path)  # noqa: PTH116
        except OSError:
            return
        place = MemberStatus(0, status.st_mtime_ns, status.st_ino)
        yield Member(member_path(path, name), name, place)


def _opened_folder(path: Path) -> str | None:
    """The folder whose storage a session is in."""
    if path.parent.name != _SESSIONS:
        return None
    try:
        stated = fields_of(
            orjson.loads(read_part(path.parent.with_name("workspace.json"), 0, _FOLDER_BYTES))
        )
    except ValueError:
        return None
    found = _FOLDER.fullmatch(text_of(stated.get("folder")) or "")
    return unquote(found[1]) if found is not None else None


DISCOVERY = ChatSessions("vscode_copilot")
