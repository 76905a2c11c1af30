"""Where sessions are, and whether a file is one."""

import re
from pathlib import Path

from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.normalize.partial_json import load
from agentview.providers._kit.discovery import LogFiles, first_record, probe_lines
from agentview.providers.base import CERTAIN

_SESSION = re.compile(r"session-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ENVELOPE = frozenset({"uuid", "parentUuid", "sessionId", "timestamp", "type", "message"})
_CUT = re.compile(
    rb'\s*\{\s*"uuid"\s*:\s*"[^"]*"\s*,\s*"parentUuid"\s*:\s*(?:null|"[^"]*")\s*,\s*"sessionId"\s*:'
    rb'\s*"session-[0-9a-f]{8}-'
)


def _probe_line(line: bytes) -> float:
    if not line.lstrip().startswith(b"{"):
        return 0.0
    try:
        record = fields_of(load(line))
    except ValueError:
        return CERTAIN if _CUT.match(line) is not None else 0.0
    return _probe_record(record)


def _probe_record(record: Fields) -> float:
    """A record in the envelope of Claude Code whose session has an id that this client gives."""
    if not record.keys() >= _ENVELOPE or record["type"] not in ("user", "assistant"):
        return 0.0
    own = _SESSION.fullmatch(text_of(record["sessionId"]) or "") is not None
    content = fields_of(record["message"]).get("content")
    return CERTAIN if own and isinstance(content, str | list) else 0.0


class Sessions(LogFiles):
    """`session-<id>.jsonl` in a folder for each project."""

    def probe(self, head: bytes, path: Path) -> float:
        """By the envelope of its records and the form of the session's id."""
        _ = path
        return probe_lines(head, _probe_line)

    def session_id(self, head: bytes) -> str | None:
        return text_of(first_record(head).get("sessionId"))


DISCOVERY = Sessions("iflow")
