"""Whether a file is a page of SpecStory, of which client and session, and what divides it."""

import re
from collections.abc import Sequence
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments
from agentview.providers._kit.session_info import overview
from agentview.providers.base import Light
from agentview.providers.specstory.blocks import BEGIN, blocks

_SURE = 0.97
_SESSION = re.compile(
    rb"^<!-- (?P<agent>[^\n]{1,60}?) Session (?P<id>[^\s()]{1,200})[^\n]{0,80}-->", re.MULTILINE
)
_FOLDER = (".specstory", "history")


class Pages(JsonDocuments):
    """A page for each session, in `.specstory/history` of a project."""

    endings = (".md",)

    def probe(self, head: bytes, path: Path) -> float:
        """By the first line."""
        _ = path
        return _SURE if head.lstrip(b"\xef\xbb\xbf \r\n").startswith(BEGIN) else 0.0

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session that a page is of; its label is the client, whose tools the calls name."""
        found = _SESSION.search(head)
        if found is None:
            return SessionRef(self.name, path.stem, str(path))
        own, agent = (found[key].decode("utf-8", "replace") for key in ("id", "agent"))
        return SessionRef(self.name, own, str(path), label=agent)

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last records; the project is where the page is."""
        folders = Path(ref.path).absolute().parents
        kept = [each for each in folders if each.parts[-2:] == _FOLDER]
        project = str(kept[0].parent.parent) if kept else None
        return overview(ref, self._edges(ref, decode), project=project)

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each record. Raises ValueError when it is not a page."""
        if self.probe(data, Path()) == 0:
            raise ValueError("no page of SpecStory")
        return blocks(data)


DISCOVERY = Pages("specstory")
