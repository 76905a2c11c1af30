"""Whether a file is a history of chats, and what divides it."""

from collections.abc import Sequence
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments
from agentview.providers._kit.session_info import overview
from agentview.providers.aider.blocks import BEGIN, blocks
from agentview.providers.base import Light
from agentview.sources.packed_file import origin_of

_SURE = 0.97
_NAME = ".aider.chat.history.md"


class Histories(JsonDocuments):
    """One file in each project, with all its chats."""

    endings = (".chat.history.md",)

    def probe(self, head: bytes, path: Path) -> float:
        """By the line with which a chat begins."""
        _ = path
        return _SURE if head.lstrip(b"\xef\xbb\xbf \r\n").startswith(BEGIN) else 0.0

    def session(self, path: Path, head: bytes) -> SessionRef:
        """A history is known by the folder that it is in: nothing in it names it."""
        _ = head
        own = path.absolute().parent.name if path.name == _NAME else ""
        return SessionRef(self.name, own or path.name.removesuffix(".md"), str(path))

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last records; the project is where the file is."""
        named = ref.path.endswith(f"/{_NAME}")
        project = str(Path(origin_of(ref.path) or ref.path).absolute().parent) if named else None
        return overview(ref, self._edges(ref, decode), project=project)

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each record. Raises ValueError when it is not a history."""
        if self.probe(data, Path()) == 0:
            raise ValueError("no history of chats")
        return blocks(data)


DISCOVERY = Histories("aider")
