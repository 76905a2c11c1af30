"""Where sessions are, and whether a file is one."""

import re
from collections.abc import Sequence
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_values import Fields
from agentview.normalize.raw_span import Span
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.json_documents import JsonDocuments
from agentview.providers._kit.session_info import end_lines, overview
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import CERTAIN, Light
from agentview.providers.copilot.flat_records import begins_document, is_line, split
from agentview.sources.files import read_ends, read_part

_LIKELY = 0.85
_CUT = re.compile(
    rb'\s*\{\s*"type"\s*:\s*"session\.start"\s*,\s*"data"\s*:\s*\{.{0,400}"producer"\s*:\s*"copilot-'
)
_ID = re.compile(
    rb'"type"\s*:\s*"session\.start"\s*,\s*"data"\s*:\s*\{\s*"sessionId"\s*:\s*"([^"\\]+)"'
)
_FLAT_ID = re.compile(rb'\A\s*\{\s*"session_id"\s*:\s*"([^"\\]+)"')
_OWN = re.compile(
    r"(?:session|user|assistant|tool|hook|subagent|system|permission|skill)\.[a-z_]{3,40}|abort"
)
_NAME = re.compile(rb"^name:[ \t]*(\S[^\r\n]*)", re.MULTILINE)
_WORKSPACE = "workspace.yaml"
_WORKSPACE_BYTES = 16_384


class CopilotLogs(JsonDocuments):
    """`events.jsonl` in the folder of each session, or older a file named after the session."""

    endings = (".jsonl", ".json")
    signatures = (
        Signature(
            CERTAIN,
            {"type": "session.start", "data": dict},
            any_of={"data/copilotVersion", "data/producer"},
        ),
        Signature(_LIKELY, {"type": _OWN, "data": dict, "id": str}, keys={"parentId"}),
    )
    cut_lines = ((_CUT, _LIKELY),)

    def probe(self, head: bytes, path: Path) -> float:
        return _LIKELY if begins_document(head) else LogFiles.probe(self, head, path)

    def probe_record(self, record: Fields) -> float:
        return _LIKELY if is_line(record) else super().probe_record(record)

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each message of a document. Raises ValueError."""
        return split(data)

    def session_id(self, head: bytes) -> str | None:
        """The id that the first record states."""
        found = _ID.search(head) or _FLAT_ID.search(head)
        return found[1].decode("utf-8", "replace") if found is not None else None

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session in a file; without its first record its folder has its name."""
        name = path.parent.name if path.stem == "events" else path.stem
        return SessionRef(self.name, self.session_id(head) or name, str(path))

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last 128 kB, and the name that is kept next to the log."""
        head, tail, start = read_ends(Path(ref.path))
        if begins_document(head):
            return super().info(ref, decode)
        events = end_lines(head, tail, start, ref, decode)
        return overview(ref, events, name=_workspace_name(Path(ref.path)))


def _workspace_name(path: Path) -> str | None:
    if path.name != "events.jsonl":
        return None
    found = _NAME.search(read_part(path.with_name(_WORKSPACE), 0, _WORKSPACE_BYTES))
    if found is None:
        return None
    name = found[1].decode("utf-8", "replace").strip()
    if name[:1] in "|>":
        return None
    quoted = len(name) > 1 and name[0] == name[-1] and name[0] in "\"'"
    return (name[1:-1] if quoted else name) or None


DISCOVERY = CopilotLogs("copilot")
