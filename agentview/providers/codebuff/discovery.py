"""Where chats are, whether a file is one, and what divides it."""

import re
from collections.abc import Sequence
from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_document import split_document
from agentview.normalize.json_values import Fields, fields_of, text_of, time_of
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments
from agentview.providers.base import Light
from agentview.sources.files import read_part

_SURE = 0.96
_NAME = "chat-messages.json"
_STATE = "run-state.json"
_STATE_BYTES = 4_194_304
_LIST = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{\s*\"")
_VARIANT = re.compile(rb'"variant"\s*:\s*"(?:user|ai|agent|error)"')
_DASHED = re.compile(r"(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d.*)")
"""The name of a folder: a time without its colons."""


class Chats(JsonDocuments):
    """`chat-messages.json` in a folder for each chat; the state of the run is next to it."""

    endings = (_NAME,)

    def probe(self, head: bytes, path: Path) -> float:
        """By the list, and by what messages say of who wrote them."""
        _ = path
        return _SURE if _LIST.match(head) and _VARIANT.search(head) else 0.0

    def session(self, path: Path, head: bytes) -> SessionRef:
        """A chat is known by the name of its folder."""
        _ = head
        own = path.parent.name if path.name == _NAME else path.stem
        return SessionRef(self.name, own, str(path))

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the records; the folder says when the chat began, the state where."""
        path = Path(ref.path)
        made = super().info(ref, decode)
        began = _DASHED.fullmatch(ref.session_id) if path.name == _NAME else None
        if made.started is None and began is not None:
            made = replace(made, started=time_of(f"{began[1]}:{began[2]}:{began[3]}"))
        return made if made.project is not None else replace(made, project=_folder(path))

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each message. Raises ValueError when it is not a document."""
        return split_document(data)


def _folder(path: Path) -> str | None:
    """The directory of the run, which its state has."""
    if path.name != _NAME:
        return None
    try:
        state = fields_of(orjson.loads(read_part(path.with_name(_STATE), 0, _STATE_BYTES)))
    except ValueError:
        return None
    session: Fields = fields_of(state.get("sessionState"))
    for holder in ("fileContext", "projectContext"):
        found = text_of(fields_of(session.get(holder)).get("cwd"))
        if found is not None:
            return found
    return text_of(session.get("cwd")) or text_of(state.get("cwd"))


DISCOVERY = Chats("codebuff")
