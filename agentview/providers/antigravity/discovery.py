"""Where transcripts are: `brain/<id>/.system_generated/logs`, and whether a file is one."""

import os
from collections.abc import Iterable
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.normalize.json_values import whole_of
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import CERTAIN
from agentview.sources.member import Member

_WHOLE, _SHORT = "transcript_full.jsonl", "transcript.jsonl"


def _is_upper(kind: object) -> bool:
    return isinstance(kind, str) and kind.isupper()


class Transcripts(LogFiles):
    """Two transcripts of each conversation: the one whose texts are whole is read."""

    endings = (_WHOLE, _SHORT)
    signatures = (
        Signature(CERTAIN, {"type": _is_upper, "step_index": whole_of}, keys={"source", "status"}),
    )

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """The transcripts, without the short one where the whole one is next to it."""
        for entry in super().files(root):
            whole = Path(entry.path).with_name(_WHOLE)
            if entry.name == _WHOLE or not whole.is_file():
                yield entry

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session in a file: the folder of the conversation has its id."""
        _ = head
        above = path.absolute().parents
        known = path.name in self.endings and len(above) > 2 and above[0].name == "logs"
        return SessionRef(self.name, above[2].name if known else path.stem, str(path))


DISCOVERY = Transcripts("antigravity")
