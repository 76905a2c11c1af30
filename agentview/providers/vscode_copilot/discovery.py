"""Where sessions are, whether a file is one, and what divides it."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote

import orjson

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_document import split_document
from agentview.normalize.json_values import fields_of, items_of, text_of
from agentview.normalize.raw_span import Span
from agentview.normalize.session_state import LogHabits
from agentview.providers._kit.json_documents import JsonDocuments, members_of
from agentview.providers._kit.session_info import overview
from agentview.providers.base import Decode
from agentview.sources.files import files_below, read_part
from agentview.sources.member import Member

_SURE = 0.97
_AROUND = frozenset({"responderUsername", "requesterUsername", "initialLocation"})
_WORKSPACES = "workspaceStorage"
_SESSIONS = "chatSessions"
_FOLDER_BYTES = 16_384
_FOLDER = re.compile(r"(?:file|vscode-remote)://[^/]*(/.+)")


class ChatSessions(JsonDocuments):
    """`chatSessions/<id>.json` in the storage of each folder that was opened."""

    habits = LogHabits(says_each_end=True)

    def probe(self, head: bytes, path: Path) -> float:
        """By the members around the requests, and by the form of the first request."""
        _ = path
        if b'"requests"' not in head:
            return 0.0
        members = members_of(head)
        if "requests" not in members:
            return 0.0
        first = fields_of(next(iter(items_of(members.get("requests"))), None))
        named = "requestId" in first or not first
        return _SURE if named and not _AROUND.isdisjoint(members) else 0.0

    def session_id(self, head: bytes) -> str | None:
        """The id, where it is in front of the requests; else the file has its name."""
        return text_of(members_of(head).get("sessionId"))

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """The sessions below a folder; of an editor's storage no other file is looked at."""
        if root.name != _WORKSPACES:
            yield from super().files(root)
            return
        try:
            with os.scandir(root) as listed:
                names = sorted(entry.name for entry in listed)
        except OSError:
            return
        for name in names:
            yield from files_below(root / name / _SESSIONS, self.endings, depth=0)

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each request, and of what is around them. Raises ValueError."""
        return split_document(data, ("requests",))

    def info(self, ref: SessionRef, decode: Decode) -> SessionInfo:
        """Facts from the first and the last requests, and the folder that was opened."""
        folder = _opened_folder(Path(ref.path))
        return overview(ref, self._edges(ref, decode), project=folder, habits=self.habits)


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
