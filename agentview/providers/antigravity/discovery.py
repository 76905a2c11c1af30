"""Where transcripts are: `brain/<id>/.system_generated/logs`, and whether a file is one."""

import os
from collections.abc import Iterable
from pathlib import Path

import orjson

from agentview.domain.session import SessionRef
from agentview.normalize.json_values import fields_of, whole_of
from agentview.providers._kit.discovery import CERTAIN, LogFiles, probe_lines
from agentview.sources.member import Member

_WHOLE, _SHORT = "transcript_full.jsonl", "transcript.jsonl"
_STEP = frozenset({"source", "status"})


class Transcripts(LogFiles):
    """Two transcripts of each conversation: the one whose texts are whole is read."""

    endings = (_WHOLE, _SHORT)

    def probe(self, head: bytes, path: Path) -> float:
        """By the keys of a step."""
        _ = path
        return probe_lines(head, _probe_line)

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


def _probe_line(line: bytes) -> float:
    if b'"step_index"' not in line:
        return 0.0
    try:
        step = fields_of(orjson.loads(line))
    except ValueError:
        return 0.0
    kind = step.get("type")
    named = isinstance(kind, str) and kind.isupper() and set(step) >= _STEP
    return CERTAIN if named and whole_of(step.get("step_index")) is not None else 0.0


DISCOVERY = Transcripts("antigravity")
