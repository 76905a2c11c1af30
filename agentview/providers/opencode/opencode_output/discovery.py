"""Whether a file is what the client printed, and what divides a document of that sort."""

import re
from collections.abc import Sequence
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_document import split_document
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.normalize.raw_span import Span
from agentview.providers._kit.discovery import LogFiles, first_record
from agentview.providers._kit.json_documents import JsonDocuments, members_of
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import Light
from agentview.sources.files import read_part

_SURE = 0.97
_LIKELY = 0.8
_ID = "ses_"
_OF_CLIENT = re.compile(f"{_ID}.*", re.DOTALL)
_OF_SESSION = frozenset({"directory", "projectID", "version"})


class Output(JsonDocuments):
    """Lines of `run --format json`, and documents of `export`; also messages of one, as lines."""

    endings = (".json", ".jsonl")
    signatures = (
        Signature(_SURE, {"sessionID": _OF_CLIENT}, keys={"type"}, any_of={"part", "error"}),
        Signature(_LIKELY, {"info/role": {"user", "assistant"}, "parts": list}),
    )

    def probe(self, head: bytes, path: Path) -> float:
        return _SURE if self.begins(head) else LogFiles.probe(self, head, path)

    def begins(self, head: bytes) -> bool:
        """Return True if a file that begins with `head` is a document."""
        info = _session_of(head)
        named = (text_of(info.get("id")) or "").startswith(_ID)
        return named and "role" not in info and not _OF_SESSION.isdisjoint(info)

    def session_id(self, head: bytes) -> str | None:
        """The id of the session, which every line of a run has, and the first object of others."""
        first = first_record(head)
        info = _session_of(head)
        own = text_of(first.get("sessionID")) or text_of(info.get("sessionID"))
        return own or (text_of(info.get("id")) if "role" not in info else None)

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each message, and of what is around them.

        Raises ValueError when it is not a document.
        """
        return split_document(data, ("messages",))

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from both ends of a file of lines, or from the first and last messages."""
        document = self.begins(read_part(Path(ref.path), 0, self.head_bytes))
        return super().info(ref, decode) if document else LogFiles.info(self, ref, decode)

    def resume_command(self, ref: SessionRef) -> Sequence[str] | None:
        """Command that resumes the session; None where its id is not known."""
        known = ref.session_id.startswith(_ID) and ref.parent_id is None
        return (self.name.partition("_")[0], "-s", ref.session_id) if known else None


def _session_of(head: bytes) -> Fields:
    return fields_of(members_of(head).get("info"))


DISCOVERY = Output("opencode_output")
